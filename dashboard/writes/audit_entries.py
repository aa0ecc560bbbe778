"""Writes the audit entry of a finished write, from its ledger row alone.

An entry that could not be written is added later (add_missing): the row says that it is missing.
"""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from dashboard import progress, sealed
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from dashboard.gateway import ENDPOINTS
from dashboard.gateway.records import read_id
from dashboard.gateway.references import REFERENCES
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.sealed import readable
from dashboard.writes import reconciliation

ANSWER = 60  # characters


def add(write: Write) -> None:
    """Add the entry of a finished write, once; if the database fails, by the next request."""
    step, arguments = adding(write)
    progress.run(step, **arguments)


def adding(write: Write) -> progress.Work:
    """The step of `add`, to be carried out together with others."""
    return add_entry, {"pk": write.pk, "who": write.person.get_username()}


def add_entry(*, pk: int, who: str = "") -> None:
    """Add the entry of this write by `who` unless it has one, or is still under way."""
    row = ledger.without_history().filter(pk=pk).first()
    if row and ledger.mark_in_history(row):
        _write(row, who or row.person.get_username())


def add_missing() -> int:
    """Add the entries that could not be written in time, or whose process died; how many."""
    ledger.mark_lost()
    missing = list(ledger.without_history().select_related("person"))
    for write in missing:
        add(write)
    return len(missing)


def _write(row: Write, who: str) -> None:
    label, changes, about = _changes(row)
    at = row.done_at or timezone.now()
    entry = Entry(
        at=at,
        person_id=row.person_id,
        who=who,
        owner=row.owner,
        workspace=row.workspace,
        resource=row.resource,
        record_id=row.record_id,
        operation=row.operation,
        outcome=_outcome(row),
        answer=_answer(row)[:ANSWER],
        job=row.job,
        seconds=round((at - (row.sent_at or at)).total_seconds(), 3),
    )
    audit.write(entry, label=label, changes=changes, about=about)


def _outcome(row: Write) -> str:
    """The state; Saved for a write of unknown outcome that was found in the service."""
    return row.State.SAVED if row.resolution == row.Resolution.FOUND else row.state


def _changes(row: Write) -> tuple[str, dict[str, tuple[str, str]], set[audit.RecordRef]]:
    """The label, what the record held before and after in the fields that were typed, and the
    records that it refers or referred to.
    """
    try:
        content = ledger.content_of(row)
    except sealed.Unreadable:
        return "", {}, set()
    names = content.before if row.operation == "delete" else content.typed
    before, body = content.before, content.body
    changes = {
        name: (before.get(name, ""), reconciliation.as_text(body.get(name))) for name in names
    }
    held = [*before.items(), *body.items()]
    return content.label or _number(row), changes, _references(row.resource, held)


def _number(row: Write) -> str:
    """What the service calls the record that it created; "" where it did not say."""
    return str(readable(row, "answer").get("label") or "")


def _references(resource: str, held: Iterable[tuple[str, Any]]) -> set[audit.RecordRef]:
    own = next((each.id_field for each in ENDPOINTS if each.name == resource), "")
    return {
        (REFERENCES[name].name, number)
        for name, value in held
        if name in REFERENCES and name != own and (number := read_id(value))
    }


def _answer(row: Write) -> str:
    """What the service said of a write that was not saved, such as "Rejected 409"."""
    answer = readable(row, "answer")
    if not answer:
        return "no answer was stored"
    said = answer.get("reason") if row.state == row.State.NOT_SURE else answer.get("error", "")
    return f"{said or ''} {answer.get('status') or ''}".strip()
