"""The caller index of a workspace: marks of all its contacts, which a job reads page by page.

A mark reveals neither name nor number. A match is an id; the contact is read with the keys of the
person who searches before it is shown.
"""

import time
from datetime import timedelta
from functools import partial
from itertools import chain

from django.core.cache import cache
from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django_tasks import task

from dashboard.core import retention
from dashboard.core.sealed import marks_of
from dashboard.gateway import CONTACTS, Page, Record
from dashboard.jobs import services
from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.list_reading import read_on
from dashboard.jobs.models import Job
from dashboard.people.context import RequestContext
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.reader import identity, listing
from dashboard.resources.contacts import CONTACTS as RESOURCE
from dashboard.schema.phones import phones_of
from dashboard.search.models import CallerIndex, ContactMark

KIND = "caller_index"
PURPOSE = "marks of contacts"
RENEWAL_INTERVAL = timedelta(days=1)
RETRY_DELAY = 3600  # seconds
BATCH_SIZE = 500  # rows of one statement
Marks = list[tuple[int, str]]  # pairs of an id and a mark


def last_read(workspace: str) -> CallerIndex | None:
    """Return the last finished index; None if there is none or it was emptied."""
    finished = CallerIndex.objects.filter(workspace=workspace, job__state=Job.State.FINISHED)
    recent = finished.filter(job__created_at__gt=timezone.now() - ContactMark.MARK_RETENTION)
    return recent.select_related("job").order_by("-job__created_at").first()


def under_way(workspace: str) -> CallerIndex | None:
    running = CallerIndex.objects.filter(workspace=workspace, job__state__in=RUNNABLE)
    return running.select_related("job").order_by("-job__created_at").first()


def renew(ctx: RequestContext, last: CallerIndex | None) -> None:
    """Start a job of the person that reads the contacts, unless one has finished within a day or
    started within an hour. Raises django.db.Error.
    """
    is_fresh = last is not None and last.job.created_at > timezone.now() - RENEWAL_INTERVAL
    if is_fresh or not ctx.workspace or not ctx.may(EDIT_RECORDS):
        return
    if not cache.add(f"caller_index:{ctx.workspace}", True, RETRY_DELAY):
        return
    title = "Load phone numbers of all contacts"
    with transaction.atomic():
        job = services.create(ctx, kind=KIND, title=title, resource=CONTACTS.name)
        CallerIndex.objects.create(job=job, workspace_id=ctx.workspace)


def read_slice(job_slice: Slice) -> bool:
    """Read the next pages; return True if finished. The last slice empties earlier indexes."""
    index = CallerIndex.objects.select_related("job").get(job=job_slice.job)
    workspace = index.workspace_id
    read = partial(job_slice.ctx.gateway.list, CONTACTS, page_size=listing.PAGE_SIZE)
    is_read = read_on(
        job_slice,
        index,
        listing.Pages(
            read, begin=index.pages_read, goes_on=lambda: time.monotonic() < job_slice.deadline
        ),
        make=lambda page: _marked(workspace, page),
        store=lambda marks: _store(index, chain.from_iterable(marks)),
    )
    if is_read:
        empty_earlier.enqueue(index.pk)
    return is_read


@task()
def empty_earlier(pk: int) -> None:
    index = CallerIndex.objects.filter(pk=pk).first()
    if index:
        retention.delete(ContactMark.objects.filter(index__workspace=index.workspace, index__lt=pk))


def by_number(last: CallerIndex, typed: str, most: int) -> list[int]:
    """Return the ids of contacts that may have this number."""
    return _having(last, identity.number_keys(typed), most)


def by_words(last: CallerIndex, text: str, most: int) -> list[int]:
    """Return the ids of contacts with this email address, or with all of these words in
    their name.
    """
    if "@" in text:
        return _having(last, [f"email {identity.key('cstemail', text)}"], most)
    words = identity.words_of(text)
    return _having(last, [f"word {word}" for word in words], most, least=len(words))


KINDS = (JobKind(name=KIND, run=read_slice, permission=EDIT_RECORDS),)


def _having(last: CallerIndex, keys: list[str], most: int, least: int = 1) -> list[int]:
    marks = [mark for key in keys for mark in _marks(last.workspace_id, key)]
    found = last.marks.filter(mark__in=marks).values("record_id").annotate(had=Count("mark"))
    ids = found.filter(had__gte=least).order_by("-record_id")
    return list(ids.values_list("record_id", flat=True)[:most])


def _marks(workspace: str, key: str) -> list[str]:
    return marks_of(f"{workspace} {key}", PURPOSE)


def _marked(workspace: str, page: Page) -> Marks:
    return [
        (record.id, _marks(workspace, key)[0]) for record in page.records for key in _keys(record)
    ]


def _keys(record: Record) -> set[str]:
    name, email = (str(record[field] or "") for field in ("cstname", "cstemail"))
    return identity.keys_of(name, email, phones_of(RESOURCE.create_form, record))


def _store(index: CallerIndex, marks: "chain[tuple[int, str]]") -> None:
    rows = [ContactMark(index=index, record_id=number, mark=mark) for number, mark in marks]
    ContactMark.objects.bulk_create(rows, batch_size=BATCH_SIZE, ignore_conflicts=True)
