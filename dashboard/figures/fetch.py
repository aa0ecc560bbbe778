"""Reads the lists that figures are made of: one round of calls side by side.

Each list is a ListQuery, so that what is read is what its address shows. A list that has more rows
than are read at once is taken from the job that read it to its end, if there is one (scans/).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from time import monotonic

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.figures import groups
from dashboard.figures.periods import Span, year_before
from dashboard.gateway import GatewayError, Record
from dashboard.jobs.models import Job
from dashboard.lists.query import ListQuery
from dashboard.reader.all_rows import Reading, ReadRows
from dashboard.resources import BY_NAME
from dashboard.scans import jobs as scans
from dashboard.scans import storage
from dashboard.scans.models import Scan
from dashboard.text.dates import A_DAY

PATIENCE = 8.0  # seconds that the page waits for its slowest list
MOST_STAGES = 8
MOST_PEOPLE = 6
PAGES_OF_STAGE = 2
AFTER = {"stages": "deals", "late": "done"}
OPEN_TASK, IN_PROGRESS, COMPLETED = "0", "1", "2"


@dataclass(frozen=True)
class Asked:
    """A list to be read. most: pages, None for as many as are read at once; only such a list may be
    read to its end by a job.
    """

    query: ListQuery
    most: int | None = None


@dataclass(frozen=True)
class ReadList:
    """A list as it was read; `scan`: the job that reads or has read it to its end."""

    query: ListQuery
    rows: ReadRows
    scan: Scan | None = None

    @property
    def records(self) -> tuple[Record, ...]:
        return self.rows.records

    @property
    def is_whole(self) -> bool:
        """Whether every row was read."""
        return self.rows.complete


Answer = ReadList | GatewayError


@dataclass(frozen=True)
class Stage:
    """A stage of a pipeline; both by their codes."""

    code: str
    name: str
    pipeline: str


def list_of(ctx: RequestContext, name: str, **filters: str) -> ListQuery:
    """The list of a resource by values of its filters, as they stand in its address."""
    resource: Resource = BY_NAME[name]
    given = {key: value for key, value in filters.items() if value}
    return ListQuery(resource, filters=given, sort=resource.default_sort, style=ctx.style)


def due_url(ctx: RequestContext, age: str, today: date) -> str:
    """The open invoices of an age; "" where no filter finds them."""
    span = groups.due_between(age, today)
    if span is None:
        return ""
    first, last = (str(day or "") for day in span)
    return list_of(ctx, "invoices", inv_status="0", due_on=f"{first}..{last}").url()


def stages_of(ctx: RequestContext) -> list[Stage]:
    """The stages that have a name and a pipeline, in their order."""
    named = catalogue.entries(ctx.workspace, Kind.STAGE)
    return [Stage(each.code, each.name, each.parent) for each in named if each.parent]


def people_of(ctx: RequestContext) -> dict[str, str]:
    """The names of the first users of the workspace, by their id."""
    named = catalogue.names(ctx.workspace, Kind.USER)
    return {str(number): name for number, name in list(named.items())[:MOST_PEOPLE]}


def lists(
    ctx: RequestContext, period: Span, today: date
) -> Mapping[str, Callable[[], list[Asked]]]:
    """What makes each of the lists that figures name."""

    def one(name: str, **filters: str) -> Callable[[], list[Asked]]:
        return lambda: [Asked(list_of(ctx, name, **filters))]

    return {
        "open": one("invoices", inv_status="0"),
        "invoiced": one("invoices", date=period.value),
        "before": one("invoices", date=year_before(period).value),
        "estimates": one("estimates", date=period.value),
        "deals": one("deals"),
        "leads": one("leads"),
        "stages": lambda: [
            Asked(
                list_of(ctx, "deals", pipeline_id=each.pipeline, deal_current_stage=each.code),
                PAGES_OF_STAGE,
            )
            for each in stages_of(ctx)[:MOST_STAGES]
        ],
        "done": lambda: _tasks(ctx, [COMPLETED], period.value),
        "late": lambda: _tasks(ctx, [OPEN_TASK, IN_PROGRESS], late_days(period, today)),
    }


def late_days(period: Span, today: date) -> str:
    """The days of a period that what is not done is late for, as a value of a filter; "" where
    there is none yet.
    """
    last = min(period.last, today - A_DAY)
    return Span(period.first, last).value if period.first <= last else ""


def _tasks(ctx: RequestContext, statuses: Iterable[str], due: str) -> list[Asked]:
    """The tasks of each person in each status, and those of everybody; one page tells how many."""
    people = [*people_of(ctx), ""] if due else []
    return [
        Asked(list_of(ctx, "tasks", status=status, assigned_user_id=person, due=due), 1)
        for person in people
        for status in statuses
    ]


Begun = tuple[Asked, Reading]


class Round:
    """The calls of one page. The first list of each name begins when it is made; those that there
    are many of follow once that one, or the one in AFTER, was answered: a service that fails is
    asked for little.
    """

    def __init__(self, ctx: RequestContext, asked: Mapping[str, list[Asked]]) -> None:
        self._ctx, self._asked = ctx, asked
        self._until = monotonic() + PATIENCE
        first = {name: every[:1] for name, every in asked.items() if name not in AFTER}
        self._begun = {name: list(map(self._begin, every)) for name, every in first.items()}

    def result(self) -> dict[str, list[Answer]]:
        """The answers by the name of their lists, each a result or its error."""
        answers = {name: self._answers(begun) for name, begun in self._begun.items()}
        following = {}
        for name, every in self._asked.items():
            before = answers.get(AFTER.get(name, name), [])
            if failed := [each for each in before if isinstance(each, GatewayError)]:
                answers[name] = [*failed]
            else:
                following[name] = list(map(self._begin, every if name in AFTER else every[1:]))
        for name, begun in following.items():
            answers[name] = [*answers.get(name, []), *self._answers(begun)]
        return answers

    def _begin(self, asked: Asked) -> Begun:
        query = asked.query
        return asked, Reading(
            self._ctx.gateway,
            query.resource.endpoint,
            filters=query.sent_filters(),
            until=self._until,
            most=asked.most,
        )

    def _answers(self, begun: Iterable[Begun]) -> list[Answer]:
        return [self._answer(*each) for each in begun]

    def _answer(self, asked: Asked, reading: Reading) -> Answer:
        try:
            rows = reading.result()
        except GatewayError as error:
            return error
        if rows.complete or asked.most is not None or self._ctx.person is None:
            return ReadList(asked.query, rows)
        scan = scans.latest(self._ctx, self._ctx.person, asked.query)
        return ReadList(asked.query, _rows_of(scan) or rows if scan else rows, scan)


def _rows_of(scan: Scan) -> ReadRows | None:
    """What a job has read of a list; None where it has not come to the end."""
    ended = scan.job.finished_at
    if scan.job.state != Job.State.FINISHED or ended is None:
        return None
    endpoint = BY_NAME[scan.job.resource].endpoint
    matches = scan.matches.select_related("scan__job")
    records = tuple(storage.record(match, endpoint) for match in matches)
    is_whole = not scan.is_changed and not scan.unreadable
    return ReadRows(records, scan.totals[-1] if scan.totals else None, ended, is_whole)
