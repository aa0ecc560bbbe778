"""Turns of jobs that write one record for each row, several side by side.

A row's token is stored before anything is sent with it, so that each row ends with one of the three
answers of a write, or skipped. Rows that a dead worker left as Sending are settled from the ledger
by their token: nothing is sent twice. What is not sure is looked for in the service once, when no
late effect can be expected any more, and is sent again only if its person says so (looking.py).

After a turn in which nothing went through, the next one reads from the service first and then sends
one row alone, so that a service that fails for an hour leaves few rows not sure.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from threading import Event
from typing import Any

from django.db import Error, connection, transaction

from dashboard.gateway import Busy, GatewayError, KeysRefused, OutcomeUnknown
from dashboard.jobs import leases, looking, outcomes, turns
from dashboard.jobs.kinds import NotYet, Turn, kind_of
from dashboard.jobs.models import MOST_AT_ONCE, Job, JobRow
from dashboard.ledger import services as ledger
from dashboard.writes import for_person
from dashboard.writes.stored_outcomes import SentBefore, StillSending

logger = logging.getLogger(__name__)

State = JobRow.State
AT_ONCE = MOST_AT_ONCE  # threads
ROWS = 200  # of one turn, which its time ends earlier: at the end of each some threads wait
LOOKED_AT = 64  # rows of unknown outcome in one turn
SHORT_WAIT = 5.0  # seconds
ANSWERED = (State.SAVED, State.NOT_SAVED)
FAULT = "A fault in the dashboard kept this row from being sent. The worker's log has the details."


@dataclass(frozen=True)
class Written:
    """What a row has written. `before`, `after`: what the record held in the fields that were
    sent, and what was sent.
    """

    record_id: int | None
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)


class Skipped(Exception):  # noqa: N818 (what it is, without Error)
    """The row is not to be sent; `words` says why, `record_id` which record stands in its way."""

    def __init__(self, words: str, record_id: int | None = None) -> None:
        super().__init__()
        self.words = words
        self.record_id = record_id


Send = Callable[[Turn, Mapping[str, Any], str], Written]


@dataclass
class _Sent:
    """A row after it was sent; `error` is one that is no fault of the row, or that left it not
    sure. `untouched`: there was no time for it, and its token is unused.
    """

    row: JobRow
    error: GatewayError | None = None
    untouched: bool = False


def take_rows(turn: Turn, *, send: Send, at_once: int = AT_ONCE) -> bool:
    """Send the next rows of a job, at most `at_once` side by side; whether all are done.

    `send` is called with the turn, the content of a row and its token, in several threads. It
    writes with that token, and raises GatewayError or Skipped. Raises what `JobKind.turn` may.
    """
    outcomes.settle_sending(turn.job)
    if turn.job.failures:
        _ask_service(turn)
    rows = _begin(turn)
    if not rows:
        return _is_over(turn)
    halt = Event()
    calls = [partial(_send_row, turn, send, row, halt) for row in rows]
    sent = _first_alone(calls, halt) if turn.job.failures else []
    sent += _side_by_side(calls[len(sent) :], min(turn.job.at_once, at_once, AT_ONCE))
    failed = [each for each in sent if each.row.state == State.WAITING and each.error]
    for each in failed:
        each.row.tries += 1  # sent after the others next time
    touched = [each.row for each in sent if not each.untouched]
    _store(turn, touched, [each.row for each in sent if each.untouched])
    _end_turn(turn.job, sent)
    return False


def _ask_service(turn: Turn) -> None:
    """Read from a service that has failed, before a write is risked. Raises GatewayError if it
    still does; a refusal of this read is an answer.
    """
    try:
        resource = kind_of(turn.job).resources[turn.job.resource]
        turn.ctx.gateway.list(resource.endpoint, page_size=1)
    except (*turns.WAITS, KeysRefused):
        raise
    except GatewayError as refusal:
        logger.info("%s goes on, the service answers: %s", turn.job, type(refusal).__name__)


def _first_alone(calls: Sequence[Callable[[], _Sent]], halt: Event) -> list[_Sent]:
    """Make the calls one by one until a write gets an answer, and none after one that fails."""
    sent: list[_Sent] = []
    for call in calls:
        sent.append(call())
        if sent[-1].error:
            halt.set()
        if sent[-1].row.state in ANSWERED or halt.is_set():
            break
    return sent


def _begin(turn: Turn) -> list[JobRow]:
    """The next rows, marked as Sending with their tokens. Raises leases.TurnLost."""
    waiting = turn.job.rows.filter(state=State.WAITING)
    rows = list(waiting.order_by("tries", "number")[:ROWS])
    without = [row for row in rows if not row.token]
    for row in without:
        row.token = ledger.new_token()
    with transaction.atomic():
        leases.renew(turn.job)
        JobRow.objects.bulk_update(without, ["token"])
        JobRow.objects.filter(pk__in=[row.pk for row in rows]).update(state=State.SENDING)
    for row in rows:
        row.state = State.SENDING
    return rows


def _store(turn: Turn, rows: Sequence[JobRow], unsent: Sequence[JobRow] = ()) -> None:
    """Store what became of the rows. Raises leases.TurnLost; the next turn settles them then."""
    fields = ("state", "record_id", "result", "token", "tries", "looked", "found", "plan")
    with transaction.atomic():
        leases.renew(turn.job)
        for row in rows:  # a third of the time of bulk_update
            outcomes.end_repetition(row, turn.job)
            row.save(update_fields=fields)
        JobRow.objects.filter(pk__in=[row.pk for row in unsent]).update(state=State.WAITING)
        outcomes.store_counts(turn.job)


def _send_row(turn: Turn, send: Send, row: JobRow, halt: Event) -> _Sent:
    """Send one row unless the turn is over, and set what became of it."""
    if halt.is_set() or time.monotonic() > turn.ends:
        row.state = State.WAITING
        return _Sent(row, untouched=True)
    try:
        for_person.check_allowed(turn.ctx, kind_of(turn.job).permission)
        written = send(turn, row.content, row.token)
    except Skipped as skipped:
        outcomes.set_result(row, State.SKIPPED, skipped.words, skipped.record_id)
    except GatewayError as error:
        return _after_error(turn, row, error, halt)
    except Error:  # the database failed; the next turn asks the ledger
        logger.exception("%s is settled later", row)
        halt.set()
    except Exception:
        logger.exception("%s was not sent", row)
        if not ledger.was_started(row.token, turn.job.person):
            outcomes.set_result(row, State.NOT_SAVED, FAULT)
    else:
        row.record_id = written.record_id
        values = {"before": written.before, "after": written.after} if written.before else {}
        outcomes.set_result(row, State.SAVED, values=values)
    return _Sent(row)


def _after_error(turn: Turn, row: JobRow, error: GatewayError, halt: Event) -> _Sent:
    if isinstance(error, StillSending | SentBefore):
        return _Sent(row)  # Sending: the next turn settles it
    if isinstance(error, OutcomeUnknown):
        outcomes.set_result(row, State.NOT_SURE, outcomes.why(error, turn.job))
        return _Sent(row, error)
    if isinstance(error, (*turns.WAITS, *turns.ASKS)):
        halt.set()
        row.state = State.WAITING
        if ledger.was_started(row.token, turn.job.person):
            row.token = outcomes.next_token(row, turn.job)
        return _Sent(row, error)
    outcomes.set_result(row, State.NOT_SAVED, outcomes.why(error, turn.job))
    return _Sent(row)


def _end_turn(job: Job, sent: Sequence[_Sent]) -> None:
    """Adapt the number of calls at once, and raise what delays or pauses the job.

    A refusal for being too many halves it; a turn without one, in which the service has answered a
    write, adds one. A turn with errors and without an answer has failed.
    """
    errors = [each.error for each in sent if each.error]
    asks = [error for error in errors if isinstance(error, turns.ASKS)]
    busy = [error for error in errors if isinstance(error, Busy)]
    answered = any(each.row.state in ANSWERED for each in sent)
    if busy:
        _set_at_once(job, max(1, job.at_once // 2))
    elif answered:
        _set_at_once(job, min(MOST_AT_ONCE, job.at_once + 1))
    if asks or (errors and not answered):
        raise (asks or busy or errors)[0]
    if busy:
        raise NotYet(turns.delay_of(busy[0]))


def _set_at_once(job: Job, number: int) -> None:
    if number != job.at_once:
        Job.objects.filter(pk=job.pk).update(at_once=number)


def _side_by_side(calls: Sequence[Callable[[], _Sent]], at_once: int) -> list[_Sent]:
    if at_once == 1:
        return [call() for call in calls]
    left, sent = deque(calls), list[_Sent]()
    with ThreadPoolExecutor(at_once, thread_name_prefix="job") as pool:
        for thread in [pool.submit(_work_off, left, sent) for _ in range(at_once)]:
            thread.result()
    return sent


def _work_off(left: "deque[Callable[[], _Sent]]", sent: list[_Sent]) -> None:
    """Make calls until none is left, on a database connection of this thread's own."""
    try:
        while left:
            try:
                call = left.popleft()
            except IndexError:  # another thread has taken the last one
                return
            sent.append(call())
    finally:
        connection.close()


def _is_over(turn: Turn) -> bool:
    """Whether every row is done, after a look for those that are not sure. Raises NotYet, or
    GatewayError if the service cannot be asked.
    """
    mine = turn.job.rows.all()
    if mine.filter(state=State.SENDING).exists():
        raise NotYet(SHORT_WAIT)
    rows = list(mine.filter(state=State.NOT_SURE, looked=False).order_by("pk")[:LOOKED_AT])
    if not rows:
        return True
    resources = kind_of(turn.job).resources
    in_time = takewhile(lambda row: time.monotonic() < turn.ends, rows)
    problems = [looking.look(turn, row, resources) for row in in_time]
    _store(turn, rows)
    if all(row.state == State.NOT_SURE and not row.looked for row in rows):
        raise next(filter(None, problems), NotYet(SHORT_WAIT))
    return False
