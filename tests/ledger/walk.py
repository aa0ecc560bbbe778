"""Walks every order of the steps of two writes to one record, with the promises in each state.

Two workers send a deletion whose countdown has ended. Its person undoes it, saves a form about the
same record, twice, and sends again what is not sure. Each step is one transaction or one call, as
in the code that sends; between two of them the others go on, somebody's process dies, or so much
time passes that locks end. The service says yes, says no, or does not answer; then it may have
carried the write out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from dashboard.accounts.models import User
from dashboard.ledger import deletions, locks, looks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import RecordLock, Write

State, Open = Write.State, Write.Resolution.OPEN
RECORD, DELETION, FORM = "contacts/7", "d" * 32, "f" * 32
ANSWERS = {
    "yes": (State.SAVED, True),
    "no": (State.NOT_SAVED, False),
    "lost": (State.NOT_SURE, False),
    "lost after": (State.NOT_SURE, True),
}
HELD = ("locked", "taken", "compared", "begun", "answered", "stored")
LONG = timedelta(days=1)  # beyond every lock


@dataclass(frozen=True)
class Actor:
    """Somebody who sends one write: `at` is the step done last, `lock` the lock held since, `row`
    the write, `said` the answer of the service.
    """

    kind: str
    token: str
    at: str = "fresh"
    lock: int = 0
    row: int = 0
    said: str = ""

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

    senders: who sends, such as "worker worker". events: what may happen beside that, each once:
    "undo", "death", "time", "again". Called in a transaction of a test: each step is undone by a
    savepoint.
    """
    asked = Write(
        token=DELETION, person=person, owner="pair", workspace="Acme", resource="contacts",
        operation="delete", record_id=7, state=State.WAITING, digest=ledger.digest_of({}),
    )  # fmt: skip
    asked.content = vars(ledger.Content("Zebra", {}, {}, [], {"cstid": 7}))
    asked.save()
    Write.objects.update(not_before=Now() - timedelta(seconds=1))
    actors = (Actor(kind, FORM if kind == "form" else DELETION) for kind in senders.split())
    seen: set[str] = set()
    _go_on(World(tuple(actors), left=frozenset(events.split())), person, seen, [])
    return len(seen)


def _go_on(world: World, person: User, seen: set[str], way: list[str]) -> None:
    """Try everything that can happen in a state that was not seen before."""
    key = _key(world)
    if key in seen:
        return
    seen.add(key)
    for name, step in _steps(world, person):
        before = transaction.savepoint()
        way.append(name)
        try:
            after = step()
            _check(after)
        except AssertionError as error:
            raise Broken(f"{error}: {', '.join(way)}") from error
        _go_on(after, person, seen, way)
        way.pop()
        transaction.savepoint_rollback(before)


def _steps(world: World, person: User) -> Iterator[tuple[str, Callable[[], World]]]:
    """What can happen next, by its name."""
    for place, actor in enumerate(world.actors):
        if not actor.lives or actor in world.actors[:place]:  # as the one before it
            continue
        for choice in CHOICES.get((actor.kind, actor.at)) or CHOICES.get(("", actor.at), ("",)):
            name = f"{actor.kind} {STEPS[actor.at].__name__} {choice}".strip()
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
    if "time" in world.left and not any(one.at in ("begun", "answered") for one in world.actors):
        yield "time passes", partial(_time, world)
    if "again" in world.left:
        yield "send again", partial(_again, world)


def _done(world: World, place: int, person: User, choice: str) -> World:
    actor = world.actors[place]
    after = STEPS[actor.at](actor, person, choice)
    calls = world.calls
    if actor.at == "begun":
        _check_call(world, actor)
        calls = (*calls, (actor.token, ANSWERS[choice][1]))
    return replace(_with(world, place, after), calls=calls)


def _dead(world: World, place: int) -> World:
    after = _with(world, place, replace(world.actors[place], at="dead"))
    return replace(after, left=world.left - {"death"})


def _with(world: World, place: int, actor: Actor) -> World:
    actors = list(world.actors)
    actors[place] = actor
    return replace(world, actors=tuple(actors))


def _page(world: World) -> World:
    """Unfinished and Not sure settle what was left."""
    ledger.mark_lost()
    for row in Write.objects.filter(operation="delete"):
        deletions.put_back_interrupted(row)
        deletions.phase_of(row)
    return world


def _undo(world: World) -> World:
    waiting = Write.objects.filter(operation="delete")
    undone = {row.token for row in waiting if deletions.cancel(row)}
    return replace(world, left=world.left - {"undo"}, undone=world.undone | undone)


def _time(world: World) -> World:
    """Locks end, and what was being sent is lost."""
    RecordLock.objects.update(until=F("until") - LONG)
    Write.objects.filter(sent_at__isnull=False).update(sent_at=F("sent_at") - LONG)
    return replace(world, left=world.left - {"time"})


def _again(world: World) -> World:
    """The person presses Send again for a deletion of unknown outcome."""
    first = Write.objects.filter(operation="delete", state=State.NOT_SURE, resolution=Open).first()
    if first is None:
        return world
    actor = Actor("again", repetitions.retry_token(first))
    return replace(world, actors=(*world.actors, actor), left=world.left - {"again"})


# --- the steps of an actor: each gives the actor afterwards ---


def lock(actor: Actor, person: User, choice: str) -> Actor:
    """Hold the record, unless the same was sent before."""
    sent = ledger.find_by_token(actor.token, person)
    if actor.kind == "worker" and not deletions.find_due(_asked().pk):
        return replace(actor, at="done")
    try:
        held = None if sent else locks._acquire(RECORD, actor.token)
    except locks.Locked:
        if actor.kind == "worker":
            deletions.explain(_asked(), "being written")
        held = None
    return replace(actor, at="locked", lock=held.pk) if held else replace(actor, at="done")


