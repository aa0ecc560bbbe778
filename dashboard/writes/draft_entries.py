"""One-line descriptions of drafts, for Unfinished, Today and above forms."""

from collections.abc import Iterable
from typing import Any

from django.urls import get_script_prefix
from django.utils import timezone

from dashboard.core import sealed
from dashboard.core.templates import page_url
from dashboard.gateway import OutcomeUnknown
from dashboard.people.context import RequestContext
from dashboard.reader.failures import in_words
from dashboard.reader.rejections import service_words
from dashboard.schema.pickers import PickerField
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time
from dashboard.writes import drafts
from dashboard.writes.drafts import PARAM, Typed
from dashboard.writes.models import Draft, Write
from dashboard.writes.outcomes import stored_error
from dashboard.writes.sidebar import A_WEEK

NOT_REFUSED: dict[str, Any] = {"refusal": ""}
CLOSED = "A form that we can't open any more"


def draft_entries(stored: Iterable[Draft], ctx: RequestContext) -> list[dict[str, Any]]:
    """Drafts of a person for a list: `label` ("New contact: Zebra"), `name` (the same without the
    kind of record), `facts` ("8 lines", "17,184.00"), the time as `at`, and addresses. `url` is ""
    if the draft cannot be decrypted. `is_old`: not changed for a week. `refusal`: why its last
    save was rejected, "" if it was not; `service_words`: the service's own reasons.
    """
    own = list(stored)
    tokens = [draft.token for draft in own]
    writes = Write.objects.filter(person=ctx.user, form_token__in=tokens, resource__in=RESOURCES)
    refusals = {
        write.form_token: {
            "refusal": in_words(error, RESOURCES[write.resource].fields),
            "service_words": service_words(error),
        }
        for write in writes.filter(state=Write.State.NOT_SAVED).order_by("pk")
        # Not where its answer cannot be opened any more.
        if not isinstance(error := stored_error(write), OutcomeUnknown)
    }
    return [{**_entry(draft, ctx), **refusals.get(draft.token, NOT_REFUSED)} for draft in own]


def _entry(draft: Draft, ctx: RequestContext) -> dict[str, Any]:
    entry = {
        "pk": draft.pk,
        "at": recent_time(draft.stored_at, timezone.localdate()),
        "is_old": draft.stored_at < timezone.now() - A_WEEK,
        "discard_url": page_url("unfinished:discard", draft.pk),
    }
    try:
        typed = drafts.read_draft(draft)
    except sealed.DecryptionError:
        return {**entry, "label": CLOSED, "name": CLOSED, "facts": [], "url": ""}
    resource = RESOURCES.get(draft.path.removeprefix(get_script_prefix()).partition("/")[0])
    name, label = _named(typed, resource) if resource else ("", typed.label)
    facts = resource.create_form.typed_facts(typed.data, ctx) if resource else []
    return {
        **entry,
        "label": label,
        "name": name or label,
        "facts": facts,
        "url": f"{draft.path}?{PARAM}={draft.pk}",
        "query": typed.query,
    }


def _named(typed: Typed, resource: Resource) -> tuple[str, str]:
    """Return the typed record's name, or "", and the label with its kind.

    Without a title field, the name is that of the first record referred to, such as a customer.
    """
    fields = resource.create_form.base_fields
    own = resource.title_field in fields
    pickers = (key for key, field in fields.items() if isinstance(field, PickerField))
    key = resource.title_field if own else f"{next(pickers, '')}-text"
    name = " ".join(str(typed.data.get(key, "")).split())
    if typed.label != f"New {resource.singular}":
        return name if own else typed.label.removeprefix("Edit "), typed.label
    if not name:
        return "", typed.label
    return name, f"{typed.label}: {name}" if own else f"{resource.singular.capitalize()} for {name}"
