"""Tells which drafts are of no more use: saved again in another form, empty, or of a week ago."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection
from django.forms import CharField, ChoiceField
from django.utils import timezone

from dashboard.declare.resource import Resource
from dashboard.drafts.models import Draft
from dashboard.drafts.services import Typed
from dashboard.forms.pickers import PickerField
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages.sidebar import A_WEEK

MOST_WRITES = 100  # the latest of one kind of record, whose names are compared
CREATED = """
SELECT id, token, person_id, workspace, content, asked_at FROM ledger_write
WHERE person_id = %(person)s AND workspace = %(workspace)s AND resource = %(resource)s
    AND operation = 'create' AND state = %(saved)s AND asked_at > %(since)s
ORDER BY asked_at DESC LIMIT %(most)s
"""
OLD, EMPTY, SAVED = "not opened for a week", "nothing typed", "saved since"


class CreatedSince:
    """The names of the records that a person has created since the oldest of some drafts of theirs.
    They are read once for each kind of record, where a draft of it has a name.
    """

    def __init__(self, stored: Sequence[Draft]) -> None:
        week_ago = timezone.now() - A_WEEK
        self._since = max(min((draft.kept_at for draft in stored), default=week_ago), week_ago)
        self._named: dict[tuple[str, str], list[tuple[datetime, str]]] = {}

    def holds(self, draft: Draft, resource: Resource, name: str) -> bool:
        """Whether one of this name was created since this draft."""
        kind = (draft.workspace, resource.name)
        if kind not in self._named:
            self._named[kind] = self._read(draft, resource)
        wanted = name.casefold()
        return any(at > draft.kept_at and label == wanted for at, label in self._named[kind])

    def _read(self, draft: Draft, resource: Resource) -> list[tuple[datetime, str]]:
        of_draft = {"person": draft.person_id, "workspace": draft.workspace}
        since = connection.ops.adapt_datetimefield_value(self._since)
        latest = {"saved": Write.State.SAVED, "since": since, "most": MOST_WRITES}
        created = Write.objects.raw(CREATED, {**of_draft, "resource": resource.name, **latest})
        return [(write.asked_at, ledger.label_of(write).casefold()) for write in created]


def why_settled(
    draft: Draft,
    typed: Typed,
    resource: Resource,
    name: str,
    facts: Sequence[str],
    created: CreatedSince,
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
    return SAVED if is_named and created.holds(draft, resource, name) else ""


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
