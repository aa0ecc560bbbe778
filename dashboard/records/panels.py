"""Panels: parts of a page, each built from the results of its own calls.

templates/records/_panel.html and _figures.html render them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypeVar

from dashboard.core.templates import address
from dashboard.gateway import Endpoint, GatewayError, concurrency
from dashboard.people.context import RequestContext
from dashboard.reader.failures import Failure, describe
from dashboard.reader.lookups import Pointer
from dashboard.schema import titles, values
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.charts import Picture, Segment
from dashboard.schema.money import Sum, write_money
from dashboard.schema.values import DisplayValue, RowAction
from dashboard.text.style import Style

ROWS = 5
TOP, MAIN, SIDE, BELOW = "top", "main", "side", "below"  # parts of a page
PANEL = "panel"  # the parameter that names the late panel of a page


class Figure(NamedTuple):
    """A value at the top of a page. `unit`: the currency of an amount. `name`: the field displayed.
    `field_url`: the URL of the form of that field alone, or "". `late`: the overdue part, in words.
    `is_word`: drawn smaller than a number.
    """

    label: str
    value: DisplayValue
    note: str = ""
    is_late: bool = False
    is_partial: bool = False
    unit: str = ""
    name: str = ""
    field_url: str = ""
    late: str = ""
    is_word: bool = False


class PanelRow(NamedTuple):
    """A record in a panel. `about`: beside its name; `subject`: in a column. `due_text`: when, with
    the `day` before it where there is room. `note`: what the symbol of a mail before them says.
    `total`: what the amount is a part of. `bar`: its share among those of the panel. `tick`: the
    action that completes something to do. `group`: the line above it and the next rows.
    """

    name: DisplayValue
    subject: DisplayValue = values.EMPTY
    due_text: str = ""
    late: bool = False
    amount: str = ""
    actions: tuple[RowAction, ...] = ()
    record_id: int = 0
    note: str = ""
    bar: tuple[Segment, ...] = ()
    total: str = ""
    tick: RowAction | None = None
    day: str = ""
    about: DisplayValue = values.EMPTY
    group: str = ""


class Pending(Protocol):
    """A call in flight: `result` waits for it, and returns its result or raises GatewayError."""

    def result(self) -> Any: ...


Calls = Mapping[str, Callable[[], Pending]]


class Panel:
    """A part of Today, of a record's page, of the figures or of a preview.

    `calls` starts what it reads, `build` sets what it displays. subject: the record that the page
    is about. `figure`: the leading value; `picture`: its chart. `figures`: values for the top of
    the page. `note`: gaps in the data. `url`, `link`: the list of all its records. `heads`: column
    headings. `pointers`: the records whose names its rows display. `error`: why a part could not be
    read.
    """

    name = ""  # of the parameter and of the HTML
    title = ""
    area = ""  # the resource without which there is no such panel
    side = ""  # the part of the page that it stands in
    template = "records/_panel.html"
    is_late = False  # read by a request of its own, after the page
    builds_partly = False  # of what was read where a call failed

    key = ""
    query: Mapping[str, str] | None = None  # of the list of all its records; None without a link
    link = ""  # "View all" of the area by default
    amount_label = ""
    empty = ""
    heads: tuple[str, ...] = ()
    count = ""
    note = ""
    figure: Figure | None = None
    figures: Sequence[Figure] = ()
    picture: Picture | None = None
    error: GatewayError | None = None
    is_awaited = False
    is_empty = False  # the service has nothing of it
    record_url = "name.url"  # of a row: that of the record whose pending deletion hides it

    def __init__(self, ctx: RequestContext, subject: Any = None) -> None:
        self.ctx, self.subject = ctx, subject
        self.shown: Sequence[Any] = ()  # what `row` makes the rows of
        self.pointers: list[Pointer] = []
        self.names = NO_NAMES

    def calls(self) -> Calls:
        """Return what starts each call, by the name of its result. Calls of the same name are
        shared by all panels of a page.
        """
        return {}

    def build(self, *args: Any, **answers: Any) -> None:
        """Set the content. Not called after a failed call, unless the panel is built from partial
        results.
        """

    def use_names(self, names: Names) -> None:
        """Set the names of `pointers`; "" for an unreadable record."""
        self.names = names

    def begin_list(self, endpoint: Endpoint, **asked: Any) -> Callable[[], Pending]:
        return partial(concurrency.submit, partial(self.ctx.gateway.list, endpoint, **asked))

    def begin_get(self, endpoint: Endpoint, record_id: int) -> Callable[[], Pending]:
        return partial(concurrency.submit, partial(self.ctx.gateway.get, endpoint, record_id))

    @property
    def failure(self) -> Failure | None:
        return describe(self.error) if self.error else None

    @property
    def is_hidden(self) -> bool:
        """Return True to leave the panel out of the page."""
        return False

    @property
    def url(self) -> str:
        """Return the URL of the full list; "" for none."""
        return "" if self.query is None else address(self.area, query=dict(self.query))

    def row(self, item: Any) -> Any:
        """Return the row of one of `shown`, once the names of `pointers` are known."""
        return item

    def late_url(self, rows: Iterable[Any]) -> str:
        """Return the URL of values of these rows that load after the page; "" for none."""
        return ""

    @cached_property
    def rows(self) -> list[PanelRow]:
        return [self.row(each) for each in self.shown]


AnyPanel = TypeVar("AnyPanel", bound=Panel)


def gather(
    panels: Iterable[type[AnyPanel]],
    ctx: RequestContext,
    subject: Any = None,
    *,
    only: str = "",
    meanwhile: Callable[[], object] = lambda: None,
) -> list[AnyPanel]:
    """Return the built panels of a page, without areas that the plan lacks.

    only: the name of the requested late panel. meanwhile: reads the page's own data once all calls
    are in flight.
    """
    shown = [
        panel(ctx, subject)
        for panel in panels
        if panel.area not in ctx.closed_areas and only in ("", panel.name)
    ]
    for panel in shown:
        panel.is_awaited = panel.is_late and not only
    due = [panel for panel in shown if not panel.is_awaited]
    calls = {panel: panel.calls() for panel in due}
    under_way: dict[str, Pending] = {}
    for begins in calls.values():
        for name, begin in begins.items():
            if name not in under_way:
                under_way[name] = begin()
    meanwhile()
    answers: dict[str, Any] = {}
    for panel in sorted(due, key=lambda each: bool(calls[each])):  # first those that wait for none
        for name in calls[panel]:
            if name not in answers:
                answers[name] = _answer(under_way[name])
        _build(panel, {name: answers[name] for name in calls[panel]})
    return [panel for panel in shown if not panel.is_hidden]


def _answer(call: Pending) -> Any:
    try:
        return call.result()
    except GatewayError as error:
        return error


def _build(panel: Panel, answers: Mapping[str, Any]) -> None:
    read = {name: each for name, each in answers.items() if not isinstance(each, GatewayError)}
    errors = [each for each in answers.values() if isinstance(each, GatewayError)]
    try:
        if not errors or panel.builds_partly:
            panel.build(**read)
    except GatewayError as error:
        errors.append(error)
    panel.error = next(iter(errors), None)


def name_records(
    ctx: RequestContext, panels: Iterable[Panel], pointers: Iterable[Pointer] = ()
) -> Names:
    """Load the names of these records and of the panels' pointers, and set them in the panels."""
    asked = [*pointers, *(pointer for panel in panels for pointer in panel.pointers)]
    names = titles.names_of(ctx, asked)
    for panel in panels:
        panel.use_names(names)
    return names


