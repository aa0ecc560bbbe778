"""Describes drafts in one line each, for the Unfinished page, for Today and above the forms."""

from collections.abc import Mapping
from typing import Any

from django.urls import get_script_prefix, reverse

from dashboard import sealed
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.drafts import services as drafts
from dashboard.drafts.models import Draft
from dashboard.drafts.services import Typed
from dashboard.forms.pickers import PickerField
from dashboard.pages.form_drafts import PARAM, time_in_words
from dashboard.pages.sidebar import sidebar_of

CLOSED = "A form that cannot be opened any more"


def draft_entry(
    draft: Draft, resources: Mapping[str, Resource], ctx: RequestContext
) -> dict[str, Any]:
    """A draft of the person's workspace for a list: `label` ("New contact: Zebra"), `name` (the
    same without the kind of record), `facts` ("8 lines", "17,184.00"), the time as `at`, and
    addresses. `url` is "" if the draft cannot be decrypted.
    """
    entry = {
        "pk": draft.pk,
        "at": time_in_words(draft.kept_at),
        "discard_url": reverse("unfinished:discard", args=[draft.pk]),
        "put_back_url": reverse("unfinished:put_back", args=[draft.pk]),
    }
    try:
        typed = drafts.read_draft(draft)
    except sealed.Unreadable:
        return {**entry, "label": CLOSED, "name": CLOSED, "facts": [], "url": ""}
    resource = resources.get(draft.path.removeprefix(get_script_prefix()).partition("/")[0])
    name, label = _named(typed, resource) if resource else ("", typed.label)
    form = resource.create_form if resource else None
    return {
        **entry,
        "label": label,
        "name": name or label,
        "facts": form.typed_facts(typed.data, ctx) if form else [],
        "url": f"{draft.path}?{PARAM}={draft.pk}",
    }


def offers(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    """The context of the offer above a form: `offer`, its newest draft or None, and `more_offers`,
    how many others there are.
    """
    if ctx.form_input.data is not None or not sidebar_of(ctx.request).forms:
        return {"offer": None, "more_offers": 0}
    own_drafts = drafts.open_drafts(ctx.user, ctx.workspace)
    offered = own_drafts.filter(path=ctx.request.path, sent_with="")
    newest = offered.first()
    if newest is None:
        return {"offer": None, "more_offers": 0}
    offer = draft_entry(newest, {resource.name: resource}, ctx)
    return {"offer": offer, "more_offers": offered.count() - 1}


def _named(typed: Typed, resource: Resource) -> tuple[str, str]:
    """What the typed record is called, "" if nothing names it yet, and the label with its kind.

    A record whose form has no title is called by the first record that the form refers to, such as
    a customer.
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
