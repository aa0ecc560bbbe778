"""Records by their ids, cached per key pair: titles and parents, whole records, and the rows of
lists without get.

The API has no call that returns several records by id, so each takes one get. Those for titles run
in a thread pool of the process. A caller waits at most as long as it says; an answer that arrives
later is cached for the next caller.
"""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

from dashboard.gateway import (
    Endpoint,
    Forbidden,
    Gateway,
    GatewayError,
    Missing,
    NotAllowed,
    NotOffered,
    Page,
    Record,
    concurrency,
)
from dashboard.gateway.errors import Busy, KeysRefused, Unavailable
from dashboard.gateway.records import currency_id, record_of
from dashboard.reader import sealed_cache

Pointer = tuple[Endpoint, int]
RecordId = tuple[str, int]  # the endpoint's name and the id

THREADS = 32  # the lookups of 25 rows start at once
MAX_LOOKUPS = 200  # for one page
MAX_CHILDREN = 50
TITLE, PAGE, CHILDREN, CURRENCY = "title", "page", "members", "currency"  # kinds of cache keys
# How long entries stay in the cache, in seconds.
TITLE_TTL = 12 * 60 * 60  # a day's work; restarted by every list and record with the name
CURRENCY_TTL = 30 * 24 * 60 * 60  # a document seldom gets another one
PAGE_TTL = 60
MISSING_TTL = 60
FAILED_TTL = 10  # so that the rows of a page do not repeat a call that has just failed


class Summary(NamedTuple):
    """The cached parts of a record.

    title: "" if the record does not exist or has no title.
    parent: the parent's id, 0 for none, None if only a list row was read.
    """

    title: str
    parent: int | None = None


_running: dict[str, "Future[Summary]"] = {}
_lock = Lock()


def load_titles(
    gateway: Gateway, pointers: Iterable[Pointer], *, seconds: float
) -> dict[RecordId, str]:
    """Return the titles that arrive within `seconds`; "" for a record that cannot be read."""
    summaries = _load_summaries(gateway, pointers, seconds, with_parent=False)
    return {record_id: summary.title for record_id, summary in summaries.items()}


def cached_titles(gateway: Gateway, pointers: Iterable[Pointer]) -> dict[RecordId, str]:
    """Return the cached titles; "" for a record that could not be read."""
    keys = sealed_cache.keys_of(gateway)
    asked = {keys(TITLE, *pointer): pointer for pointer in pointers}
    found = _read_summaries(asked)
    return {(asked[key][0].name, asked[key][1]): each.title for key, each in found.items()}


def load_parents(
    gateway: Gateway, pointers: Iterable[Pointer], *, seconds: float
) -> dict[RecordId, int]:
    """Return the parent ids that arrive within `seconds`; 0 for none."""
    summaries = _load_summaries(gateway, pointers, seconds, with_parent=True)
    return {record_id: summary.parent or 0 for record_id, summary in summaries.items()}


def cached_children(gateway: Gateway, endpoint: Endpoint, parent: int) -> tuple[int, ...]:
    """Return the ids of records read by id whose parent is `parent`, latest first."""
    key = sealed_cache.keys_of(gateway)
    return tuple(sealed_cache.read(key(CHILDREN, endpoint, parent)) or ())


def list_page(gateway: Gateway, endpoint: Endpoint, **asked: Any) -> Page:
    """Read one page of a list and cache its titles; `asked` as of Gateway.list."""
    page = gateway.list(endpoint, **asked)
    cache_rows(gateway, endpoint, page.records)
    return page


def cache_rows(gateway: Gateway, endpoint: Endpoint, records: Collection[Record]) -> None:
    """Cache the titles of list rows, and the whole rows of an endpoint without get."""
    key = sealed_cache.keys_of(gateway)
    titles = {key(TITLE, endpoint, record.id): _title(endpoint, record) for record in records}
    page = key(PAGE, endpoint, sha256(repr(titles).encode()).hexdigest())
    if not sealed_cache.read(page):  # no read of 25 entries for a page that was cached before
        _cache_titles(titles)
        sealed_cache.write(page, True, PAGE_TTL)
    if "get" not in endpoint.operations:
        _cache(gateway, endpoint, records)


