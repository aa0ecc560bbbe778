"""The deals of one pipeline by their stage. It is read-only: the service takes no stage from us.

A list row does not tell the stage, so each stage is asked for by itself, side by side.
"""

from functools import partial
from time import monotonic
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.cached_lists import CachedEntry
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, DEALS, GatewayError, Page, Record, side_by_side
from dashboard.records.addresses import address
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.display import cells, values
from dashboard.records.display.values import DisplayValue
from dashboard.records.pages.blocks import amount_of, is_complete, sum_of
from dashboard.records.pages.failures import describe
from dashboard.records.parsing.numbers import write_amount
from dashboard.records.references import titles
from dashboard.records.resource import Resource

DEALS_READ = 25  # of each stage
MOST_STAGES = 12
COMPANY = cells.pointer(CONTACTS, "cstid")


class Card(NamedTuple):
    """One deal on the board."""

    name: DisplayValue
    company: DisplayValue
    amount: str


class Column(NamedTuple):
    """One stage: its deals, how many are known, and their sum; or why they could not be read."""

    title: str
    url: str
    known: str = ""
    total: str = ""
    is_partial: bool = False
    cards: tuple[Card, ...] = ()
    failure: str = ""


def show(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The board of the pipeline in ?pipeline=, else of the first one."""
    begun, ctx = monotonic(), context_of(request)
    pipelines = catalogue.entries(ctx.workspace, Kind.PIPELINE)
    asked = request.GET.get("pipeline", "")
    chosen = next((each for each in pipelines if each.code == asked), None)
    chosen = chosen or (pipelines[0] if pipelines else None)
    stages = _stages(ctx, chosen.code) if chosen else []
    pages = side_by_side.run([partial(_read, ctx, stage) for stage in stages])
    records = [each for page in pages if isinstance(page, Page) for each in page.records]
    pointing = titles.pointers([each for each in resource.columns if each.name == "cstid"], records)
    ctx = titles.name(ctx, pointing, round_trip=monotonic() - begun)
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "pipelines": [
            (each.name, f"{resource.url(action='board')}?pipeline={each.code}", each is chosen)
            for each in pipelines
        ],
        "columns": [_column(ctx, stage, page) for stage, page in zip(stages, pages, strict=True)],
        "late": ctx.late,
    }
    return render(request, "overviews/board.html", context)


def _stages(ctx: RequestContext, pipeline: str) -> list[CachedEntry]:
    stages = catalogue.entries(ctx.workspace, Kind.STAGE)
    return [each for each in stages if each.parent == pipeline][:MOST_STAGES]


def _read(ctx: RequestContext, stage: CachedEntry) -> Page:
    wanted = {"deal_current_stage": int(stage.code), "pipeline_id": int(stage.parent)}
    return ctx.gateway.list(DEALS, filters=wanted, page_size=DEALS_READ)


def _column(ctx: RequestContext, stage: CachedEntry, page: Page | GatewayError) -> Column:
    url = address(DEALS.name, query={"deal_current_stage": stage.code})
    if isinstance(page, GatewayError):
        return Column(stage.name, url, failure=describe(page).title)
    return Column(
        stage.name,
        url,
        "" if page.total_records is None else f"{page.total_records:,}",
        write_amount(sum_of(page.records, "deal_amount"), ctx.style),
        not is_complete(page),
        tuple(_card(ctx, record) for record in page.records),
    )


def _card(ctx: RequestContext, record: Record) -> Card:
    name = values.link(address(DEALS.name, record.id), str(record["deal_name"] or record.id))
    return Card(name, COMPANY(record, ctx), amount_of(record, "deal_amount", ctx))
