"""What other records are called, for the ids that the records at hand carry.

The API has no call that names several records, so each name is one get. They run side by side in
threads that the whole process shares, are kept for a while per key pair, and nobody waits longer
than a page says: what comes too late is still kept, for whoever asks next.

What is kept stands under an HMAC of the key pair and carries it once more inside, checked on read:
no name can reach anybody who does not hold the same keys.
"""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from functools import cache as once
from threading import Lock
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache

from dashboard.gateway import (
    Endpoint,
    Gateway,
    GatewayError,
    Missing,
    NotAllowed,
    NotOffered,
    Record,
)
from dashboard.gateway.records import record_of

Pointer = tuple[Endpoint, int]
Place = tuple[str, int]  # the endpoint's name and the id

THREADS = 32  # a page of 25 rows goes out in one round
MOST = 200  # names looked up for one page
MOST_MEMBERS = 50
KEPT = 15 * 60  # seconds
KEPT_ROW = 12 * 60 * 60  # of a resource whose records the service shows in lists alone
KEPT_LEARNED = 60
KEPT_GONE = 60
KEPT_FAILED = 10  # long enough that a page of rows does not ask a struggling service again


class Brief(NamedTuple):
    """What is kept of a record. `title`: "" if there is no such record or it has no name.
    `parent`: the id of the one it belongs to, 0 for none, None if only a list row was seen.
    """

    title: str
    parent: int | None = None


class Row(NamedTuple):
    """A list row as it was seen at a moment (UTC)."""

    record: Record
    seen: datetime


_running: dict[str, "Future[Brief]"] = {}
_lock = Lock()


def titles(gateway: Gateway, wanted: Iterable[Pointer], *, seconds: float) -> dict[Place, str]:
    """The names known within `seconds`; left out are those not answered yet."""
    found = _briefs(gateway, wanted, seconds, whole=False)
    return {place: brief.title for place, brief in found.items()}


def parents(gateway: Gateway, wanted: Iterable[Pointer], *, seconds: float) -> dict[Place, int]:
    """Which record each one belongs to, 0 for none, as far as known within `seconds`."""
    found = _briefs(gateway, wanted, seconds, whole=True)
    return {place: brief.parent or 0 for place, brief in found.items()}


def members(gateway: Gateway, endpoint: Endpoint, parent: int) -> tuple[int, ...]:
    """The ids of the records seen so far to belong to this one, latest first."""
    owner = fingerprint(gateway)
    holder, ids = cache.get(_members_place(owner, endpoint, parent), ("", ()))
    return ids if holder == owner else ()


def learn(gateway: Gateway, endpoint: Endpoint, records: Collection[Record]) -> None:
    """Keep the names of list records that were read anyway, so that nobody asks for them; and of
    a resource without single records the whole rows.
    """
    owner = fingerprint(gateway)
    names = tuple((record.id, str(record.raw.get(endpoint.label_field))) for record in records)
    page = f"learned:{owner}:{endpoint.name}:{hash(names)}"
    if cache.get(page) != owner:  # one look instead of one for each row of a page just read
        _learn_names(owner, endpoint, records)
        cache.set(page, owner, KEPT_LEARNED)
    if "get" not in endpoint.operations:
        _keep_rows(owner, endpoint, records)


def _learn_names(owner: str, endpoint: Endpoint, records: Iterable[Record]) -> None:
    seen = {_place(owner, endpoint, record.id): _title(endpoint, record) for record in records}
    kept = _kept(owner, seen)
    news = {
        key: (owner, *kept.get(key, Brief(""))._replace(title=title))
        for key, title in seen.items()
        if title and (key not in kept or kept[key].title != title)
    }
    cache.set_many(news, KEPT)


def row(gateway: Gateway, endpoint: Endpoint, record_id: int) -> Row | None:
    """The list row of a record as it was last seen, and when."""
    owner = fingerprint(gateway)
    kept = cache.get(_row_place(owner, endpoint, record_id))
    if kept is None or kept[0] != owner:
        return None
    record = record_of(endpoint, kept[1])
    return Row(record, kept[2]) if record else None


def note(gateway: Gateway, endpoint: Endpoint, record_id: int, title: str) -> None:
    """Keep the name of a record that was just created."""
    owner = fingerprint(gateway)
    cache.set(_place(owner, endpoint, record_id), (owner, title, None), KEPT)


