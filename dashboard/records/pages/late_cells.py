"""The cells of a list that only the records have, as a fragment that follows the list."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dashboard.gateway import whole_number
from dashboard.reader import whole_records
from dashboard.records.context import RequestContext, page
from dashboard.records.display import titles, values
from dashboard.records.lists import table
from dashboard.records.lists.query import SIZES, ListQuery
from dashboard.records.pages import unnamed_references
from dashboard.records.resource import Resource

NOT_READ = values.muted("not read")


@require_safe
@page
def show_cells(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The cells of the records that `ids` names, as a fragment for htmx."""
    numbers = map(whole_number, ctx.params.get("ids", "").split(",")[: SIZES[-1]])
    ids = [number for number in numbers if number]
    shown = ListQuery.read(resource, ctx.params).shown
    columns = [column for column in shown if column.from_record]
    read = whole_records.read_records(ctx.gateway, resource.endpoint, ids) if columns else {}
    unnamed_references.learn(resource, read.values(), ctx)
    ctx = titles.fill(ctx, columns, read.values(), round_trip=titles.LONGEST_WAIT)
    cells = [
        (
            table.place(resource, number, column),
            values.shortened(column.value(read[number], ctx)) if number in read else NOT_READ,
        )
        for number in ids
        for column in columns
    ]
    return ctx.render("records/_late_cells.html", {"cells": cells})
