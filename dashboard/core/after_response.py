"""Writes of the current request, and database work after the service's answer.

Once the service has confirmed a write, a failing database must not turn the answer into an error
page: the page is built from memory. A write whose outcome could not be stored stays in Sending and
becomes Not sure until it is reconciled. Notes of a page, such as a record that was opened, wait
until the response was sent (`run_after_response`).
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import (
    Error,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
    transaction,
)
from django.http import HttpResponse

logger = logging.getLogger(__name__)


@dataclass
class WriteStatus:
    """One write of the request. `state`: as in the ledger, "not saved" until something is sent."""

    token: str
    resource: str
    operation: str
    record_id: int | None
    label: str
    state: str = "not saved"


@dataclass
class RequestWrites:
    """The writes of one request, oldest first. database_down: the database failed after an answer.
    after_response: database work for `run_on_close`.
    """

    writes: list[WriteStatus] = field(default_factory=list)
    database_down: bool = False
    after_response: list[Callable[[], object]] = field(default_factory=list)


_current: ContextVar[RequestWrites | None] = ContextVar("request_writes", default=None)


@contextmanager
def of_request() -> Iterator[RequestWrites]:
    began = RequestWrites()
    reset = _current.set(began)
    try:
        yield began
    finally:
        _current.reset(reset)


def current() -> RequestWrites:
    return _current.get() or RequestWrites()


def last_write() -> WriteStatus | None:
    """Return the last write of the request; a deletion beside other writes is only a clean-up."""
    writes = current().writes
    main = [one for one in writes if one.operation != "delete"] or writes
    return main[-1] if main else None


def is_saved() -> bool:
    last = last_write()
    return last is not None and last.state == "saved"


def run_best_effort(work: Callable[..., object], **arguments: Any) -> None:
    """Run database work after an answer of the service, as a transaction. Failures are only logged.

    After a failure the following work of the request is not tried: each might wait for the
    database.
    """
    request = current()
    if request.database_down:
        return
    try:
        _carry_out(work, arguments)
    except Error:
        request.database_down = True
        logger.exception("%s after a write failed", work.__name__)


def run_after_response(work: Callable[..., object], **arguments: Any) -> None:
    """Run database work after the response, or at once outside of a request."""
    if request := _current.get():
        request.after_response.append(partial(work, **arguments))
    else:
        run_best_effort(work, **arguments)


def run_on_close(response: HttpResponse, deferred: Sequence[Callable[[], object]]) -> None:
    """Run deferred work as the server closes the response, after all of it was sent (PEP 3333).
    Failures are only logged.
    """
    close = response.close

    def work_and_close() -> None:
        try:
            for work in deferred:
                work()
        except Error:
            logger.exception("Work after a response failed.")
        finally:
            close()

    response.close = work_and_close  # type: ignore[method-assign]


def _carry_out(work: Callable[..., object], arguments: dict[str, Any]) -> None:
    """Run the work, and again on a new connection if the database has closed this one."""
    was_open = connection.connection is not None
    try:
        with transaction.atomic():
            work(**arguments)
    except (OperationalError, InterfaceError):
        close_old_connections()
        if not was_open or connection.connection is not None:
            raise
        with transaction.atomic():
            work(**arguments)
