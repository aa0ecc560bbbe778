"""The deals of one pipeline by their stage. They can be moved if the service accepts a stage in an
update.

A list row does not contain the stage, so each stage is a list call of its own, made concurrently.
Deals without a stage cannot be listed: their number is the pipeline's less those of its stages.
"""

from datetime import date
from functools import partial
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone

from dashboard.core.templates import address
from dashboard.gateway import CONTACTS, DEALS, GatewayError, Page, Record, concurrency
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS
from dashboard.reader.failures import Failure, describe
from dashboard.records.panels import summarise_failures
from dashboard.schema import cells, charts, titles, values
from dashboard.schema.cells import Names
from dashboard.schema.charts import Segment
from dashboard.schema.money import Currencies, currencies_of
from dashboard.schema.resource import Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import late_by, relative_day
from dashboard.writes.ledger import new_token

from .stages import (
    STAGE,
    Stage,
    StagesIgnored,
    check_stages,
    count_without_stage,
    may_move,
    stages,
)

MAX_DEALS = 25  # of each stage
MAX_STAGES = 12
COMPANY = cells.pointer(CONTACTS, "cstid")
NO_BREAK = "\u00a0"  # a space at which no line ends
DAYS_OF_A_WEEK = 7  # days in which the name of a day says which one is meant


class Card(NamedTuple):
    """One deal on the board. `closes`: when that is expected, in words; `is_late`: it is past."""

    name: DisplayValue
    company: DisplayValue
    amount: str
    closes: str
    is_late: bool
    owner: DisplayValue


class BoardColumn(NamedTuple):
    """One stage: its deals, their known number and sum, with a bar of its share of the largest; or
    the reason of a failure. note: of how many deals the currency is known, if not of all.
    """

    stage: Stage
    url: str
    known: str = ""
    total: str = ""
    note: str = ""
    is_partial: bool = False
    cards: tuple[Card, ...] = ()
    failure: Failure | None = None
    bar: tuple[Segment, ...] = ()

    @property
    def title(self) -> str:
        return self.stage.name


@page
def show_board(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the board of the pipeline in ?pipeline=, else of the first one."""
    pipelines = catalogue.choices(ctx.workspace, Kind.PIPELINE)
    requested = ctx.params.get("pipeline", "")
    chosen = requested if requested in pipelines else next(iter(pipelines), "")
    every = stages(ctx)
    shown = [each for each in every if each.pipeline and each.pipeline == chosen][:MAX_STAGES]
    reads = [partial(_read, ctx, stage) for stage in shown]
    if shown:  # and, to count, those of the whole pipeline
        all_of = {"pipeline_id": int(chosen)}
        reads.append(partial(ctx.gateway.list, DEALS, filters=all_of, page_size=1))
    pages = concurrency.gather(reads)
    deals = [page.records if isinstance(page, Page) else () for page in pages[: len(shown)]]
    try:
        check_stages(deals)
    except StagesIgnored as error:
        deals, pages = [()] * len(shown), [error] * len(pages)
    currencies = currencies_of(ctx, DEALS, [each for them in deals for each in them])
    amounts = currencies.main_amounts(deals, "deal_amount")
    top = charts.highest(amounts)
    by_stage = list(zip(shown, deals, strict=True))
    records = [each for stage, them in by_stage if not stage.is_end for each in them]
    pointing = [each for each in resource.columns if each.name == "cstid"]
    totals = [each.total_records if isinstance(each, Page) else None for each in pages]
    names = titles.names_around(ctx, pointing, records)
    columns = [
        _column(ctx, names, currencies, stage, page)._replace(
            bar=charts.segments([("b0", amount)], top)
        )
        for stage, page, amount in zip(shown, pages, amounts, strict=False)
    ]
    context = {
        "resource": resource,
        "list_url": resource.url(),
        "new_url": resource.url(page="create") if ctx.may(EDIT_RECORDS) else "",
        "pipelines": [
            (name, f"{resource.url(page='board')}?pipeline={code}", code == chosen)
            for code, name in pipelines.items()
        ],
        "columns": columns,
        "failures": summarise_failures(columns),
        "others": count_without_stage(totals[-1], totals[:-1]) if shown else 0,
        "others_url": address(DEALS.name, query={"pipeline_id": chosen}),
        "stages_without_pipeline": sum(not each.pipeline for each in every),
        "may_name_entries": ctx.may(MANAGE_SETTINGS),
        "move": _move(ctx) if shown and may_move(ctx) else None,
        "late": names.late_url,
    }
    return ctx.render("overviews/board.html", context)


def _move(ctx: RequestContext) -> tuple[tuple[str, str], ...]:
    return (("token", new_token()), ("seen", ""), ("to", ""), ("back", ctx.request.get_full_path()))


def _read(ctx: RequestContext, stage: Stage) -> Page:
    filters = {STAGE: int(stage.code), "pipeline_id": int(stage.pipeline)}
    return ctx.gateway.list(DEALS, filters=filters, page_size=MAX_DEALS)


def _column(
    ctx: RequestContext,
    names: Names,
    currencies: Currencies,
    stage: Stage,
    page: Page | GatewayError,
) -> BoardColumn:
    url = address(DEALS.name, query={STAGE: stage.code})
    if isinstance(page, GatewayError):
        return BoardColumn(stage, url, failure=describe(page))
    currencies = currencies.among(page.records)
    total = currencies.total(page.records, "deal_amount")
    shown = () if stage.is_end else page.records
    return BoardColumn(
        stage,
        url,
        "" if page.total_records is None else f"{page.total_records:,}",
        total.amounts(ctx.style) if total.with_amount else "",
        total.note,
        not page.is_whole or not total.is_complete,
        tuple(_card(ctx, names, record, currencies) for record in shown),
    )


def _card(ctx: RequestContext, names: Names, record: Record, currencies: Currencies) -> Card:
    name = values.link(address(DEALS.name, record.id), str(record["deal_name"] or record.id))
    amount = currencies.amount(record, "deal_amount", ctx.style)
    closes, today = record["deal_expected_close_date"], timezone.localdate()
    words = _closing(closes, today) if isinstance(closes, date) else ""
    is_late = isinstance(closes, date) and closes < today
    owner = values.person(str(record["owner"] or ""))
    return Card(name, COMPANY(record, ctx, names), amount, words, is_late, owner)


def _closing(closes: date, today: date) -> str:
    """Return when a deal is expected to close, short enough for a card: closes Tue, 3 days
    overdue.
    """
    left = (closes - today).days
    if left < 0:
        return late_by(-left)
    when = f"{closes:%a}" if 1 < left < DAYS_OF_A_WEEK else relative_day(closes, today)
    return f"closes {when.replace(' ', NO_BREAK)}"
