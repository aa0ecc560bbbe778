"""What the request at hand has sent to the service, and the database work that follows it.

Once the service has said yes, a failing database must not turn the answer into an error page.
Work that follows a write is therefore a step: a function that is called with plain values, may be
called twice, and is listed in `middleware.STEPS`. A step that fails is noted in a signed cookie,
and the person's next request carries it out. `middleware.ProgressMiddleware` begins and ends this.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.core import signing
from django.db import (
    Error,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
    transaction,
)

SALT = "progress.steps"
LONGEST = 3_500  # characters of the cookie; browsers keep 4,096 bytes with its name and attributes

Step = Callable[..., object]
Call = tuple[str, dict[str, Any]]
Work = tuple[Step, dict[str, Any]]

logger = logging.getLogger(__name__)


@dataclass
class Sent:
    """One write of the request. `state`: as in the ledger, "not saved" until something is sent.

    is_repeated: the same form had sent the same before, and got the same answer again.
    """

    token: str
    resource: str
    operation: str
    record_id: int | None
    label: str
    state: str = "not saved"
    is_repeated: bool = False


@dataclass
class Progress:
    """The writes of one request, oldest first, and the steps that failed."""

    sent: list[Sent] = field(default_factory=list)
    missed: list[Call] = field(default_factory=list)


_current: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def of_request() -> Iterator[Progress]:
    """Begin the progress of one request."""
    began = Progress()
    reset = _current.set(began)
    try:
        yield began
    finally:
        _current.reset(reset)


def current() -> Progress:
    """The progress of the request at hand; an empty one outside of requests."""
    return _current.get() or Progress()


def is_saved(token: str) -> bool:
    """Whether the write with this token was saved by the request at hand."""
    return any(one.token == token and one.state == "saved" for one in current().sent)


def is_repeated(token: str) -> bool:
    """Whether the write with this token was sent before the request at hand, with the same body."""
    return any(one.token == token and one.is_repeated for one in current().sent)


def run(step: Step, **arguments: Any) -> None:
    """Carry out a step, or leave it to the person's next request. Raises no database error.

    Once a step has failed, the following ones are not tried: each might wait for the database.
    """
    missed = current().missed
    if missed or not _is_done(step, arguments):
        missed.append((name_of(step), arguments))


def run_together(*works: Work) -> None:
    """Carry out steps in one transaction, which SQLite commits in a fraction of the time of
    several; if the database refuses that, each on its own as `run` does.
    """
    if not current().missed:
        try:
            with transaction.atomic():
                for step, arguments in works:
                    step(**arguments)
        except Error:
            logger.warning("the work after a write is done in steps", exc_info=True)
        else:
            return
    for step, arguments in works:
        run(step, **arguments)


def _is_done(step: Step, arguments: Mapping[str, Any]) -> bool:
    """Whether the step succeeded, on a new connection if the database has closed this one."""
    was_open = connection.connection is not None
    try:
        try:
            _carry_out(step, arguments)
        except (OperationalError, InterfaceError):
            close_old_connections()
            if not was_open or connection.connection is not None:
                raise
            _carry_out(step, arguments)
    except Error:
        logger.exception("%s after a write is left to the next request", name_of(step))
        return False
    return True


def _carry_out(step: Step, arguments: Mapping[str, Any]) -> None:
    with transaction.atomic():
        step(**arguments)


def name_of(step: Step) -> str:
    """The name by which a cookie refers to a step: its module, without rooms, and its function."""
    return f"{step.__module__.rpartition('.')[2]}.{step.__name__}"


def sealed(missed: Iterable[Call]) -> str:
    """The signed text for the cookie, "" for nothing. Steps beyond LONGEST are dropped."""
    kept = list(missed)
    while kept:
        text = signing.dumps(kept, salt=SALT, compress=True)
        if len(text) <= LONGEST:
            return text
        logger.error("%s is given up: the cookie is full", kept.pop()[0])
    return ""


def settle(text: str, steps: Iterable[Step]) -> list[Call]:
    """Carry out the steps in a cookie; returns those that the database still refuses."""
    known = {name_of(step): step for step in steps}
    try:
        calls: list[Call] = [
            (".".join(name.split(".")[-2:]), arguments)  # rooms were named, and may move
            for name, arguments in signing.loads(text, salt=SALT)
        ]
    except signing.BadSignature:
        return []
    for place, (name, arguments) in enumerate(calls):
        try:
            if name in known:
                _carry_out(known[name], arguments)
        except (OperationalError, InterfaceError):
            return calls[place:]
        except Error:
            logger.exception("%s after a write is given up", name)
    return []
