"""Tells which drafts are of no more use: saved again in another form, empty, or of a week ago."""

from collections.abc import Sequence
from datetime import datetime

from django.forms import CharField, ChoiceField
from django.utils import timezone

from dashboard.declare.resource import Resource
from dashboard.drafts.models import Draft
from dashboard.drafts.services import Typed
from dashboard.forms.pickers import PickerField
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages.sidebar import A_WEEK

MOST_WRITES = 100  # of one kind of record since a draft, whose names are compared
OLD, EMPTY, SAVED = "not opened for a week", "nothing typed", "saved since"


def why_settled(
    draft: Draft, typed: Typed, resource: Resource, name: str, facts: Sequence[str]
) -> str:
    """Why a draft needs nothing more, in words; "" for one that does. `name`: of its record.
    `facts`: what is said of it besides.
    """
    if is_old(draft.kept_at):
        return OLD
    is_new = not typed.data.get("snapshot")
    if is_new and not name and not facts and _is_empty(typed, resource):
        return EMPTY
    is_named = is_new and bool(name) and resource.title_field in resource.create_form.base_fields
    return SAVED if is_named and _is_saved(draft, resource, name) else ""


def is_old(at: datetime) -> bool:
    """Whether a draft was typed more than a week ago."""
    return at < timezone.now() - A_WEEK


def _is_empty(typed: Typed, resource: Resource) -> bool:
    """Whether a form has no text. Dates, choices and numbers begin with a value."""
    begun = {
        name
        for name, field in resource.create_form.base_fields.items()
        if isinstance(field, ChoiceField) or not isinstance(field, (CharField, PickerField))
    }
    return not any(
        text.strip()
        for name, texts in typed.data.lists()
        for text in texts
        if name.partition("-")[0] not in begun
    )


def _is_saved(draft: Draft, resource: Resource, name: str) -> bool:
    """Whether the person has created a record of this name since."""
    of_person = Write.objects.filter(person=draft.person_id, workspace=draft.workspace)
    created = of_person.filter(
        resource=resource.name,
        operation="create",
        state=Write.State.SAVED,
        asked_at__gt=draft.kept_at,
    )
    names = (ledger.label_of(write).casefold() for write in created[:MOST_WRITES])
    return name.casefold() in names
