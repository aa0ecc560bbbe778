"""Slices of jobs that write one record for each row, several side by side.

Each row is a row of the ledger before anything is sent with it, so that it ends with one of the
three answers of a write, or skipped. One that a dead worker has left as Sending waits again if
nothing was sent with it, else it is not sure: nothing is sent twice. What is not sure is looked for
in the service once, when no late effect can be expected any more (row_results.verify), and is sent
again only on its own page, if its person says so.

After a slice in which nothing went through, the next one reads from the service first, then sends
one row alone, so that a service that fails for an hour leaves few rows not sure.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from threading import Event
from typing import Any

from django.db import Error, connection, transaction

from dashboard.gateway import Busy, GatewayError, KeysRefused, OutcomeUnknown
from dashboard.jobs import leases, row_results, slices
from dashboard.jobs.kinds import RetryLater, Slice, kind_of
from dashboard.jobs.models import MAX_CONCURRENT_CALLS, Job
from dashboard.schema.registry import RESOURCES
from dashboard.writes import for_person
from dashboard.writes.ledger import InFlight
from dashboard.writes.models import Write
from dashboard.writes.outcomes import TokenReused

logger = logging.getLogger(__name__)

State = Write.State
MAX_THREADS = MAX_CONCURRENT_CALLS
MAX_ROWS = 200  # of one slice, which its time ends earlier: at the end of each some threads wait
MAX_VERIFIED = 64  # rows of unknown outcome in one slice
RETRY_DELAY = 5.0  # seconds
ANSWERED = (State.SAVED, State.NOT_SAVED)


@dataclass(frozen=True)
class SentRow:
    """Result of a row. `before`, `after`: old and new values of sent fields. `words`: a note."""

    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    words: str = ""


class Skipped(Exception):  # noqa: N818 (what it is, without Error)
    """The row is not sent; `words` is the reason, `record_id` the record in its way."""

    def __init__(self, words: str, record_id: int | None = None) -> None:
        super().__init__()
        self.words = words
        self.record_id = record_id


Send = Callable[[Slice, Mapping[str, Any], str], SentRow]


@dataclass
class _Attempt:
    """Result of a row in its thread. `state`: "" if there was no time for it, or only the ledger
    knows. `error`: one that no row caused, or that left it not sure. `words`: why it was not sent.
    `record_id`: the record in its way.
    """

    row: Write
    state: str = ""
    error: GatewayError | None = None
    words: str = ""
    record_id: int | None = None
    written: SentRow = SentRow()


def send_rows(job_slice: Slice, *, send: Send, at_once: int = MAX_THREADS) -> bool:
    """Send the next rows, at most `at_once` concurrently. Return True once all are done.

    `send` is called with the slice, the content of a row and its token, in several threads. It
    writes with that token, and raises GatewayError or Skipped. Raises the exceptions of
    `JobKind.run`.
    """
    row_results.requeue(job_slice.job)
    if job_slice.job.failures:
        _ask_service(job_slice)
    rows = _begin(job_slice)
    if not rows:
        return _is_over(job_slice)
    halt = Event()
    calls = [partial(_send_row, job_slice, send, row, halt) for row in rows]
    sent = _first_alone(calls, halt) if job_slice.job.failures else []
    sent += _side_by_side(calls[len(sent) :], min(job_slice.job.at_once, at_once, MAX_THREADS))
    _store(job_slice, sent)
    _end_slice(job_slice.job, sent)
    return False


def _ask_service(job_slice: Slice) -> None:
    """Read from a service that has failed, before a write is risked. Raises GatewayError if it
    still fails; a rejected read is an answer.
    """
    try:
        resource = RESOURCES[job_slice.job.resource]
        job_slice.ctx.gateway.list(resource.endpoint, page_size=1)
    except (*slices.WAITS, KeysRefused):
        raise
    except GatewayError as refusal:
        logger.info("%s continues, the API answers: %s", job_slice.job, type(refusal).__name__)


def _first_alone(calls: Sequence[Callable[[], _Attempt]], halt: Event) -> list[_Attempt]:
    """Make the calls one by one until a write gets an answer, and none after one that fails."""
    sent: list[_Attempt] = []
    for call in calls:
        sent.append(call())
        if sent[-1].error:
            halt.set()
        if sent[-1].state in ANSWERED or halt.is_set():
            break
    return sent


def _begin(job_slice: Slice) -> list[Write]:
    """Mark the next rows as SENDING and return them. Raises leases.LeaseLost."""
    with transaction.atomic():
        leases.renew(job_slice.job)
        waiting = job_slice.job.rows.filter(state=State.WAITING).order_by("attempt", "number")
        rows = list(waiting.select_related("person")[:MAX_ROWS])
        taken = Write.objects.filter(pk__in=[row.pk for row in rows], state=State.WAITING)
        # One that a dead worker had reserved locks its record no more. The keys may be other ones.
        taken.update(
            state=State.SENDING, owner=job_slice.job.owner, record_id=None, reserved_until=None
        )
    return rows


def _store(job_slice: Slice, sent: Sequence[_Attempt]) -> None:
    """Store the results of the rows. Raises leases.LeaseLost; the next slice settles them then."""
    with transaction.atomic():
        leases.renew(job_slice.job)
        now = job_slice.job.rows.select_related("person").in_bulk([each.row.pk for each in sent])
        for each in sent:
            if row := now.get(each.row.pk):
                _store_one(row, each)
        row_results.requeue(job_slice.job)


def _store_one(row: Write, sent: _Attempt) -> None:
    is_unsent = row.sent_at is None
    if sent.state == State.SKIPPED or (is_unsent and sent.state == State.NOT_SAVED):
        row_results.finish_unsent(row, sent.state, sent.words, sent.record_id)
    elif is_unsent and sent.error:
        Write.objects.filter(pk=row.pk).update(attempt=row.attempt + 1)
    elif noted := {name: value for name, value in vars(sent.written).items() if value}:
        row_results.update_row(row, **noted)
        row.save(update_fields=["job_row"])


def _send_row(job_slice: Slice, send: Send, row: Write, halt: Event) -> _Attempt:
    """Send a row unless the slice is over, and return the result."""
    if halt.is_set() or time.monotonic() > job_slice.deadline:
        return _Attempt(row)
    try:
        for_person.check_allowed(job_slice.ctx, kind_of(job_slice.job).permission)
        written = send(job_slice, row.job_row["sends"], row.token)
    except Skipped as skipped:
        return _Attempt(row, State.SKIPPED, words=skipped.words, record_id=skipped.record_id)
    except GatewayError as error:
        return _after_error(job_slice, row, error, halt)
    except Error:  # the database failed; the next slice asks the ledger
        logger.exception("%s is resolved later", row)
        halt.set()
    except Exception:
        logger.exception("%s was not sent", row)
        return _Attempt(row, State.NOT_SAVED, words=f"Not sent: {slices.INTERNAL_ERROR}")
    else:
        return _Attempt(row, State.SAVED, written=written)
    return _Attempt(row)


def _after_error(job_slice: Slice, row: Write, error: GatewayError, halt: Event) -> _Attempt:
    if isinstance(error, InFlight | TokenReused):
        return _Attempt(row)  # the next slice settles it
    if isinstance(error, OutcomeUnknown):
        return _Attempt(row, State.NOT_SURE, error)
    if isinstance(error, (*slices.WAITS, *slices.ASKS)):
        halt.set()
        return _Attempt(row, error=error)
    return _Attempt(row, State.NOT_SAVED, words=row_results.why(error, job_slice.job))


def _end_slice(job: Job, sent: Sequence[_Attempt]) -> None:
    """Adapt the number of calls at once, and raise what delays or pauses the job.

    A rejection for being too many halves it; a slice without one, in which the service has answered
    a write, adds one. A slice with errors and without an answer has failed.
    """
    errors = [each.error for each in sent if each.error]
    asks = [error for error in errors if isinstance(error, slices.ASKS)]
    busy = [error for error in errors if isinstance(error, Busy)]
    answered = any(each.state in ANSWERED for each in sent)
    at_once = (
        max(1, job.at_once // 2) if busy else min(MAX_CONCURRENT_CALLS, job.at_once + answered)
    )
    Job.objects.filter(pk=job.pk).update(at_once=at_once)
    if asks or (errors and not answered):
        raise (asks or busy or errors)[0]
    if busy:
        raise RetryLater(slices.delay_of(busy[0]))


def _side_by_side(calls: Sequence[Callable[[], _Attempt]], at_once: int) -> list[_Attempt]:
    if at_once == 1:
        return [call() for call in calls]
    waiting = iter(calls)
    with ThreadPoolExecutor(at_once, thread_name_prefix="job") as pool:
        parts = pool.map(_make_calls, [waiting] * at_once)
        return [attempt for part in parts for attempt in part]


def _make_calls(waiting: Iterator[Callable[[], _Attempt]]) -> list[_Attempt]:
    """Make the next calls of those that all threads share, and close this thread's database
    connection, which is as costly to open as a row.
    """
    try:
        return [call() for call in waiting]
    finally:
        connection.close()


def _is_over(job_slice: Slice) -> bool:
    """Return True if every row is done, after a check of those not sure. Raises RetryLater, or
    GatewayError if the service cannot be asked.
    """
    if job_slice.job.rows.filter(state=State.SENDING).exists():
        raise RetryLater(RETRY_DELAY)
    unclear = row_results.unresolved_rows(job_slice.job).filter(reviewed=False)
    rows = list(unclear.select_related("person")[:MAX_VERIFIED])
    if not rows:
        return True
    problems, looked_for = list[GatewayError](), []
    for row in takewhile(lambda row: time.monotonic() < job_slice.deadline, rows):
        try:
            looked_for += [row] if row_results.verify(job_slice, row) else []
        except GatewayError as problem:
            problems.append(problem)
    with transaction.atomic():
        leases.renew(job_slice.job)
        for row in looked_for:
            row_results.store_verification(row)
        row_results.store_counts(job_slice.job)
    if not looked_for:
        raise problems[0] if problems else RetryLater(RETRY_DELAY)
    return False