def _cache_titles(titles: Mapping[str, str]) -> None:
    cached = _read_summaries(titles)
    values = {
        key: cached.get(key, Summary(""))._replace(title=title)
        for key, title in titles.items()
        if title
    }
    sealed_cache.write_many(values, TITLE_TTL)


def cache_title(gateway: Gateway, endpoint: Endpoint, record_id: int, title: str) -> None:
    key = sealed_cache.keys_of(gateway)
    sealed_cache.write(key(TITLE, endpoint, record_id), Summary(title), TITLE_TTL)


def cache_record(gateway: Gateway, endpoint: Endpoint, record: Record) -> Summary:
    key = sealed_cache.keys_of(gateway)
    parent = record[endpoint.parent_field] if endpoint.parent_field else None
    summary = Summary(_title(endpoint, record), parent if isinstance(parent, int) else 0)
    sealed_cache.write(key(TITLE, endpoint, record.id), summary, TITLE_TTL)
    _cache_currencies(gateway, endpoint, [record])
    if summary.parent:
        known = cached_children(gateway, endpoint, summary.parent)
        ids = (record.id, *(number for number in known if number != record.id))[:MAX_CHILDREN]
        sealed_cache.write(key(CHILDREN, endpoint, summary.parent), ids, TITLE_TTL)
    return summary


def currencies(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, int]:
    """Return the cached currency ids of records whose whole record was read before."""
    key = sealed_cache.keys_of(gateway)
    keys = {key(CURRENCY, endpoint, number): number for number in ids}
    return {keys[each]: code for each, code in sealed_cache.read_many(keys).items()}


def _cache_currencies(gateway: Gateway, endpoint: Endpoint, records: Iterable[Record]) -> None:
    key = sealed_cache.keys_of(gateway)
    codes = ((record.id, currency_id(record)) for record in records)
    known = {key(CURRENCY, endpoint, number): code for number, code in codes if code}
    if known:
        sealed_cache.write_many(known, CURRENCY_TTL)


def uncache_record(gateway: Gateway, endpoint: Endpoint, record_id: int) -> None:
    key = sealed_cache.keys_of(gateway)
    sealed_cache.delete(key(kind, endpoint, record_id) for kind in (TITLE, RECORD))


def _load_summaries(
    gateway: Gateway, asked: Iterable[Pointer], seconds: float, *, with_parent: bool
) -> dict[RecordId, Summary]:
    key_of = sealed_cache.keys_of(gateway)
    pointers = {key_of(TITLE, *pointer): pointer for pointer in asked}
    summaries = {
        key: summary
        for key, summary in _read_summaries(pointers).items()
        if not with_parent or summary.parent is not None
    }
    missing = [(key, pointer) for key, pointer in pointers.items() if key not in summaries]
    futures = {key: _start_lookup(gateway, key, *pointer) for key, pointer in missing[:MAX_LOOKUPS]}
    if futures:
        wait(futures.values(), timeout=seconds)
    answered = ((key, future) for key, future in futures.items() if future.done())
    summaries |= {key: future.result() for key, future in answered if not future.exception()}
    return {
        (pointers[key][0].name, pointers[key][1]): summary for key, summary in summaries.items()
    }


def _read_summaries(keys: Iterable[str]) -> dict[str, Summary]:
    return {key: Summary(*parts) for key, parts in sealed_cache.read_many(keys).items()}


def _start_lookup(
    gateway: Gateway, key: str, endpoint: Endpoint, record_id: int
) -> "Future[Summary]":
    with _lock:
        future = _running.get(key)
        if future is None:
            future = _running[key] = _pool().submit(_fetch, gateway, key, endpoint, record_id)
            future.add_done_callback(lambda _: _running.pop(key, None))
    return future


def _fetch(gateway: Gateway, key: str, endpoint: Endpoint, record_id: int) -> Summary:
    try:
        return cache_record(gateway, endpoint, gateway.get(endpoint, record_id))
    except (Forbidden, Missing, NotAllowed, NotOffered):
        seconds = MISSING_TTL
    except GatewayError:
        seconds = FAILED_TTL  # the page is shown without the title
    # add() keeps a title that was cached from a list row, as the service may reject a get.
    sealed_cache.add(key, Summary("", 0), seconds)
    return Summary("", 0)


