"""Reads records by their ids for the columns that the rows of a list lack.

The API has no call that returns several records by id, so each takes one get. They are read a few
at a time and cached, sealed, for a minute.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from dashboard.gateway import Endpoint, Gateway, Record, side_by_side
from dashboard.gateway.errors import Busy, KeysRefused, Unavailable
from dashboard.gateway.records import record_of
from dashboard.reader import lookups, sealed_cache

AT_ONCE = 8  # of one page, so that other people's calls keep their turn
KEPT = 60  # seconds
STOPPING = (Busy, KeysRefused, Unavailable)  # the next record would fail the same way


def cached_records(gateway: Gateway, endpoint: Endpoint, ids: Iterable[int]) -> dict[int, Record]:
    """The records by id that were read within the last minute."""
    owner = lookups.fingerprint(gateway)
    found = sealed_cache.read_many(lookups.record_key(owner, endpoint, number) for number in ids)
    records = (record_of(endpoint, raw) for raw in found.values())
    return {record.id: record for record in records if record}


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
    _keep(gateway, endpoint, read)
    return found | read


def _keep(gateway: Gateway, endpoint: Endpoint, records: Mapping[int, Record]) -> None:
    owner = lookups.fingerprint(gateway)
    raw = {lookups.record_key(owner, endpoint, number): one.raw for number, one in records.items()}
    sealed_cache.write_many(raw, KEPT)
