"""Reads a list to its end in slices of a job, and stores results of its pages."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import transaction

from dashboard.gateway import Page
from dashboard.jobs import leases
from dashboard.jobs.kinds import Slice
from dashboard.jobs.models import Job, StoredReading
from dashboard.jobs.row_results import READ
from dashboard.reader.listing import Pages

BATCH_SIZE = 500  # records that are stored together
Made = TypeVar("Made")


def read_on(
    job_slice: Slice,
    reading: StoredReading,
    pages: Pages,
    make: Callable[[Page], Made],
    store: Callable[[Sequence[Made]], None],
) -> bool:
    """Read pages and store their results. Return True at the end of the list.

    `store` runs in the transaction that counts these pages as read. Raises GatewayError, LeaseLost
    or django.db.Error; results of earlier pages are stored.
    """
    part: list[tuple[Page, Made]] = []
    try:
        for page in pages:
            part.append((page, make(page)))
            if sum(len(each.records) for each, _ in part) >= BATCH_SIZE:
                full, part = part, []
                _store(job_slice.job, reading, full, store)
    finally:
        if part:
            _store(job_slice.job, reading, part, store)
    return pages.ended


def _store(
    job: Job,
    reading: StoredReading,
    part: list[tuple[Page, Made]],
    store: Callable[[Sequence[Made]], None],
) -> None:
    records = sum(len(page.records) for page, _ in part)
    job.counts = {READ: job.counts.get(READ, 0) + records}
    with transaction.atomic():
        leases.renew(job)
        store([made for _, made in part])
        for page, _ in part:
            reading.see(page)
        reading.save(update_fields=reading.WRITTEN)
        Job.objects.filter(pk=job.pk).update(counts=job.counts)
