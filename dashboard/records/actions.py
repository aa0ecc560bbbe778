"""The only writer: every create, update and delete of a business record passes through here.

A write has three answers (design.md, "The rules of a write"): these functions return when it is
Saved, raise `OutcomeUnknown` when nobody can tell, and any other `GatewayError` when it is
certainly Not saved. The write is in the outbox before its first byte leaves; the same token again
gets the first answer again, and nothing is ever sent twice.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings

from dashboard import cipher
from dashboard.gateway import (
    Created,
    Done,
    Gateway,
    GatewayError,
    OutcomeUnknown,
    Rejected,
    Unavailable,
    errors,
)
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission

from . import lookups
from .desk import Desk
from .resource import Resource

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer", Created, Done)
State = Submission.State


class NotRecorded(Unavailable):
    """The dashboard could not note down the write, so it sent nothing."""


class SentBefore(Rejected):
    """This form was sent before with something else in it; `first` tells what became of that."""

    def __init__(self, first: Submission) -> None:
        super().__init__("", sent=False)
        self.first = first


def create(*, desk: Desk, resource: Resource, body: dict[str, Any], token: str) -> Created:
    """Create a record; the answer carries its id where the service told one."""
    label = str(body.get(resource.title_field) or "")
    return _send(
        Created,
        lambda: desk.gateway.create(resource.endpoint, body),
        _note(desk, resource, "create", None, label, body, token),
    )


def update(
    *,
    desk: Desk,
    resource: Resource,
    record_id: int,
    body: dict[str, Any],
    token: str,
    label: str = "",
) -> Done:
    """Change a record; `body` holds what changes. `label` is what people call the record."""
    lookups.forget(desk.gateway, resource.endpoint, record_id)
    return _send(
        Done,
        lambda: desk.gateway.update(resource.endpoint, record_id, body),
        _note(desk, resource, "update", record_id, label, body, token),
    )


def delete(*, desk: Desk, resource: Resource, record_id: int, token: str, label: str = "") -> Done:
    """Delete a record for good."""
    lookups.forget(desk.gateway, resource.endpoint, record_id)
    return _send(
        Done,
        lambda: desk.gateway.delete(resource.endpoint, record_id),
        _note(desk, resource, "delete", record_id, label, {}, token),
    )


def owner_of(gateway: Gateway) -> str:
    """Marks the key pair that a write was sent with, without telling the keys."""
    return gateway.fingerprint(settings.SECRET_KEY.encode())


def _note(
    desk: Desk,
    resource: Resource,
    operation: str,
    record_id: int | None,
    label: str,
    body: dict[str, Any],
    token: str,
) -> dict[str, Any]:
    """What the outbox is to keep of this write."""
    return {
        "person": desk.person,
        "owner": owner_of(desk.gateway),
        "resource": resource.name,
        "operation": operation,
        "record_id": record_id,
        "label": label,
        "body": body,
        "token": token,
    }


def _send(kind: type[Answer], call: Callable[[], Answer], note: dict[str, Any]) -> Answer:
    if not note["token"]:
        raise Rejected("This form carried no token, so it was not sent. Save again.", sent=False)
    try:
        submission = outbox.begin(**note)
    except outbox.UsedToken as used:
        return _first_answer(kind, used.first, note["body"])
    except outbox.NotRecorded:
        logger.exception("the outbox refused a row; nothing was sent")
        raise NotRecorded(reason="not recorded") from None
    try:
        answer = call()
    except OutcomeUnknown as error:
        outbox.finish(submission, State.NOT_SURE, reason=error.reason)
        raise
    except GatewayError as error:
        outbox.finish(submission, State.NOT_SAVED, error=type(error).__name__, **vars(error))
        raise
    outbox.finish(submission, State.SAVED, **vars(answer))
    logger.info("%s", submission)
    return answer


def _first_answer(kind: type[Answer], first: Submission, body: dict[str, Any]) -> Answer:
    """What the same token got the first time, as an answer or as an error."""
    first = outbox.outcome_of(first)
    if first.digest != outbox.digest_of(body):
        raise SentBefore(first)
    if first.state == State.NOT_SURE:
        raise OutcomeUnknown(reason="sent before, without an answer")
    try:
        answer = outbox.answer_of(first)
    except cipher.Unreadable:
        raise OutcomeUnknown(reason="sent before; its answer cannot be opened any more") from None
    if first.state == State.SAVED:
        return kind(**answer)
    raise getattr(errors, answer.pop("error"))(**answer)
