"""Records by their ids, kept for a short time: whole ones, and the rows of lists without get.

The API has no call that returns several records by id, so each takes one get. They are read a few
at a time.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from dashboard.gateway import Endpoint, Gateway, Record, side_by_side
from dashboard.gateway.errors import Busy, KeysRefused, Unavailable
from dashboard.gateway.records import record_of
from dashboard.reader import sealed_cache

AT_ONCE = 8  # of one page, so that other people's calls keep their turn
WHOLE, ROW = "whole", "row"  # kinds of cache keys
KEPT = {WHOLE: 60, ROW: 30 * 60}  # seconds
STOPPING = (Busy, KeysRefused, Unavailable)  # the next record would fail the same way


class CachedRow(NamedTuple):
    """A list row and the time it was read (UTC)."""

    record: Record
    seen: datetime


def cached_records(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, Record]:
    """The records by id that were read within the last minute."""
    return {number: each.record for number, each in _cached(gateway, endpoint, WHOLE, ids).items()}


def read_records(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, Record]:
    """The records by id, without those that cannot be read."""
    wanted = list(dict.fromkeys(ids))
    found = cached_records(gateway, endpoint, wanted)
    missing = [number for number in wanted if number not in found]
    calls = (partial(gateway.get, endpoint, number) for number in missing)
    read: dict[int, Record] = {}
    for answer in side_by_side.stream(calls, AT_ONCE):
        if isinstance(answer, STOPPING):
            break
        if isinstance(answer, Record):
            read[answer.id] = answer
    _cache(gateway, endpoint, WHOLE, read.values())
    return found | read


def cached_row(gateway: Gateway, endpoint: Endpoint, record_id: int) -> CachedRow | None:
    """The list row of a record as it was last read, None if it is not cached."""
    return _cached(gateway, endpoint, ROW, [record_id]).get(record_id)


def cache_rows(gateway: Gateway, endpoint: Endpoint, rows: Iterable[Record]) -> None:
    """Cache rows of a list as they are read; only those of an endpoint without get are used."""
    if "get" not in endpoint.operations:
        _cache(gateway, endpoint, ROW, rows)


def uncache(gateway: Gateway, endpoint: Endpoint, record_id: int) -> None:
    """Delete the cache entries of a record that may have changed."""
    key = sealed_cache.keys_of(gateway)
    sealed_cache.delete(key(kind, endpoint, record_id) for kind in (WHOLE, ROW))


def _cached(
    gateway: Gateway, endpoint: Endpoint, kind: str, ids: Iterable[int]
) -> dict[int, CachedRow]:
    key = sealed_cache.keys_of(gateway)
    found = sealed_cache.read_many(key(kind, endpoint, number) for number in ids)
    rows = ((record_of(endpoint, raw), seen) for raw, seen in found.values())
    return {row.id: CachedRow(row, datetime.fromisoformat(seen)) for row, seen in rows if row}


def _cache(gateway: Gateway, endpoint: Endpoint, kind: str, records: Iterable[Record]) -> None:
    key, now = sealed_cache.keys_of(gateway), datetime.now(UTC).isoformat()
    raw = {key(kind, endpoint, record.id): (record.raw, now) for record in records}
    sealed_cache.write_many(raw, KEPT[kind])