class FailureSummary(NamedTuple):
    """The message above the parts of a page. `reasons`: titles of failed parts by reason, if
    several failed. `connect`: one failure is about the API keys. `number`: of all parts.
    """

    reasons: dict[str, list[str]]
    connect: bool
    number: int

    @property
    def is_rest_complete(self) -> bool:
        return sum(map(len, self.reasons.values())) < self.number


def summarise_failures(parts: Iterable[Any]) -> FailureSummary:
    """Summarise failures above panels; no reasons for a single one, which is shown in its panel.
    One reason per status, as an unavailable service gives several.
    """
    all_parts, reasons, by_status = list(parts), dict[str, list[str]](), dict[int, str]()
    failures = [(each.failure, each.title) for each in all_parts if each.failure]
    several = failures if len(failures) > 1 else []
    for failure, title in several:
        reason = by_status.setdefault(failure.status, failure.title)
        reasons.setdefault(reason, []).append(title)
    connect = any(failure.connect for failure, _ in several)
    return FailureSummary(reasons, connect, len(all_parts))


def not_read(label: str) -> Figure:
    return Figure(label, values.muted("not read"))


def sum_figure(
    label: str, total: Sum, style: Style, *, note: str, is_partial: bool = False
) -> Figure:
    """Return a sum in the most common currency, with the others in its note. Partial, too, if a
    record has no amount.
    """
    if total.count and not total.with_amount:
        return Figure(label, values.text("not known"), note)
    (unit, amount), *others = total.parts
    also = [f"and {write_money(amount, style, currency)}" for currency, amount in others]
    words = ", ".join(filter(None, [*also, note, total.note]))
    shown = values.text(write_money(amount, style, unit, is_shown=False))
    return Figure(label, shown, words, is_partial=is_partial or not total.is_complete, unit=unit)
