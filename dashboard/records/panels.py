"""Panels: the parts of a page, each made of the answers of its own calls.

templates/records/_panel.html and _figures.html draw them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypeVar

from dashboard.gateway import Endpoint, GatewayError, concurrency
from dashboard.people.context import RequestContext
from dashboard.reader.failures import Failure, describe
from dashboard.reader.lookups import Pointer
from dashboard.schema import titles, values
from dashboard.schema.cells import NO_NAMES, Names
from dashboard.schema.charts import Picture, Segment
from dashboard.schema.money import Sum, write_money
from dashboard.schema.resource import RowAction
from dashboard.schema.values import DisplayValue
from dashboard.text.style import Style

ROWS = 5
TOP, MAIN, SIDE, BELOW = "top", "main", "side", "below"  # parts of the page of a record
PANEL = "panel"  # the parameter that names the late panel of a page


class Figure(NamedTuple):
    """One value on top of a page. `unit`: the name of the currency of an amount. `name`: of the
    field that it shows. `field_url`: the address of the form that changes the field alone, ""
    where there is none. `late`: the part of it that is late, in words.
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


class PanelRow(NamedTuple):
    """One record: its name, what it is about, a word on its time with a note below it and the `day`
    before it where there is room, an amount, which a bar may show beside the others, its actions.
    `whole`: what the amount is a part of. `tick`: of a thing to do, what completes it.
    """

    name: DisplayValue
    about: DisplayValue = values.EMPTY
    time: str = ""
    late: bool = False
    amount: str = ""
    actions: tuple[RowAction, ...] = ()
    record_id: int = 0
    note: str = ""
    bar: tuple[Segment, ...] = ()
    whole: str = ""
    tick: RowAction | None = None
    day: str = ""


class Pending(Protocol):
    """A call under way: `result` waits for its answer, and returns or raises its GatewayError."""

    def result(self) -> Any: ...


Calls = Mapping[str, Callable[[], Pending]]


class Panel:
    """A part of Today, of the page of a record, of the figures or of the preview of a hit.

    A subclass says in `calls` what it reads, and sets in `build` what it shows. subject: what the
    panels of a page are about. `figure`: the leading value, and `picture`: what is drawn of it.
    `figures`: values for the top of the page. `note`: what the panel does not know. `url`, `link`:
    all of its records. `heads`: those of the columns, where they are shown. `pointers`: the records
    whose names its rows show. `error`: why a part of it could not be read.
    """

    name = ""  # of the parameter and of the HTML
    title = ""
    area = ""  # the resource without which there is no such panel
    side = ""  # the part of the page that it stands in
    template = "records/_panel.html"
    is_late = False  # read by a request of its own, after the page
    builds_partly = False  # of what was read where a call failed

    key = ""
    link = "View all"
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

    def __init__(self, ctx: RequestContext, subject: Any = None) -> None:
        self.ctx, self.subject = ctx, subject
        self.shown: Sequence[Any] = ()  # what `row` makes the rows of
        self.pointers: list[Pointer] = []
        self.names = NO_NAMES

    def calls(self) -> Calls:
        """What begins each call, by the name of its answer. All panels of a page that name a call
        share its answer.
        """
        return {}

    def build(self, *args: Any, **answers: Any) -> None:
        """Set what the panel shows. Not called where a call failed, unless it builds partly."""

    def use_names(self, names: Names) -> None:
        """Take the names of `pointers`; "" is that of a record that cannot be read."""
        self.names = names

    def begin_list(self, endpoint: Endpoint, **asked: Any) -> Callable[[], Pending]:
        """What begins to read a page of a list."""
        return partial(concurrency.submit, partial(self.ctx.gateway.list, endpoint, **asked))

    def begin_get(self, endpoint: Endpoint, record_id: int) -> Callable[[], Pending]:
        """What begins to read a record."""
        return partial(concurrency.submit, partial(self.ctx.gateway.get, endpoint, record_id))

    @property
    def failure(self) -> Failure | None:
        """Why the panel, or a part of it, could not be read."""
        return describe(self.error) if self.error else None

    @property
    def is_hidden(self) -> bool:
        """Whether the page is without it, as there is nothing to show."""
        return False

    @property
    def url(self) -> str:
        """The address of all records that the panel has some of; "" for none."""
        return ""

    def row(self, item: Any) -> Any:
        """The row of one of `shown`, when the names of `pointers` are known."""
        return item

    def late_url(self, rows: Iterable[Any]) -> str:
        """The address of the values of these rows that come after the page; "" for none."""
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
    """The panels of a page, built; without those of areas that the plan lacks.

    only: the name of the late panel that is asked for. meanwhile: what the page itself reads; it is
    called once all calls are under way.
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
    ctx: RequestContext,
    panels: Iterable[Panel],
    pointers: Iterable[Pointer] = (),
    seconds: float | None = None,
) -> Names:
    """The names of these records and of those that the panels point to, which the panels get."""
    asked = [*pointers, *(pointer for panel in panels for pointer in panel.pointers)]
    names = titles.names_of(ctx, asked, seconds=seconds)
    for panel in panels:
        panel.use_names(names)
    return names


class FailureSummary(NamedTuple):
    """What is said once above the parts of a page. `reasons`: where several could not be read,
    each reason with the titles of its parts. `connect`: one of them is about the API keys.
    `number`: of all parts.
    """

    reasons: dict[str, list[str]]
    connect: bool
    number: int

    @property
    def is_rest_complete(self) -> bool:
        """Whether a part of the page was read."""
        return sum(map(len, self.reasons.values())) < self.number


def summarise_failures(parts: Iterable[Any]) -> FailureSummary:
    """What is said above panels or the like: no reasons where at most one could not be read, which
    says so itself. One reason for each status, as a service that is away says so in several ways.
    """
    all_parts, reasons, by_status = list(parts), dict[str, list[str]](), dict[int, str]()
    failures = [(each.failure, each.title) for each in all_parts if each.failure]
    several = failures if len(failures) > 1 else []
    for failure, title in several:
        reason = by_status.setdefault(failure.status, failure.title)
        reasons.setdefault(reason, []).append(title)
    connect = any(failure.connect for failure, _ in several)
    return FailureSummary(reasons, connect, len(all_parts))


def view_all(count: str, noun: str = "") -> str:
    """The words of a link to all of a panel, such as "View all 14 invoices"."""
    return " ".join(filter(None, ("View all", count if count not in ("0", "1") else "", noun)))


def not_read(label: str) -> Figure:
    """The figure of what could not be read."""
    return Figure(label, values.muted("not read"))


def sum_figure(
    label: str, total: Sum, style: Style, *, note: str, is_partial: bool = False
) -> Figure:
    """The figure of a sum in the currency of most records; those in others stand in its note. It
    is partial, too, where not every record says its amount.
    """
    if total.count and not total.with_amount:
        return Figure(label, values.text("not known"), note)
    (unit, amount), *others = total.parts
    also = [f"and {write_money(amount, style, currency)}" for currency, amount in others]
    words = ", ".join(filter(None, [*also, note, total.note]))
    shown = values.text(write_money(amount, style, unit, is_shown=False))
    return Figure(label, shown, words, is_partial=is_partial or not total.is_complete, unit=unit)
