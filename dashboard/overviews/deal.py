"""The page of a deal: its company and amount, how far it has come, and what was created for it."""

from datetime import date

from django.http import HttpResponse
from django.utils import timezone

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import titles, values
from dashboard.gateway import TASKS, Record
from dashboard.markup import address
from dashboard.pages.blocks import Block, BlockRow, Figure
from dashboard.pages.history_words import CreatedRecord, history_around
from dashboard.pages.rendering import default_figures, render_record
from dashboard.reader import lookups
from dashboard.text.dates import days_until

STAGE, CLOSES = "deal_current_stage", "deal_expected_close_date"
NOTE = "Only records entered here are listed."


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """A deal with the stage it is in, and what was created for it here."""
    record = lookups.read_for_page(
        ctx.gateway, resource.endpoint, record_id, after_save=ctx.follows_a_save
    )
    ctx = titles.fill(ctx, resource.details, [record])
    around = history_around(ctx, resource, record)
    created = _block(around.created)
    figures = [
        _explained(each, resource, record, ctx) for each in default_figures(resource, record, ctx)
    ]
    return render_record(
        ctx,
        resource,
        record,
        around=around,
        blocks=[created],
        figures=figures,
        no_tasks=TASKS.name in ctx.closed_areas,
    )


def _explained(figure: Figure, resource: Resource, record: Record, ctx: RequestContext) -> Figure:
    """The figure with the days until closing, or the place of its stage."""
    labels = {part.name: part.label for part in resource.headline}
    if figure.label == labels[CLOSES]:
        closes = record[CLOSES]
        left = (closes - timezone.localdate()).days if isinstance(closes, date) else None
        return figure if left is None else figure._replace(note=days_until(left))
    if figure.label == labels[STAGE]:
        return _with_stages(figure, record, ctx)
    return figure


def _with_stages(figure: Figure, record: Record, ctx: RequestContext) -> Figure:
    """The stage among the stages of its pipeline, where the lists of the workspace know them."""
    pipeline = str(record["pipeline_id"])
    stages = [
        entry.code
        for entry in catalogue.entries(ctx.workspace, Kind.STAGE)
        if entry.parent == pipeline
    ]
    name = catalogue.entry(ctx.workspace, Kind.PIPELINE, pipeline)
    words = name.name if name else ""
    if str(record.get(STAGE)) not in stages:
        return figure._replace(note=words)
    reached = stages.index(str(record.get(STAGE))) + 1
    note = ", ".join(filter(None, (words, f"stage {reached} of {len(stages)}")))
    return figure._replace(note=note, done=reached, stages=len(stages))


def _block(created: list[CreatedRecord]) -> Block:
    rows = tuple(
        BlockRow(values.link(address(each.resource, each.id), each.label), time=each.at)
        for each in created
    )
    return Block(
        "created",
        "Created for this deal",
        count=f"{len(rows):,}" if rows else "",
        empty="Nothing yet.",
        rows=rows,
        note=NOTE,
    )
