"""Stores the records that a scan has found, reads them back, and deletes them after a day."""

from collections.abc import Iterable

from django.utils import timezone
from django_tasks import task

from dashboard.exports.models import KEPT
from dashboard.gateway import Endpoint, Record
from dashboard.gateway.records import record_of
from dashboard.jobs.models import Job
from dashboard.scans.models import Match, Scan
from dashboard.sealed import Unreadable

AT_A_TIME = 500  # rows of one statement


def add(scan: Scan, records: Iterable[Record]) -> None:
    """Store matches; one that is stored already stays as it is. Raises django.db.Error."""
    found = []
    for record in records:
        match = Match(scan=scan, record_id=record.id)
        match.content = record.raw
        found.append(match)
    Match.objects.bulk_create(found, batch_size=AT_A_TIME, ignore_conflicts=True)


def record(match: Match, endpoint: Endpoint) -> Record:
    """The record of a match. Raises sealed.Unreadable."""
    found = record_of(endpoint, match.content)
    if found is None:
        raise Unreadable("It is no record.")
    return found


def set_order(scan: Scan, ids: Iterable[int]) -> None:
    """Put the matches in the order of these ids."""
    places = {number: place for place, number in enumerate(ids)}
    matches = list(scan.matches.only("pk", "record_id"))
    for match in matches:
        match.position = places.get(match.record_id, 0)
    Match.objects.bulk_update(matches, ["position"], batch_size=AT_A_TIME)


@task()
def delete_expired(scan: int) -> None:
    """Delete the matches of a scan that ended a day ago; look again later if it goes on."""
    found = Scan.objects.select_related("job").filter(pk=scan).first()
    if found is None:
        return
    ended = found.job.finished_at
    if found.job.state == Job.State.STOPPED or (ended and ended + KEPT <= timezone.now()):
        found.matches.all().delete()
    else:
        delete_later(found)


def delete_later(scan: Scan) -> None:
    """Delete the matches in a day, or after the day in which the scan has ended."""
    delete_expired.using(run_after=timezone.now() + KEPT).enqueue(scan.pk)
