"""The job that reads a list to its end, some pages a turn, and stores what its filters keep."""

import time
from dataclasses import replace
from functools import partial
from itertools import chain

from django.db import transaction
from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone

from dashboard import resources
from dashboard.accounts.models import User
from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext
from dashboard.declare.filters import LocalFilter
from dashboard.jobs import leases, services
from dashboard.jobs.kinds import JobKind, Turn
from dashboard.jobs.list_reading import KEPT, delete_later, read_on
from dashboard.jobs.models import Job
from dashboard.lists import fetching
from dashboard.lists.query import ListQuery
from dashboard.reader import listing
from dashboard.reader.sealed_cache import owner_of
from dashboard.scans import storage
from dashboard.scans.models import Scan
from dashboard.sealed import readable
from dashboard.text.style import Style

KIND = "scan"
MOST_SORTED = 5_000  # matches; more stay in the order of the service


def create(ctx: RequestContext, person: User, query: ListQuery, total: int | None) -> Job:
    """Begin a scan of the list; the one of the same list that is under way, if there is one.

    `total`: how many records are to be read, as far as the service says. Raises django.db.Error.
    """
    if earlier := _find(ctx, person, query, Q(state__in=leases.RUNNABLE)):
        return earlier
    with transaction.atomic():
        job = services.create(
            person=person,
            owner=owner_of(ctx.gateway),
            workspace=ctx.workspace,
            kind=KIND,
            title=f"Look through {query.resource.name}",
            resource=query.resource.name,
            params={"query": _asked(query)},
            total=total or 0,
        )
        delete_later(Scan.objects.create(job=job))
    return job


def latest(ctx: RequestContext, person: User, query: ListQuery) -> Scan | None:
    """The last scan of the list that is under way, or whose matches are still kept."""
    is_kept = Q(state=Job.State.FINISHED, finished_at__gt=timezone.now() - KEPT)
    job = _find(ctx, person, query, is_kept | Q(state__in=[*leases.RUNNABLE, Job.State.PAUSED]))
    return Scan.objects.select_related("job").get(job=job) if job else None


def query_of(job: Job, style: Style) -> ListQuery:
    """The list that a scan reads. Raises sealed.Unreadable."""
    asked = QueryDict(mutable=True)
    asked.update(job.params["query"])
    return ListQuery.read(resources.BY_NAME[job.resource], asked, style)


def take_turn(turn: Turn) -> bool:
    """Read the next pages, and order what was found after the last; whether it is finished."""
    scan = Scan.objects.select_related("job").get(job=turn.job)
    query = query_of(turn.job, turn.ctx.style)
    local = fetching.local_filters(query, turn.ctx)
    if not _read_on(turn, scan, query, local):
        return False
    if scan.matches.count() <= MOST_SORTED:
        matches = scan.matches.select_related("scan__job")
        records = [storage.record(match, query.resource.endpoint) for match in matches]
        storage.set_order(scan, [one.id for one in fetching.in_order(query, local, records)])
    return True


KINDS = (
    JobKind(
        name=KIND,
        turn=take_turn,
        permission=EDIT_RECORDS,
        result="scans:show",
        result_words="What it found",
    ),
)


def _asked(query: ListQuery) -> dict[str, str]:
    return replace(query.as_of_today(), page=1).params()


def _find(ctx: RequestContext, person: User, query: ListQuery, only: Q) -> Job | None:
    """The newest job of a person that reads this list, in one of some states."""
    asked = _asked(query)
    jobs = Job.objects.filter(only, person=person, kind=KIND, resource=query.resource.name)
    for job in jobs.filter(owner=owner_of(ctx.gateway)).order_by("-pk"):
        if readable(job, "params").get("query") == asked:
            return job
    return None


def _read_on(turn: Turn, scan: Scan, query: ListQuery, local: list[LocalFilter]) -> bool:
    """Read pages until the turn ends, and store what was found; whether the list has ended."""
    read = partial(
        turn.ctx.gateway.list,
        query.resource.endpoint,
        search=query.search,
        filters=fetching.filters_sent(query, local),
        page_size=listing.PAGE_SIZE,
    )
    return read_on(
        turn,
        scan,
        listing.Pages(read, begin=scan.pages_read, goes_on=lambda: time.monotonic() < turn.ends),
        make=lambda page: [each for each in page.records if fetching.keeps(local, each)],
        store=lambda kept: storage.add(scan, chain.from_iterable(kept)),
    )
