"""Stores the records that a scan has found and reads them back."""

from collections.abc import Iterable

from dashboard.gateway import Endpoint, Record
from dashboard.gateway.records import record_of
from dashboard.scans.models import Match, Scan
from dashboard.sealed import Unreadable

AT_A_TIME = 500  # rows of one statement


def add(scan: Scan, records: Iterable[Record]) -> None:
    """Store matches; one that is stored already stays as it is. Raises django.db.Error."""
    matches = []
    for record in records:
        match = Match(scan=scan, record_id=record.id)
        match.content = record.raw
        matches.append(match)
    Match.objects.bulk_create(matches, batch_size=AT_A_TIME, ignore_conflicts=True)


def record(match: Match, endpoint: Endpoint) -> Record:
    """The record of a match. Raises sealed.Unreadable."""
    opened = record_of(endpoint, match.content)
    if opened is None:
        raise Unreadable("It is no record.")
    return opened


def set_order(scan: Scan, ids: Iterable[int]) -> None:
    """Put the matches in the order of these ids."""
    places = {number: place for place, number in enumerate(ids)}
    matches = list(scan.matches.only("pk", "record_id"))
    for match in matches:
        match.position = places.get(match.record_id, 0)
    Match.objects.bulk_update(matches, ["position"], batch_size=AT_A_TIME)