def learn_whole(gateway: Gateway, endpoint: Endpoint, record: Record) -> Brief:
    """Keep the name of a record read by its id, and what it belongs to."""
    owner = fingerprint(gateway)
    parent = record[endpoint.parent_field] if endpoint.parent_field else None
    brief = Brief(_title(endpoint, record), parent if isinstance(parent, int) else 0)
    cache.set(_place(owner, endpoint, record.id), (owner, *brief), KEPT)
    if brief.parent:
        known = members(gateway, endpoint, brief.parent)
        ids = (record.id, *(number for number in known if number != record.id))[:MOST_MEMBERS]
        cache.set(_members_place(owner, endpoint, brief.parent), (owner, ids), KEPT)
    return brief


def forget(gateway: Gateway, endpoint: Endpoint, record_id: int) -> None:
    """Drop what may have changed."""
    owner = fingerprint(gateway)
    cache.delete_many([_place(owner, endpoint, record_id), _row_place(owner, endpoint, record_id)])


def fingerprint(gateway: Gateway) -> str:
    """Stands for the key pair where its keys must not."""
    return gateway.fingerprint(settings.SECRET_KEY.encode())


def _briefs(
    gateway: Gateway, wanted: Iterable[Pointer], seconds: float, *, whole: bool
) -> dict[Place, Brief]:
    owner = fingerprint(gateway)
    places = {_place(owner, *pointer): pointer for pointer in wanted}
    found = {
        key: brief
        for key, brief in _kept(owner, places).items()
        if not whole or brief.parent is not None
    }
    missing = [(key, pointer) for key, pointer in places.items() if key not in found]
    futures = {key: _ask(gateway, key, *pointer) for key, pointer in missing[:MOST]}
    if futures:
        wait(futures.values(), timeout=seconds)
    answered = ((key, future) for key, future in futures.items() if future.done())
    found |= {key: future.result() for key, future in answered if not future.exception()}
    return {(places[key][0].name, places[key][1]): brief for key, brief in found.items()}


def _kept(owner: str, keys: Iterable[str]) -> dict[str, Brief]:
    kept: Mapping[str, tuple[str, str, int | None]] = cache.get_many(list(keys))
    return {
        key: Brief(title, parent)
        for key, (holder, title, parent) in kept.items()
        if holder == owner
    }


def _ask(gateway: Gateway, key: str, endpoint: Endpoint, record_id: int) -> "Future[Brief]":
    """The call under way for this record, begun if there is none."""
    with _lock:
        future = _running.get(key)
        if future is None:
            future = _running[key] = _pool().submit(_fetch, gateway, key, endpoint, record_id)
            future.add_done_callback(lambda _: _running.pop(key, None))
    return future


def _fetch(gateway: Gateway, key: str, endpoint: Endpoint, record_id: int) -> Brief:
    try:
        return learn_whole(gateway, endpoint, gateway.get(endpoint, record_id))
    except (Missing, NotAllowed, NotOffered):
        seconds = KEPT_GONE
    except GatewayError:
        seconds = KEPT_FAILED  # a name is never worth an error page
    # Added: a name known from a list stands, even where the service shows no single record.
    cache.add(key, (fingerprint(gateway), "", 0), seconds)
    return Brief("", 0)


def _keep_rows(owner: str, endpoint: Endpoint, records: Iterable[Record]) -> None:
    now = datetime.now(UTC)
    rows = {_row_place(owner, endpoint, record.id): (owner, record.raw, now) for record in records}
    cache.set_many(rows, KEPT_ROW)


def _title(endpoint: Endpoint, record: Record) -> str:
    return str(record[endpoint.label_field] or "")


def _place(owner: str, endpoint: Endpoint, record_id: int) -> str:
    return f"title:{owner}:{endpoint.name}:{record_id}"


def _row_place(owner: str, endpoint: Endpoint, record_id: int) -> str:
    return f"row:{owner}:{endpoint.name}:{record_id}"


def _members_place(owner: str, endpoint: Endpoint, parent: int) -> str:
    return f"members:{owner}:{endpoint.name}:{parent}"


@once
def _pool() -> ThreadPoolExecutor:
    """Made at first use, which is after a server has forked."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="lookup")
