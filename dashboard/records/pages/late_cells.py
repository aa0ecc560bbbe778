"""The cells of a list that only the records have, as a fragment that follows the list."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.gateway import whole_number
from dashboard.reader import whole_records
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.display import titles, values
from dashboard.records.lists import table
from dashboard.records.lists.query import SIZES, ListQuery
from dashboard.records.pages import unnamed_references
from dashboard.records.resource import Resource

FILL = "fill"  # the parameter of a list that is sent with these cells
NOT_READ = values.muted("not read")


class Row(Protocol):
    """A row of a list or of a block."""

    @property
    def record_id(self) -> int:
        """The id of its record."""


@dataclass(frozen=True)
class LateCells:
    """The cells that the rows of a list lack. `ids`: the records that have them."""

    query: ListQuery
    ids: Collection[int]

    def url(self, shown: Iterable[Row]) -> str:
        """The address of the fragment for the rows that are shown; "" if none of them waits."""
        awaited = [row.record_id for row in shown if row.record_id in self.ids]
        asked = {"ids": ",".join(map(str, awaited))}
        if self.query.columns:
            asked["columns"] = ",".join(self.query.columns)
        address = self.query.resource.url(action="cells")
        return f"{address}?{urlencode(asked, safe=',')}" if awaited else ""

    @property
    def fill_url(self) -> str:
        """The address of the list with these cells, for browsers without JavaScript."""
        return f"{self.query.resource.url()}?{urlencode({**self.query.params(), FILL: '1'})}"


@require_safe
def show_cells(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The cells of the records that `ids` names, as a fragment for htmx."""
    numbers = map(whole_number, request.GET.get("ids", "").split(",")[: SIZES[-1]])
    ids = [number for number in numbers if number]
    shown = ListQuery.read(resource, request.GET).shown
    columns = [column for column in shown if column.from_record]
    read = whole_records.read_records(request.gateway, resource.endpoint, ids) if columns else {}
    ctx = context_of(request)
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
    return render(request, "records/_late_cells.html", {"cells": cells})