def take(actor: Actor, person: User, choice: str) -> Actor:
    """Take the deletion that waits; a form has nothing to take, and compares as it reads."""
    if ledger.find_by_token(actor.token, person):  # asked again under the lock
        return replace(actor, at="stored")
    if actor.kind != "worker":
        return replace(actor, at="compared")
    taken = deletions.take(_asked(), actor.token, by_worker=True)
    return replace(actor, at="taken" if taken else "stored")


def compare(actor: Actor, person: User, choice: str) -> Actor:
    """Read the record and compare it with what the person saw."""
    if choice == "changed":
        deletions.put_back(_asked(), "changed")
    return replace(actor, at="compared" if choice == "same" else "stored")


def begin(actor: Actor, person: User, choice: str) -> Actor:
    """Store the write with its body, and renew the lock."""
    operation = "update" if actor.kind == "form" else "delete"
    write = ledger.NewWrite(
        token=actor.token, person=person, owner="pair", workspace="Acme", resource="contacts",
        operation=operation, record_id=7, label="Zebra",
        lock=RecordLock(pk=actor.lock, record=RECORD),
    )  # fmt: skip
    try:
        return replace(actor, at="begun", row=ledger.begin(write).pk)
    except (locks.Locked, ledger.UsedToken, ledger.NotRecorded):
        if actor.kind == "worker":
            deletions.put_back(_asked(), "not recorded")
        return replace(actor, at="stored")


def call(actor: Actor, person: User, choice: str) -> Actor:
    """Ask the service."""
    return replace(actor, at="answered", said=choice)


def store(actor: Actor, person: User, choice: str) -> Actor:
    """Store the answer, and what follows from it."""
    state, _ = ANSWERS[actor.said]
    row = Write.objects.select_related("person").get(pk=actor.row)
    error = "Rejected" if state == State.NOT_SAVED else None
    ledger.finish(row, state, *deletions.following(row, state, error), error=error)
    if actor.kind == "worker" and state == State.NOT_SAVED:
        deletions.put_back(row, "refused")
    if actor.kind == "again" and state != State.NOT_SAVED:
        first = repetitions.first_of(actor.token, person)
        looks.settle_as_sent_again(pk=first.pk if first else 0)
    return replace(actor, at="stored")


def release(actor: Actor, person: User, choice: str) -> Actor:
    """Let the record go."""
    locks.delete_lock(pk=actor.lock)
    return replace(actor, at="done")


STEPS: dict[str, Callable[[Actor, User, str], Actor]] = {
    "fresh": lock,
    "locked": take,
    "taken": compare,
    "compared": begin,
    "begun": call,
    "answered": store,
    "stored": release,
}
CHOICES = {
    ("", "taken"): ("same", "changed"),
    ("", "begun"): tuple(ANSWERS),
    ("form", "begun"): ("yes", "lost after"),
}


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
    _hold(busy == [actor], "one write of a record is sent at a time")


def _check(world: World) -> None:
    """In every state."""
    carried_out = dict(world.calls)
    for row in Write.objects.all():
        if row.state in (State.WAITING, State.CANCELLED, State.SKIPPED):
            _hold(row.token not in carried_out, f"what was sent is {row.state}")
        if row.state == State.SAVED:
            _hold(carried_out.get(row.token) is True, "what was not carried out is Saved")
        if row.state == State.NOT_SAVED:
            _hold(carried_out.get(row.token) is False, "what was carried out is Not saved")
    for token in carried_out:
        _hold(Write.objects.filter(token=token, sent_at__isnull=False).exists(), "a call has a row")
    _hold(Write.objects.filter(token=DELETION).exists(), "what was asked for is not lost")
    if not any(actor.lives for actor in world.actors):
        end = transaction.savepoint()
        _check_end()
        transaction.savepoint_rollback(end)


def _check_end() -> None:
    """Once everybody has ended or died, and time has passed."""
    RecordLock.objects.update(until=F("until") - LONG)
    Write.objects.filter(sent_at__isnull=False).update(sent_at=F("sent_at") - LONG)
    ledger.mark_lost()
    for row in Write.objects.filter(operation="delete"):
        deletions.put_back_interrupted(row)
    _hold(not Write.objects.filter(state=State.SENDING).exists(), "nothing is Sending for ever")


def _hold(is_kept: bool, words: str) -> None:
    if not is_kept:
        raise AssertionError(words)


def _key(world: World) -> str:
    """Equal for states that differ in numbers and moments alone."""
    writes = list(Write.objects.order_by("pk"))
    tokens = {row.token: str(place) for place, row in enumerate(writes)}
    rows = [
        (
            row.operation,
            row.state,
            row.resolution,
            row.why,
            row.sent_at is None,
            row.copy_until is None,
        )
        for row in writes
    ]
    held = RecordLock.objects.annotate(lives=Q(until__gt=Now())).values_list("pk", "token", "lives")
    here = {pk: (tokens.get(token, token), lives) for pk, token, lives in held}
    actors = sorted(
        (one.kind, one.at, one.said, tokens.get(one.token, one.token), one.lock in here)
        for one in world.actors
    )
    calls = [(tokens.get(token), carried_out) for token, carried_out in world.calls]
    return repr(
        (
            actors,
            rows,
            sorted(here.values()),
            calls,
            sorted(world.left),
            sorted(tokens[one] for one in world.undone),
        )
    )
