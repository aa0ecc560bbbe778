"""Outcomes of writes: message and URL, or the first answer or error.

Used on the page of a write, in messages, on Unfinished, in jobs and in the history.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from django.contrib import messages

from dashboard.core import sealed
from dashboard.core.service_name import SERVICE
from dashboard.core.templates import address, page_url
from dashboard.gateway import (
    Created,
    Done,
    GatewayError,
    Missing,
    OutcomeUnknown,
    Rejected,
    Unavailable,
    errors,
)
from dashboard.reader.failures import describe, in_words
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes import history, ledger, retries
from dashboard.writes.models import Write
from dashboard.writes.reconciliation import Verification

Answer = TypeVar("Answer", Created, Done)
State, Resolution = Write.State, Write.Resolution

DONE = {
    "create": "created",
    "update": "changed",
    "delete": "deleted",
    "save": "saved",  # created or changed
    "undo": "undone",
    history.EXPORT: "exported",
    history.REMINDER: "reminder opened",
}
BEFORE_DONE = {State.NOT_SAVED: "not ", State.NOT_SURE: "perhaps "}
STORED_DRAFT = "What you typed is kept under Unfinished."
SEALED = "sent before; its answer cannot be opened any more"


class Outcome(NamedTuple):
    """A message about a write, the URL to go on from, and the message level."""

    message: str
    url: str
    level: int = messages.SUCCESS


def label(operation: str, state: str) -> str:
    """Return the operation and its outcome: "created", "not created", "perhaps created"."""
    return f"{BEFORE_DONE.get(State(state), '')}{DONE[operation]}"


def reason(error_summary: str) -> str:
    """Return why a write was not saved, given `Write.error_summary`, such as "Rejected 409"."""
    kind, _, status = error_summary.partition(" ")
    error = _error_class(kind)
    if error is None:
        return error_summary
    # Without a status our own check has rejected it.
    title = describe(Rejected(sent=False) if error_summary == "Rejected" else error()).title
    return f"{title} ({status})" if status else title


def saved(name: str, operation: str, record_id: int | None, title: str = "") -> Outcome:
    """Return the outcome of a saved write of the resource `name`; `title`: its record's, or ""."""
    resource = RESOURCES[name]
    subject = f"{resource.singular.capitalize()} {title or record_id or ''}".strip()
    url = resource.url(None if operation == "delete" else record_id)
    return Outcome(f"{subject} was {DONE[operation]}.", url)


def outcome_of(write: Write) -> Outcome:
    """Return the outcome of a write that is not in flight."""
    again = retries.sent_again(write) if write.resolution == Resolution.SENT_AGAIN else None
    if again:
        return outcome_of(again)
    if write.state == State.NOT_SAVED:
        return _not_saved(write)
    if write.state == State.NOT_SURE and write.resolution == Resolution.OPEN:
        return Outcome(question(write), page_url("unsure:show", write.pk), messages.WARNING)
    if write.state == State.NOT_SURE:
        return Outcome("Closed.", address(write.resource, write.record_id), messages.INFO)
    return saved(write.resource, write.operation, write.record_id, ledger.label_of(write))


def gone(resource: Resource) -> Outcome:
    """Return the outcome of a deletion whose record no longer existed."""
    return Outcome(f"This {resource.singular} was already gone.", resource.url(), messages.INFO)


def _not_saved(write: Write) -> Outcome:
    resource = RESOURCES[write.resource]
    error, is_deletion = stored_error(write), write.operation == "delete"
    if is_deletion and isinstance(error, Missing):
        return gone(resource)
    reason = in_words(error, resource.fields)
    rest = "" if is_deletion else f" {STORED_DRAFT}"
    words = f"Not {DONE[write.operation]}. {reason}{rest}"
    return Outcome(words, page_url("unfinished:list"), messages.ERROR)


def question(write: Write) -> str:
    """Return the question about a write of unknown outcome: "Was contact Zebra created?"."""
    name = ledger.label_of(write) or write.record_id
    noun = RESOURCES[write.resource].singular
    return f"Was {f'{noun} {name}' if name else f'this {noun}'} {DONE[write.operation]}?"


def found_in_words(write: Write, check: Verification) -> str:
    """Return the result of a check of an unresolved write, in words."""
    if check.problem:
        return f"{SERVICE} didn't answer"
    if check.gone:
        return "the record no longer exists"
    if check.sealed:
        return "it can't be compared"
    count = len(check.candidates)
    if write.operation == "create":
        words = f"{count} possible {'match' if count == 1 else 'matches'}" if count else "no match"
        return words if check.complete else f"{words} in the records checked"
    if not count:
        return "not clear"
    return "the record still exists" if write.operation == "delete" else "the change is missing"


def url_for_form(token: str) -> str:
    """Return the URL of a form's outcome, given the token of the form or of one of its writes."""
    return page_url("unsure:form", token.partition(":")[0])


def url_for_token(token: str) -> str:
    """Return the URL of the write if it is not sure, else of its form."""
    write = Write.objects.filter(token=token, state=State.NOT_SURE).first()
    return page_url("unsure:show", write.pk) if write else url_for_form(token)


class TokenReused(Rejected):
    """This form was sent before with different contents, as the write `first`."""

    title = "An earlier version of this form has already been saved"
    text = "Your latest changes aren't saved. Press Save again."
    page_status = HTTPStatus.CONFLICT

    def __init__(self, first: Write) -> None:
        super().__init__("", sent=False)
        self.first = first


def first_answer(kind: type[Answer], first: Write, typed: dict[str, Any]) -> Answer:
    """Return or raise the outcome of the first write with the same token."""
    if first.digest != ledger.digest_of(typed):
        raise TokenReused(first)
    first = ledger.refreshed(first)
    if first.state == State.SENDING:
        raise ledger.InFlight(reason="another request is sending this form")
    if first.state == State.NOT_SURE:
        raise OutcomeUnknown(reason="sent before, without an answer")
    if first.state == State.NOT_SAVED:
        raise stored_error(first)
    if first.resolution == Resolution.FOUND:  # its own answer is lost
        facts: dict[str, Any] = {"id": first.record_id, "label": ledger.label_of(first)}
        return kind(**(facts if kind is Created else {}))
    try:
        return kind(**first.answer)
    except sealed.DecryptionError:
        raise OutcomeUnknown(reason=SEALED) from None


def stored_error(write: Write) -> GatewayError:
    """Return the original exception of a write that was not saved."""
    try:
        answer = write.answer
    except sealed.DecryptionError:
        return OutcomeUnknown(reason=SEALED)
    return (_error_class(answer.pop("error", "")) or Unavailable)(**answer)


def _error_class(name: str) -> Callable[..., GatewayError] | None:
    found = getattr(errors, name, None)
    return found if isinstance(found, type) and issubclass(found, GatewayError) else None
