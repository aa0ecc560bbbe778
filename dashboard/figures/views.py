"""The page Figures, and each figure as a file."""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EXPORT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext, page
from dashboard.declare.registry import RESOURCES
from dashboard.display import titles
from dashboard.display.charts import Table
from dashboard.exports import files
from dashboard.exports.pages import note_export
from dashboard.figures import makers
from dashboard.figures.makers import MAKERS, Figure
from dashboard.figures.periods import PERIODS, Period, read_period
from dashboard.figures.sources import UNKNOWN, Sources, pipeline_of, pipelines_of
from dashboard.markup import page_url
from dashboard.pages.blocks import summarise_failures
from dashboard.tables.writing import Written
from dashboard.text.dates import format_datetime

LEFT, RIGHT = ("months", "customers"), ("stages", "closing")


@require_safe
@permission_required(VIEW_RECORDS)
@page
def show_figures(ctx: RequestContext) -> HttpResponse:
    """All figures of a period in one currency."""
    names = [name for name, maker in MAKERS.items() if maker.resource not in ctx.closed_areas]
    sources = _sources(ctx, names)
    sources.names = titles.names_of(ctx, makers.customers_shown(sources))
    figures = {name: makers.make_if_possible(name, sources) for name in names}
    if "stages" in figures:
        figures["stages"] = replace(figures["stages"], switch=_pipelines(ctx))
    context = {
        "periods": _periods(ctx),
        "period": _period(ctx),
        "currency": ctx.params.get("currency", ""),
        "pipeline": ctx.params.get("pipeline", ""),
        "currencies": _currencies(ctx, sources),
        "span": sources.period.words,
        "at": format_datetime(timezone.now()),
        "lead": figures.get("receivables"),
        "sides": [[figures[name] for name in side if name in figures] for side in (LEFT, RIGHT)],
        "trouble": summarise_failures(figures.values()),
        "missing": [RESOURCES[name].label for name in sorted({maker.resource for maker in
                    MAKERS.values()} & ctx.closed_areas)],
        "may_export": ctx.may(EXPORT_RECORDS),
        "csv_urls": {name: _url(ctx, "export", name) for name in figures},
        "late": sources.names.late_url,
    }  # fmt: skip
    return ctx.render("figures/page.html", context)


@require_safe
@permission_required(EXPORT_RECORDS)
@page
def export_figure(ctx: RequestContext, name: str) -> HttpResponse:
    """The table of one figure as CSV, as the person writes numbers."""
    if name not in MAKERS or MAKERS[name].resource in ctx.closed_areas:
        raise Http404
    resource = MAKERS[name].resource
    sources = _sources(ctx, [each for each in MAKERS if MAKERS[each].resource == resource])
    pointers = makers.customers_shown(sources)
    sources.names = titles.names_of(ctx, pointers, seconds=titles.LATE_WAIT)
    figure = makers.make(name, sources)
    note_export(ctx, RESOURCES[resource], f"{figure.title}, CSV")
    chunks = files.file_chunks(files.CSV, _rows(figure), [], ctx.style)
    file = files.file_name(f"figures-{name}", files.CSV, timezone.localdate())
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return HttpResponse(chunks, content_type=files.TYPES[files.CSV], headers=headers)


def _sources(ctx: RequestContext, names: Iterable[str]) -> Sources:
    """What the figures of these names are made of, about the period of the address."""
    wanted = [each for name in names for each in MAKERS[name].lists]
    return Sources(ctx, _period(ctx).span, dict.fromkeys(wanted))


def _period(ctx: RequestContext) -> Period:
    typed = {name: str(value) for name, value in ctx.params.items()}
    return read_period(typed, timezone.localdate(), ctx.style)


def _url(ctx: RequestContext, page: str, *args: str, **changes: str) -> str:
    """A page of the figures with the period, currency and pipeline of the address."""
    kept = {name: ctx.params.get(name, "") for name in ("currency", "pipeline")}
    query = {**_period(ctx).params, **kept, **changes}
    given = urlencode({name: value for name, value in query.items() if value})
    url = page_url(f"figures:{page}", *args)
    return f"{url}?{given}" if given else url


def _periods(ctx: RequestContext) -> list[tuple[str, str, bool]]:
    """The links to the periods: words, address, whether it is the present one."""
    present = _period(ctx).key
    return [
        (words, _url(ctx, "page", period=key, first="", last=""), key == present)
        for key, words in PERIODS.items()
    ]


def _currencies(ctx: RequestContext, sources: Sources) -> list[tuple[str, str, str, bool]]:
    """The switch of currencies: name, number of records, address, whether it is the present one;
    [] for a single one.
    """
    every = sources.currencies
    return [
        (
            name or "Not known",
            f"{count:,}",
            _url(ctx, "page", currency=name or UNKNOWN),
            name == sources.currency,
        )
        for name, count in every
        if len(every) > 1
    ]


def _pipelines(ctx: RequestContext) -> tuple[tuple[str, str, bool], ...]:
    """The switch of pipelines: name, address, whether it is the present one."""
    codes, present = list(pipelines_of(ctx)), pipeline_of(ctx)
    return tuple(
        (
            catalogue.label(ctx.workspace, Kind.PIPELINE, code),
            _url(ctx, "page", pipeline=code) + "#figure-stages",
            code == present,
        )
        for code in codes
        if len(codes) > 1
    )


def _rows(figure: Figure) -> list[list[Written]]:
    """The table of a figure as it goes into a file, and below it what was counted."""
    made = figure.table or Table((figure.empty,), ())
    unit = [figure.unit] if figure.unit else []
    rows: list[list[Written]] = [[*made.heads, *(["Currency"] if unit else [])]]
    rows += [[*(cell.value for cell in row), *unit] for row in made.rows]
    partial = ["At least these, as not all is read or told."] if figure.is_partial else []
    rows += [[note] for note in (*partial, *figure.notes)]
    return rows


app_name = "figures"
urlpatterns = [
    path("", show_figures, name="page"),
    path("<slug:name>.csv", export_figure, name="export"),
]
