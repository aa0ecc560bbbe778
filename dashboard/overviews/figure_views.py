"""The page Reports, and each report as a file."""

from django.http import Http404, HttpResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard.jobs import export_files
from dashboard.jobs.export_views import note_export
from dashboard.overviews.figure_sources import UNKNOWN, FigureChoices
from dashboard.overviews.figures import FIGURES, LEAD, LEFT, RIGHT, FigurePanel, draw_figures
from dashboard.overviews.periods import PERIODS
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EXPORT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.records.panels import summarise_failures
from dashboard.schema import titles
from dashboard.schema.charts import Table
from dashboard.schema.registry import RESOURCES
from dashboard.tables.writing import CellValue
from dashboard.text.dates import format_datetime


@require_safe
@permission_required(VIEW_RECORDS)
@page
def show_figures(ctx: RequestContext) -> HttpResponse:
    choices = FigureChoices(ctx)
    figures = draw_figures(choices)
    missing = sorted({figure.area for figure in FIGURES} & ctx.closed_areas)
    context = {
        "periods": _periods(choices),
        "currencies": _currencies(choices),
        "span": choices.span.words,
        "at": format_datetime(timezone.now()),
        "lead": next((figure for figure in figures if figure.side == LEAD), None),
        "sides": [[each for each in figures if each.side == side] for side in (LEFT, RIGHT)],
        "failures": summarise_failures(figures),
        "missing": [RESOURCES[name].label for name in missing],
        "may_export": ctx.may(EXPORT_RECORDS),
        "csv_urls": {each.name: choices.url("export", each.name) for each in figures},
        "late": next((each.names.late_url for each in figures if each.names.late_url), ""),
    }
    return ctx.render("overviews/figures.html", context)


@require_POST
@permission_required(EXPORT_RECORDS)
@page
def export_figure(ctx: RequestContext, name: str) -> HttpResponse:
    """Return the table of one report as CSV, in the person's number format. A POST, because it is
    recorded.
    """
    area = next((each.area for each in FIGURES if each.name == name), "")
    if not area or area in ctx.closed_areas:
        raise Http404
    figures = draw_figures(FigureChoices(ctx, titles.LATE_WAIT), area)
    figure = next(each for each in figures if each.name == name)
    if figure.error:
        raise figure.error
    note_export(ctx, RESOURCES[area], f"{figure.title}, CSV")
    chunks = export_files.file_chunks(export_files.CSV, _rows(figure), [], ctx.style)
    file = export_files.file_name(f"figures-{name}", export_files.CSV, timezone.localdate())
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return HttpResponse(chunks, content_type=export_files.TYPES[export_files.CSV], headers=headers)


def _periods(choices: FigureChoices) -> list[tuple[str, str, bool]]:
    return [
        (words, choices.url("page", period=key), key == choices.period)
        for key, words in PERIODS.items()
    ]


def _currencies(choices: FigureChoices) -> list[tuple[str, str, str, bool]]:
    every = choices.currencies
    return [
        (
            name or "Not known",
            f"{count:,}",
            choices.url("page", currency=name or UNKNOWN),
            name == choices.currency,
        )
        for name, count in every
        if len(every) > 1
    ]


def _rows(figure: FigurePanel) -> list[list[CellValue]]:
    made = figure.table or Table((figure.empty,), ())
    unit = [figure.unit] if figure.unit else []
    rows: list[list[CellValue]] = [[*made.heads, *(["Currency"] if unit else [])]]
    rows += [[*(cell.value for cell in row), *unit] for row in made.rows]
    partial = ["Minimum: some records weren't counted."] if figure.is_partial else []
    rows += [[note] for note in (*partial, *figure.notes)]
    return rows


app_name = "figures"
urlpatterns = [
    path("", show_figures, name="page"),
    path("<slug:name>.csv", export_figure, name="export"),
]
