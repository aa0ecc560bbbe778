"""Reads the lists that figures are made of, side by side, and at most so many pages of each.

Each list is a ListQuery, so that what is read is what its address shows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from time import monotonic

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.figures import groups
from dashboard.figures.periods import Span, year_before
from dashboard.gateway import GatewayError, Record, Rejected
from dashboard.lists.query import ListQuery
from dashboard.reader.all_rows import Reading, ReadRows
from dashboard.resources import BY_NAME

PATIENCE = 15.0  # seconds that the page waits for its slowest list
MOST_STAGES = 8
# At most 50 pages for one figure: it may be made of two lists, or of one for each stage.
MOST_PAGES = {"open": 50, "invoiced": 25, "before": 25, "deals": 50, "stages": 6, "pipeline": 1}
SORTS = {"open": "due_date"}  # the oldest first; others come in the service's order


@dataclass(frozen=True)
class ReadList:
    """A list as it was read."""

    query: ListQuery
    rows: ReadRows

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


def pipelines_of(ctx: RequestContext) -> dict[str, list[Stage]]:
    """The stages that have a name, in their order, by the code of their pipeline."""
    found: dict[str, list[Stage]] = {}
    for each in catalogue.entries(ctx.workspace, Kind.STAGE):
        if each.parent:
            found.setdefault(each.parent, []).append(Stage(each.code, each.name, each.parent))
    return found


def pipeline_of(ctx: RequestContext) -> str:
    """The code of the pipeline in the address, else of the first one that has stages, or ""."""
    pipelines, asked = pipelines_of(ctx), ctx.params.get("pipeline", "")
    return asked if asked in pipelines else next(iter(pipelines), "")


def stages_of(ctx: RequestContext) -> list[Stage]:
    """The stages of the pipeline that the page shows."""
    return pipelines_of(ctx).get(pipeline_of(ctx), [])


def lists(
    ctx: RequestContext, period: Span, today: date
) -> Mapping[str, Callable[[], list[ListQuery]]]:
    """What makes each of the lists that figures name."""

    def one(name: str, **filters: str) -> Callable[[], list[ListQuery]]:
        return lambda: [list_of(ctx, name, **filters)]

    pipeline = pipeline_of(ctx)
    return {
        "open": one("invoices", inv_status="0"),
        "invoiced": one("invoices", date=period.value),
        "before": one("invoices", date=year_before(period).value),
        "deals": one("deals"),
        "pipeline": one("deals", pipeline_id=pipeline) if pipeline else list,
        "stages": lambda: [
            list_of(ctx, "deals", pipeline_id=each.pipeline, deal_current_stage=each.code)
            for each in stages_of(ctx)[:MOST_STAGES]
        ],
    }


def read(ctx: RequestContext, queries: Mapping[str, list[ListQuery]]) -> dict[str, list[Answer]]:
    """The lists by their names. All are begun before the first one is waited for."""
    until = monotonic() + PATIENCE
    begun = {
        name: [(each, _begin(ctx, name, each, until, SORTS.get(name, ""))) for each in every]
        for name, every in queries.items()
    }
    return {
        name: [_answer(ctx, name, until, *each) for each in every] for name, every in begun.items()
    }


def _begin(ctx: RequestContext, name: str, query: ListQuery, until: float, sort: str) -> Reading:
    return Reading(
        ctx.gateway,
        query.resource.endpoint,
        filters=query.sent_filters(),
        sort=sort,
        until=until,
        most=MOST_PAGES[name],
    )


def _answer(
    ctx: RequestContext, name: str, until: float, query: ListQuery, reading: Reading
) -> Answer:
    """What was read; unsorted where the service refuses the order."""
    try:
        try:
            return ReadList(query, reading.result())
        except Rejected:
            if name not in SORTS:
                raise
            return ReadList(query, _begin(ctx, name, query, until, "").result())
    except GatewayError as error:
        return error
