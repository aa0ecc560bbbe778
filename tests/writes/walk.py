"""Walks every order of the steps of two writes, with the promises in each state.

Two workers send a deletion whose countdown has ended. Its person undoes it, saves a form about the
same record, twice, and sends again what is not sure. Or two workers take turns of a job of two
rows, which its person pauses, continues and stops. Each step is one transaction or one call, as in
the code that sends; between two of them the others go on, somebody's process dies, or so much time
passes that locks and leases end. The service says yes, says no, is busy, or does not answer; then
it may have carried the write out.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from dashboard.gateway import Busy, OutcomeUnknown
from dashboard.jobs import leases, row_results, rows
from dashboard.jobs import services as jobs
from dashboard.jobs.kinds import Slice
from dashboard.jobs.models import Job
from dashboard.people.models import User
from dashboard.writes import deletions, ledger, retries
from dashboard.writes.models import Write
from tests.helpers import context_of, write_of

State, Open = Write.State, Write.Resolution.OPEN
DELETION, FORM = "d" * 32, "f" * 32
TOKENS = {"worker": DELETION, "form": FORM}  # of who sends one write
LABELS = ("Row 1", "Row 2")  # of a job
ANSWERS = {
    "yes": (State.SAVED, True),
    "no": (State.NOT_SAVED, False),
    "lost": (State.NOT_SURE, False),
    "lost after": (State.NOT_SURE, True),
    "busy": (State.NOT_SAVED, False),
}
HELD = ("reserved", "compared", "begun", "answered", "stored", "leased", "marked")
LONG = timedelta(days=1)  # beyond every reservation


@dataclass(frozen=True)
class Actor:
    """Somebody who sends one write: `at` is the step done last, `row` the write, `until` the end of
    its reservation, `said` the answer of the service. Of a turn of a job `turn` is its number,
    `left` are the rows that it has marked, `sent` those that it was done with, and how.
    """

    kind: str
    token: str
    at: str = "fresh"
    turn: int = 0
    row: int = 0
    until: datetime | None = None
    said: str = ""
    left: tuple[int, ...] = ()
    sent: tuple[tuple[int, str], ...] = ()

    @property
    def lives(self) -> bool:
        """Whether it goes on."""
        return self.at not in ("done", "dead")


@dataclass(frozen=True)
class World:
    """All there is at one moment beside the database: the calls with their token and whether the
    service has carried each out, and what may still happen.
    """

    actors: tuple[Actor, ...]
    calls: tuple[tuple[str, bool], ...] = ()
    left: frozenset[str] = frozenset()
    undone: frozenset[str] = frozenset()  # tokens of what the person was told is not sent


class Broken(Exception):  # noqa: N818 (what it is, without Error)
    """A promise that does not hold."""


def walk(person: User, senders: str, events: str) -> int:
    """How many states there are. Raises Broken, with the steps that lead to it.

    senders: who sends, such as "worker, worker". events: what may happen beside that, each once:
    "undo", "death", "time", "again"; where turns of a job are taken "stop", "pause", and the
    answers "no", "busy" and "lost after". Called in a transaction of a test: each step is undone
    by a savepoint.
    """
    if "turn" in senders:
        ask_for_job(person)
    else:
        ask_to_delete(person)
    actors = (Actor(kind, TOKENS.get(kind, "")) for kind in senders.split(", "))
    seen: set[str] = set()
    _go_on(World(tuple(actors), left=frozenset(events.split(", "))), person, seen, [])
    return len(seen)


def ask_to_delete(person: User) -> None:
    """Store a deletion whose countdown has ended."""
    asked = Write(
        token=DELETION, person=person, owner="pair", workspace="Acme", resource="contacts",
        operation="delete", record_id=7, state=State.WAITING, digest=ledger.digest_of({}),
    )  # fmt: skip
    asked.content = vars(ledger.Content("Zebra", {}, {}, [], {"cstid": 7}))
    asked.save()
    Write.objects.update(not_before=Now() - timedelta(seconds=1))


def ask_for_job(person: User) -> None:
    """Store a job of two rows."""
    jobs.create(
        context_of(person), kind="walked", title="Walked", resource="contacts",
        rows=[{"label": label} for label in LABELS],
    )  # fmt: skip


def _go_on(world: World, person: User, seen: set[str], way: list[str]) -> None:
    """Check a state that was not seen before, and try everything that can happen in it."""
    key = _key(world)
    if key in seen:
        return
    seen.add(key)
    _told(way, partial(_check, world))
    for name, step in _steps(world, person):
        before = transaction.savepoint()
        way.append(name)
        _go_on(_told(way, step), person, seen, way)
        way.pop()
        transaction.savepoint_rollback(before)


def _told(way: list[str], does: Callable[[], Any]) -> Any:
    """What a function returns; a promise that it breaks is told with the steps that led there."""
    try:
        return does()
    except AssertionError as error:
        raise Broken(f"{error}: {', '.join(way)}") from error


def _steps(world: World, person: User) -> Iterator[tuple[str, Callable[[], World]]]:
    """What can happen next, by its name."""
    for place, actor in enumerate(world.actors):
        if not actor.lives or actor in world.actors[:place]:  # as the one before it
            continue
        for choice in CHOICES.get((actor.kind, actor.at)) or CHOICES.get(("", actor.at), ("",)):
            if actor.kind == "turn" and choice in {"no", "busy", "lost after"} - world.left:
                continue
            name = f"{actor.kind} {step_of(actor).__name__} {choice}".strip()
            yield name, partial(_done, world, place, person, choice)
        if actor.at in HELD and "death" in world.left:
            yield f"{actor.kind} dies", partial(_dead, world, place)
    yield from _events(world)


def _events(world: World) -> Iterator[tuple[str, Callable[[], World]]]:
    """What can happen beside the steps of those who send."""
    if Write.objects.filter(state=State.SENDING).exists():
        yield "a page is opened", partial(_page, world)
    if "undo" in world.left:
        yield "undo", partial(_undo, world)
    steps = {actor.at for actor in world.actors}
    if "time" in world.left and not steps & {"begun", "answered"}:
        yield "time passes", partial(_time, world)
    if "again" in world.left:
        yield "send again", partial(_again, world)
    job = Job.objects.first()
    if job and "stop" in world.left:
        yield "stop", partial(_stop, world, job)
    if job and "pause" in world.left:
        yield "pause", partial(_pause, world, job)
    if job and job.state == Job.State.PAUSED:
        yield "continue", partial(_resume, world, job)


def _done(world: World, place: int, person: User, choice: str) -> World:
    actor = world.actors[place]
    after = step_of(actor)(actor, person, choice)
    calls = world.calls
    if actor.at == "begun":
        _check_call(world, actor)
        calls = (*calls, (actor.token, ANSWERS[choice][1]))
    spent = {choice} if actor.kind == "turn" else set()
    return replace(_with(world, place, after), calls=calls, left=world.left - spent)


def _dead(world: World, place: int) -> World:
    after = _with(world, place, replace(world.actors[place], at="dead"))
    return replace(after, left=world.left - {"death"})


def _with(world: World, place: int, actor: Actor) -> World:
    actors = list(world.actors)
    actors[place] = actor
    return replace(world, actors=tuple(actors))


def _page(world: World) -> World:
    """Unfinished and Not sure settle what was left."""
    ledger.end_lost()
    _end_late()
    for job in Job.objects.all():
        row_results.requeue_idle(job.pk)
    return world


def _end_late() -> None:
    for row in Write.objects.filter(Write.COUNTED_DOWN).select_related("person"):
        deletions.as_ended(deletions.of_person(row.person))


def _undo(world: World) -> World:
    waiting = Write.objects.filter(operation="delete")
    undone = {row.token for row in waiting if deletions.cancel(row)}
    return replace(world, left=world.left - {"undo"}, undone=world.undone | undone)


def _time(world: World) -> World:
    """Reservations and leases end, and what was being sent is lost."""
    _let_time_pass()
    actors = (replace(each, until=each.until and each.until - LONG) for each in world.actors)
    return replace(world, actors=tuple(actors), left=world.left - {"time"})


def _let_time_pass() -> None:
    Job.objects.update(lease_until=F("lease_until") - LONG)
    Write.objects.filter(Write.COUNTED_DOWN).update(not_before=F("not_before") - LONG)
    Write.objects.update(reserved_until=F("reserved_until") - LONG)


def _stop(world: World, job: Job) -> World:
    """The person stops the job; what waits then is not sent."""
    waiting = set(job.rows.filter(state=State.WAITING).values_list("token", flat=True))
    stopped = frozenset(waiting if jobs.stop(job) else ())
    return replace(world, left=world.left - {"stop"}, undone=world.undone | stopped)


def _pause(world: World, job: Job) -> World:
    jobs.pause(job)
    return replace(world, left=world.left - {"pause"})


def _resume(world: World, job: Job) -> World:
    jobs.resume(job, job.owner)
    return world


def _again(world: World) -> World:
    """The person presses Send again for a deletion of unknown outcome."""
    first = Write.objects.filter(operation="delete", state=State.NOT_SURE, resolution=Open).first()
    if first is None:
        return world
    actor = Actor("again", retries.retry_token(first))
    return replace(world, actors=(*world.actors, actor), left=world.left - {"again"})


# --- the steps of an actor: each gives the actor afterwards ---


def reserve(actor: Actor, person: User, choice: str) -> Actor:
    """Hold the record, unless the same was sent before; a worker takes the deletion with it."""
    waiting = deletions.find_due(_asked().pk) if actor.kind == "worker" else None
    write = write_of(person, actor.token, operation="", record_id=7)
    try:
        row = ledger.reserve(write, waiting)
    except ledger.RecordBusy:
        if actor.kind == "worker":
            ledger.end_unsent(_asked(), "being written")
        return replace(actor, at="done")
    except (ledger.UsedToken, ledger.InFlight):
        return replace(actor, at="done")
    return replace(actor, at="reserved", row=row.pk, until=row.reserved_until)


def compare(actor: Actor, person: User, choice: str) -> Actor:
    """Read the record and compare it with what the person saw."""
    if choice == "changed" and actor.kind == "worker":
        ledger.end_unsent(_asked(), "changed")
    return replace(actor, at="compared" if choice == "same" else "stored")


def begin(actor: Actor, person: User, choice: str) -> Actor:
    row = _reserved(actor)
    if row:
        row.operation = "update" if actor.kind == "form" else "delete"
        row.content = vars(ledger.Content("Zebra", {}, {}, []))
        row.changes = ledger.seen_by_colleagues("Zebra", {})
    try:
        if row:
            ledger.start_sending(row)
            return replace(actor, at="begun")
    except (ledger.RecordBusy, ledger.NotRecorded):
        pass
    if actor.kind == "worker":
        ledger.end_unsent(_asked(), "not recorded")
    return replace(actor, at="stored")


def call(actor: Actor, person: User, choice: str) -> Actor:
    return replace(actor, at="answered", said=choice)


def store(actor: Actor, person: User, choice: str) -> Actor:
    """Store the answer, and what follows from it."""
    state, _ = ANSWERS[actor.said]
    row = Write.objects.select_related("person").get(pk=actor.row)
    error = "Rejected" if state == State.NOT_SAVED else None
    ledger.finish(row, state, error=error)
    if actor.kind == "again" and state != State.NOT_SAVED:
        first = ledger.find_by_token(actor.token.partition("+")[0], person)
        retries.resolve_as_sent_again(pk=first.pk if first else 0)
    return replace(actor, at="stored")


def release(actor: Actor, person: User, choice: str) -> Actor:
    """Let the record go, if nothing was sent."""
    if row := _reserved(actor):
        ledger.release(write=row)
    return replace(actor, at="done", row=0, until=None)


def _reserved(actor: Actor) -> Write | None:
    """The row of an actor, as it was when it was reserved; None if it is gone."""
    row = Write.objects.select_related("person").filter(pk=actor.row).first()
    if row:
        row.reserved_until = actor.until
    return row


# --- the steps of a turn of a job, in which one row is sent after the other ---


def lease(actor: Actor, person: User, choice: str) -> Actor:
    """Take the next turn; without one try again later."""
    job = leases.acquire(lambda taken: None)
    if job is None:
        is_over = Job.objects.filter(state__in=leases.ENDED).exists()
        return replace(actor, at="done") if is_over else actor
    return replace(actor, at="leased", turn=job.slices)


def mark(actor: Actor, person: User, choice: str) -> Actor:
    """Settle what an earlier turn has left, and mark the rows that wait as Sending; without any the
    job is over.
    """
    row_results.requeue(_turn(actor).job)
    try:
        marked = tuple(row.pk for row in rows._begin(_turn(actor)))
    except leases.LeaseLost:
        return Actor(actor.kind, "")
    if marked:
        return replace(actor, at="marked", left=marked)
    is_over = not _turn(actor).job.rows.filter(state=State.SENDING).exists()
    return replace(actor, at="stored", said="over" if is_over else "")


def begin_row(actor: Actor, person: User, choice: str) -> Actor:
    if not actor.left:
        return replace(actor, at="sent")
    pk, *left = actor.left
    row = Write.objects.select_related("person").get(pk=pk)
    done = replace(actor, left=tuple(left), sent=(*actor.sent, (pk, "")))
    row.operation = "create"
    label = row.job_row["sends"]["label"] if row.job_row else ""
    row.content = vars(ledger.Content(label, {}, {}, []))
    row.changes = ledger.seen_by_colleagues(label, {})
    try:
        ledger.start_sending(row)
    except (ledger.RecordBusy, ledger.NotRecorded):
        return done
    return replace(actor, at="begun", row=pk, token=row.token, left=tuple(left))


def store_row(actor: Actor, person: User, choice: str) -> Actor:
    row = Write.objects.select_related("person").get(pk=actor.row)
    error = {"busy": "Busy", "no": "Rejected"}.get(actor.said)
    ledger.finish(row, ANSWERS[actor.said][0], error=error)
    left = () if actor.said == "busy" else actor.left  # the turn ends
    sent = (*actor.sent, (actor.row, actor.said), *((pk, "") for pk in actor.left if not left))
    return replace(actor, at="marked", row=0, token="", said="", left=left, sent=sent)


def store_rows(actor: Actor, person: User, choice: str) -> Actor:
    errors: dict[str, Any] = {"busy": Busy(), "lost": OutcomeUnknown()}
    stored = [
        rows._Attempt(
            Write.objects.get(pk=pk),
            "" if answer == "busy" else ANSWERS[answer][0] if answer else "",
            errors.get(answer.removesuffix(" after")),
        )
        for pk, answer in actor.sent
    ]
    try:
        rows._store(_turn(actor), stored)
    except leases.LeaseLost:
        return Actor(actor.kind, "")
    return replace(actor, at="stored", sent=())


def end_turn(actor: Actor, person: User, choice: str) -> Actor:
    """End the turn, and the job if no row is left."""
    state = Job.State.FINISHED if actor.said == "over" else Job.State.RUNNING
    leases.release(_turn(actor).job, leases.Ending(state))
    return Actor(actor.kind, "")


def _turn(actor: Actor) -> Any:
    """The turn of an actor, as it read the job when it was taken."""
    job = Job.objects.select_related("person").get()
    job.slices = actor.turn
    return Slice(job, None, {}, math.inf)  # type: ignore[arg-type]


STEPS: dict[str, Callable[[Actor, User, str], Actor]] = {
    "fresh": reserve,
    "reserved": compare,
    "compared": begin,
    "begun": call,
    "answered": store,
    "stored": release,
}
STEPS_OF_TURN: dict[str, Callable[[Actor, User, str], Actor]] = {
    "fresh": lease,
    "leased": mark,
    "marked": begin_row,
    "begun": call,
    "answered": store_row,
    "sent": store_rows,
    "stored": end_turn,
}
CHOICES = {
    ("", "reserved"): ("same", "changed"),
    ("", "begun"): ("yes", "no", "lost", "lost after"),
    ("turn", "begun"): ("yes", "no", "busy", "lost after"),
    ("form", "begun"): ("yes", "lost after"),
}


def step_of(actor: Actor) -> Callable[[Actor, User, str], Actor]:
    """What an actor does next."""
    return (STEPS_OF_TURN if actor.kind == "turn" else STEPS)[actor.at]


def _asked() -> Write:
    return Write.objects.get(token=DELETION)


# --- the promises ---


def _check_call(world: World, actor: Actor) -> None:
    """Before a byte leaves."""
    row = Write.objects.get(pk=actor.row)
    _hold(row.token == actor.token, "a write is sent with its own token")
    _hold(row.state == State.SENDING, f"a write is sent that is {row.state}")
    _hold(row.sent_at is not None, "a write is stored with its body before it is sent")
    _hold(actor.token not in dict(world.calls), "a token is sent once")
    _hold(actor.token not in world.undone, "what was undone is not sent")
    busy = [each for each in world.actors if each.lives and each.at in ("begun", "answered")]
    _hold(busy == [actor] or not row.record_id, "one write of a record is sent at a time")


def _check(world: World) -> None:
    """In every state."""
    carried_out = dict(world.calls)
    writes = list(Write.objects.all())
    for row in writes:
        if row.state in (State.WAITING, State.CANCELLED, State.SKIPPED):
            _hold(row.token not in carried_out, f"what was sent is {row.state}")
        if row.state == State.SAVED:
            _hold(carried_out.get(row.token) is True, "what was not carried out is Saved")
        if row.state == State.NOT_SAVED:
            _hold(not carried_out.get(row.token), "what was carried out is Not saved")
    sent = [row for row in writes if row.sent_at]
    _hold(carried_out.keys() <= {row.token for row in sent}, "a call has a row")
    rows_of_job = [row for row in writes if row.number]
    if rows_of_job:
        _check_rows(rows_of_job, carried_out)
    else:
        _hold(any(row.token == DELETION for row in writes), "what was asked for is not lost")
    steps = {actor.at for actor in world.actors}
    if steps <= {"fresh", "done", "dead"} and steps != {"fresh"}:
        end = transaction.savepoint()
        _check_end(carried_out)
        transaction.savepoint_rollback(end)


def _check_rows(places: list[Write], carried_out: dict[str, bool]) -> None:
    """Each row of a job has its place, and one effect at most."""
    latest = {row.number: row for row in sorted(places, key=lambda row: row.attempt)}
    _hold([*sorted(latest)] == [*range(1, len(LABELS) + 1)], f"a row is lost: {latest}")
    ended = (State.NOT_SAVED, State.NOT_SURE)
    earlier = [row for row in places if row is not latest[row.number]]
    _hold(all(row.state in ended for row in earlier), f"an earlier attempt is {earlier}")
    _check_once(carried_out)
    for row in places:
        if row.sent_at and row.state == State.SAVED:
            labels = (row.content["label"], row.job_row["sends"]["label"])
            _hold(labels[0] == labels[1], f"a row has the outcome of another: {labels}")


def _check_once(carried_out: dict[str, bool]) -> None:
    """No row of a job is written twice, under whatever token."""
    sent = Write.objects.filter(token__in=[token for token, done in carried_out.items() if done])
    effects = Counter(row.content["label"] for row in sent)
    _hold(max(effects.values(), default=0) <= 1, f"a row is written twice: {dict(effects)}")


def _check_end(carried_out: dict[str, bool]) -> None:
    """Once everybody has ended or died, and time has passed."""
    _let_time_pass()
    for job in Job.objects.all():
        _work_to_the_end(job, carried_out)
    ledger.end_lost()
    _end_late()
    _hold(not Write.objects.filter(state=State.SENDING).exists(), "nothing is Sending for ever")


def _work_to_the_end(job: Job, carried_out: dict[str, bool]) -> None:
    """Another worker, to whom the service says yes, finishes the job or leaves it at rest."""
    if job.state == Job.State.PAUSED:
        jobs.resume(job, job.owner)
    worker = Actor("turn", "")
    for _ in range(30):
        if worker.at == "begun":
            carried_out = {**carried_out, worker.token: True}
        worker = step_of(worker)(worker, job.person, "yes")
        if worker.at == "done":
            break
    _check_once(carried_out)
    row_results.requeue_idle(job.pk)
    job.refresh_from_db()
    _hold(job.state in leases.ENDED, f"another worker leaves the job {job.state}")
    unsent = job.rows.filter(state__in=(State.WAITING, State.SENDING))
    _hold(not unsent.exists(), "another worker leaves no row")
    cancelled = job.rows.filter(state=State.CANCELLED).exists()
    _hold(job.state == Job.State.STOPPED or not cancelled, "a row is cancelled, and nobody has")


def _hold(is_kept: bool, words: str) -> None:
    if not is_kept:
        raise AssertionError(words)


def _key(world: World) -> str:
    """Equal for states that differ in numbers and moments alone."""
    writes = list(Write.objects.order_by("pk"))
    tokens = {row.token: str(place) for place, row in enumerate(writes)}
    ends = {row.pk: row.reserved_until for row in writes}
    expired = set(Write.objects.filter(reserved_until__lte=Now()).values_list("pk", flat=True))
    lines = [
        (
            row.operation,
            row.state,
            row.resolution,
            row.sent_at is None,
            row.copy_until is None,
            row.record_id is None,
            row.reserved_until is None,
            row.pk in expired,
            row.number,
            row.attempt,
        )
        for row in writes
    ]
    places = {row.pk: place for place, row in enumerate(writes)}
    with_lease = Job.objects.annotate(leased=Q(lease_until__gt=Now()))
    jobs_now = with_lease.values_list("slices", "state", "leased", "active_key", "at_once")
    actors = sorted(
        (
            actor.kind,
            actor.at,
            actor.said,
            tokens.get(actor.token, actor.token),
            actor.row in ends and ends[actor.row] == actor.until,
            [places[pk] for pk in actor.left],
            [(places[pk], answer) for pk, answer in actor.sent],
            any(actor.turn == turn for turn, *_ in jobs_now),
        )
        for actor in world.actors
    )
    calls = [(tokens.get(token), carried_out) for token, carried_out in world.calls]
    return repr(
        (
            actors,
            [how for _, *how in jobs_now],
            lines,
            calls,
            sorted(world.left),
            sorted(tokens[token] for token in world.undone),
        )
    )