def _title(endpoint: Endpoint, record: Record) -> str:
    return str(record[endpoint.label_field] or "")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="lookup")


CONFIRMED_TTL = 15  # seconds, as long as a browser may take from a save to the page of the record


def keep_confirmed(gateway: Gateway, endpoint: Endpoint, record: Record) -> None:
    """Cache a record for its page, which opens next, as the read after its create returned it."""
    _cache(gateway, endpoint, [record], is_confirmed=True)


def read_for_page(
    gateway: Gateway, endpoint: Endpoint, record_id: int, *, after_save: bool
) -> Record:
    """Read the record for its page and cache its title. Raises GatewayError. after_save: the page
    opens after a save. It uses the record of `keep_confirmed` once; any other page reads the
    record, which someone else may have changed since.
    """
    confirmed = pop_confirmed(gateway, endpoint, record_id) if after_save else None
    record = confirmed or gateway.get(endpoint, record_id)
    cache_record(gateway, endpoint, record)
    return record


def pop_confirmed(gateway: Gateway, endpoint: Endpoint, record_id: int) -> Record | None:
    """Return the record of `keep_confirmed`, once; None if there is none."""
    cached = _cached(gateway, endpoint, [record_id]).get(record_id)
    if cached is None or not cached.is_confirmed or not cached.is_younger_than(CONFIRMED_TTL):
        return None
    _cache(gateway, endpoint, [cached.record])
    return cached.record


MAX_CONCURRENT_CALLS = 8  # of one page, so that other people's calls keep their turn
RECORD = "record"  # a kind of cache key
RECORD_TTL, ROW_TTL = 60, 30 * 60  # seconds; the rows of an endpoint without get stay longer
FATAL_ERRORS = (Busy, KeysRefused, Unavailable)  # the next record would fail the same way


class CachedRecord(NamedTuple):
    """A record, or the list row of an endpoint without get, and the time it was read (UTC)."""

    record: Record
    read_at: datetime
    is_confirmed: bool = False

    def is_younger_than(self, seconds: int) -> bool:
        return datetime.now(UTC) - self.read_at < timedelta(seconds=seconds)


def cached_records(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, Record]:
    """Return the records by id that were read within the last minute."""
    cached = _cached(gateway, endpoint, ids).values()
    return {each.record.id: each.record for each in cached if each.is_younger_than(RECORD_TTL)}


def read_records(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, Record]:
    numbers = list(dict.fromkeys(ids))
    cached = cached_records(gateway, endpoint, numbers)
    missing = [number for number in numbers if number not in cached]
    read: dict[int, Record] = {}
    for answer in concurrency.map(partial(gateway.get, endpoint), missing, MAX_CONCURRENT_CALLS):
        if isinstance(answer, FATAL_ERRORS):
            break
        if isinstance(answer, Record):
            read[answer.id] = answer
    _cache(gateway, endpoint, read.values())
    _cache_currencies(gateway, endpoint, read.values())
    return cached | read


def cached_row(gateway: Gateway, endpoint: Endpoint, record_id: int) -> CachedRecord | None:
    """Return the last read list row of a record, None if it is not cached."""
    return _cached(gateway, endpoint, [record_id]).get(record_id)


def _cached(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, CachedRecord]:
    key = sealed_cache.keys_of(gateway)
    entries = sealed_cache.read_many(key(RECORD, endpoint, number) for number in ids)
    found = ((record_of(endpoint, raw), *rest) for raw, *rest in entries.values())
    return {
        record.id: CachedRecord(record, datetime.fromisoformat(at), is_confirmed)
        for record, at, is_confirmed in found
        if record
    }


def _cache(
    gateway: Gateway, endpoint: Endpoint, records: Iterable[Record], *, is_confirmed: bool = False
) -> None:
    key, now = sealed_cache.keys_of(gateway), datetime.now(UTC).isoformat()
    entries = {key(RECORD, endpoint, each.id): (each.raw, now, is_confirmed) for each in records}
    sealed_cache.write_many(entries, RECORD_TTL if "get" in endpoint.operations else ROW_TTL)
