"""Turns of jobs that write one record for each row, several side by side.

Each row is a row of the ledger before anything is sent with it, so that it ends with one of the
three answers of a write, or skipped. One that a dead worker has left as Sending waits again if
nothing was sent with it, else it is not sure: nothing is sent twice. What is not sure is looked for
in the service once, when no late effect can be expected any more (row_results.look), and is sent
again only on its own page, if its person says so.

After a turn in which nothing went through, the next one reads from the service first and then sends
one row alone, so that a service that fails for an hour leaves few rows not sure.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from threading import Event
from typing import Any

from django.db import Error, connection, transaction

from dashboard.gateway import Busy, GatewayError, KeysRefused, OutcomeUnknown
from dashboard.jobs import leases, row_results, turns
from dashboard.jobs.kinds import NotYet, Turn, kind_of
from dashboard.jobs.models import MOST_AT_ONCE, Job
from dashboard.schema.registry import RESOURCES
from dashboard.writes import for_person
from dashboard.writes.models import Write
from dashboard.writes.outcomes import SentBefore, StillSending

logger = logging.getLogger(__name__)

State = Write.State
AT_ONCE = MOST_AT_ONCE  # threads
ROWS = 200  # of one turn, which its time ends earlier: at the end of each some threads wait
LOOKED_AT = 64  # rows of unknown outcome in one turn
SHORT_WAIT = 5.0  # seconds
ANSWERED = (State.SAVED, State.NOT_SAVED)
FAULT = "Not sent: Entry Desk had an error. An administrator finds the details in the worker's log."


@dataclass(frozen=True)
class Written:
    """What a row has written. `before`, `after`: what the record held in the fields that were
    sent, and what was sent. `words`: what is to be said about it.
    """

    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    words: str = ""


class Skipped(Exception):  # noqa: N818 (what it is, without Error)
    """The row is not to be sent; `words` says why, `record_id` which record stands in its way."""

    def __init__(self, words: str, record_id: int | None = None) -> None:
        super().__init__()
        self.words = words
        self.record_id = record_id


Send = Callable[[Turn, Mapping[str, Any], str], Written]


@dataclass
class _Sent:
    """A row after it was sent, as far as its thread knows. `state`: "" where there was no time for
    it, or where only the ledger can tell. `error`: one that is no fault of the row, or that left it
    not sure. `words`: why it was not sent. `record_id`: which record stands in its way.
    """

    row: Write
    state: str = ""
    error: GatewayError | None = None
    words: str = ""
    record_id: int | None = None
    written: Written = Written()


def take_rows(turn: Turn, *, send: Send, at_once: int = AT_ONCE) -> bool:
    """Send the next rows of a job, at most `at_once` side by side; whether all are done.

    `send` is called with the turn, the content of a row and its token, in several threads. It
    writes with that token, and raises GatewayError or Skipped. Raises what `JobKind.turn` may.
    """
    row_results.requeue(turn.job)
    if turn.job.failures:
        _ask_service(turn)
    rows = _begin(turn)
    if not rows:
        return _is_over(turn)
    halt = Event()
    calls = [partial(_send_row, turn, send, row, halt) for row in rows]
    sent = _first_alone(calls, halt) if turn.job.failures else []
    sent += _side_by_side(calls[len(sent) :], min(turn.job.at_once, at_once, AT_ONCE))
    _store(turn, sent)
    _end_turn(turn.job, sent)
    return False


def _ask_service(turn: Turn) -> None:
    """Read from a service that has failed, before a write is risked. Raises GatewayError if it
    still does; a refusal of this read is an answer.
    """
    try:
        resource = RESOURCES[turn.job.resource]
        turn.ctx.gateway.list(resource.endpoint, page_size=1)
    except (*turns.WAITS, KeysRefused):
        raise
    except GatewayError as refusal:
        logger.info("%s goes on, the API answers: %s", turn.job, type(refusal).__name__)


def _first_alone(calls: Sequence[Callable[[], _Sent]], halt: Event) -> list[_Sent]:
    """Make the calls one by one until a write gets an answer, and none after one that fails."""
    sent: list[_Sent] = []
    for call in calls:
        sent.append(call())
        if sent[-1].error:
            halt.set()
        if sent[-1].state in ANSWERED or halt.is_set():
            break
    return sent


def _begin(turn: Turn) -> list[Write]:
    """The next rows, marked as Sending. Raises leases.LeaseLost."""
    with transaction.atomic():
        leases.renew(turn.job)
        waiting = turn.job.rows.filter(state=State.WAITING).order_by("attempt", "number")
        rows = list(waiting.select_related("person")[:ROWS])
        taken = Write.objects.filter(pk__in=[row.pk for row in rows], state=State.WAITING)
        taken.update(state=State.SENDING)
    return rows


def _store(turn: Turn, sent: Sequence[_Sent]) -> None:
    """Store what became of the rows, beside what their writes have stored. Raises leases.LeaseLost;
    the next turn settles them then.
    """
    with transaction.atomic():
        leases.renew(turn.job)
        now = turn.job.rows.select_related("person").in_bulk([each.row.pk for each in sent])
        for each in sent:
            if row := now.get(each.row.pk):
                _store_one(row, each)
        row_results.requeue(turn.job)


def _store_one(row: Write, sent: _Sent) -> None:
    """Store what became of a row, which is read again."""
    is_unsent = row.sent_at is None
    if sent.state == State.SKIPPED or (is_unsent and sent.state == State.NOT_SAVED):
        row_results.finish_unsent(row, sent.state, sent.words, sent.record_id)
    elif is_unsent and sent.error:
        Write.objects.filter(pk=row.pk).update(attempt=row.attempt + 1)
    elif noted := {name: value for name, value in vars(sent.written).items() if value}:
        row_results.note(row, **noted)
        row.save(update_fields=["job_row"])


def _send_row(turn: Turn, send: Send, row: Write, halt: Event) -> _Sent:
    """Send one row unless the turn is over; what became of it."""
    if halt.is_set() or time.monotonic() > turn.ends:
        return _Sent(row)
    try:
        for_person.check_allowed(turn.ctx, kind_of(turn.job).permission)
        written = send(turn, row.job_row["sends"], row.token)
    except Skipped as skipped:
        return _Sent(row, State.SKIPPED, words=skipped.words, record_id=skipped.record_id)
    except GatewayError as error:
        return _after_error(turn, row, error, halt)
    except Error:  # the database failed; the next turn asks the ledger
        logger.exception("%s is settled later", row)
        halt.set()
    except Exception:
        logger.exception("%s was not sent", row)
        return _Sent(row, State.NOT_SAVED, words=FAULT)
    else:
        return _Sent(row, State.SAVED, written=written)
    return _Sent(row)


def _after_error(turn: Turn, row: Write, error: GatewayError, halt: Event) -> _Sent:
    if isinstance(error, StillSending | SentBefore):
        return _Sent(row)  # the next turn settles it
    if isinstance(error, OutcomeUnknown):
        return _Sent(row, State.NOT_SURE, error)
    if isinstance(error, (*turns.WAITS, *turns.ASKS)):
        halt.set()
        return _Sent(row, error=error)
    return _Sent(row, State.NOT_SAVED, words=row_results.why(error, turn.job))


def _end_turn(job: Job, sent: Sequence[_Sent]) -> None:
    """Adapt the number of calls at once, and raise what delays or pauses the job.

    A refusal for being too many halves it; a turn without one, in which the service has answered a
    write, adds one. A turn with errors and without an answer has failed.
    """
    errors = [each.error for each in sent if each.error]
    asks = [error for error in errors if isinstance(error, turns.ASKS)]
    busy = [error for error in errors if isinstance(error, Busy)]
    answered = any(each.state in ANSWERED for each in sent)
    at_once = max(1, job.at_once // 2) if busy else min(MOST_AT_ONCE, job.at_once + answered)
    Job.objects.filter(pk=job.pk).update(at_once=at_once)
    if asks or (errors and not answered):
        raise (asks or busy or errors)[0]
    if busy:
        raise NotYet(turns.delay_of(busy[0]))


def _side_by_side(calls: Sequence[Callable[[], _Sent]], at_once: int) -> list[_Sent]:
    if at_once == 1:
        return [call() for call in calls]
    with ThreadPoolExecutor(at_once, thread_name_prefix="job") as pool:
        return list(pool.map(_in_thread, calls))


def _in_thread(call: Callable[[], _Sent]) -> _Sent:
    """Make a call on a database connection of this thread's own."""
    try:
        return call()
    finally:
        connection.close()


def _is_over(turn: Turn) -> bool:
    """Whether every row is done, after a look for those that are not sure. Raises NotYet, or
    GatewayError if the service cannot be asked.
    """
    if turn.job.rows.filter(state=State.SENDING).exists():
        raise NotYet(SHORT_WAIT)
    unclear = row_results.open_rows(turn.job).filter(reviewed=False)
    rows = list(unclear.select_related("person")[:LOOKED_AT])
    if not rows:
        return True
    problems, looked_for = list[GatewayError](), []
    for row in takewhile(lambda row: time.monotonic() < turn.ends, rows):
        try:
            looked_for += [row] if row_results.look(turn, row) else []
        except GatewayError as problem:
            problems.append(problem)
    with transaction.atomic():
        leases.renew(turn.job)
        for row in looked_for:
            row_results.store_look(row)
        row_results.store_counts(turn.job)
    if not looked_for:
        raise problems[0] if problems else NotYet(SHORT_WAIT)
    return False
