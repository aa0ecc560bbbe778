"""What the ledger has stored of a write, as the answer or the error that it had."""

from collections.abc import Callable
from typing import Any, TypeVar

from dashboard import sealed
from dashboard.gateway import (
    Created,
    Done,
    GatewayError,
    OutcomeUnknown,
    Rejected,
    Unavailable,
    errors,
)
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write

Answer = TypeVar("Answer", Created, Done)
State = Write.State

STORED_ERRORS: dict[str, Callable[..., GatewayError]] = {
    kind.__name__: kind
    for kind in (
        errors.KeysRefused,
        errors.NotAllowed,
        errors.Missing,
        errors.Rejected,
        errors.Busy,
        errors.Unavailable,
        errors.Paused,
        errors.NotOffered,
    )
}
SEALED = "sent before; its answer cannot be opened any more"


class StillSending(OutcomeUnknown):
    """Another request is still sending this very form; its outcome is not known yet."""


class SentBefore(Rejected):
    """This form was sent before with other contents; `first` tells what became of that."""

    def __init__(self, first: Write) -> None:
        super().__init__("", sent=False)
        self.first = first


def first_answer(kind: type[Answer], first: Write, typed: dict[str, Any]) -> Answer:
    """What the same token got the first time, as an answer or as an error."""
    if first.digest != ledger.digest_of(typed):
        raise SentBefore(first)
    first = ledger.refreshed(first)
    if first.state == State.SENDING:
        raise StillSending(reason="another request is sending this form")
    if first.state == State.NOT_SURE:
        raise OutcomeUnknown(reason="sent before, without an answer")
    if first.state == State.NOT_SAVED:
        raise stored_error(first)
    if first.resolution == Write.Resolution.FOUND:
        return _found(kind, first)
    try:
        return kind(**first.answer)
    except sealed.Unreadable:
        raise OutcomeUnknown(reason=SEALED) from None


def _found(kind: type[Answer], first: Write) -> Answer:
    """The answer of a write whose own was lost, and which was found in the service."""
    facts: dict[str, Any] = {"message": ""}
    if kind is Created:
        facts |= {"id": first.record_id, "label": ledger.label_of(first)}
    return kind(**facts)


def stored_error(write: Write) -> GatewayError:
    """The failure of a write that was not saved, as it was raised the first time."""
    try:
        answer = write.answer
    except sealed.Unreadable:
        return OutcomeUnknown(reason=SEALED)
    return STORED_ERRORS.get(answer.pop("error"), Unavailable)(**answer)
