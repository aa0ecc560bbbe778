"""Blocks and figures of a page: what its calls gave, each on its own.

A page waits for its calls a short time. A block whose call has not answered by then stands with its
head, and asks for itself by `?block=NAME`; without JavaScript a link shows the page with all of
them. templates/pages/_block.html and _figures.html draw them. A page whose own record is late
stands with its name, which is known from before, and asks for all the rest by `?block=record`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from django.core.cache import cache
from django.http import Http404, HttpResponse

from dashboard.accounts.permissions import EDIT_RECORDS
from dashboard.context import RequestContext
from dashboard.declare.resource import RowAction
from dashboard.display import titles, values
from dashboard.display.charts import Picture, Segment
from dashboard.display.money import Sum, write_money
from dashboard.display.values import DisplayValue
from dashboard.gateway import GatewayError, Page, side_by_side
from dashboard.gateway.errors import Slow
from dashboard.lists.table import LateCells
from dashboard.reader import listing
from dashboard.reader.sealed_cache import owner_of
from dashboard.text.style import Style
from dashboard.writes.failures import Failure, describe

ROWS = 5
BLOCK = "block"  # the parameter of a page's address that asks for one block
RECORD = "record"  # in its place: all that follows the name of a record
PATIENCE = 0.08  # seconds that a page waits for its calls
MOMENT = 0.1  # seconds that it waits for them at least once its record was read
LATE_KEPT = 60  # seconds
Result = TypeVar("Result")


class NotYet(Slow):
    """The page is sent without this answer. Its block asks for itself."""


@dataclass(frozen=True)
class Asked:
    """What is asked for, and how long its calls are waited for.

    block: the name of one block, "" for the whole page. is_final: nothing asks again for what has
    not come in time, which counts as failed. late: the blocks that were late a minute ago, whose
    calls a page does not begin. until: monotonic seconds.
    """

    block: str = ""
    is_final: bool = False
    late: frozenset[str] = frozenset()
    is_whole: bool = False
    begun: float = field(default_factory=monotonic)
    until: float = field(default_factory=lambda: monotonic() + PATIENCE)

    def start(
        self, block: str, call: Callable[[], Result]
    ) -> "Future[Result | GatewayError] | None":
        """Begin a call of a block; None where that is not wanted."""
        return side_by_side.start(call) if self.wants(block) else None

    def wants(self, block: str) -> bool:
        """Whether the calls of a block are begun."""
        return self.block in ("", block) and block not in self.late

    def beside_record(self) -> "Asked":
        """The same, once the record of the page was read, whose blocks may be about to come."""
        return replace(self, until=max(self.until, monotonic() + MOMENT))

    def wait(self, call: "Future[Result | GatewayError] | None") -> Result | GatewayError:
        """The answer of a call; NotYet if it has not come in time, or was not begun."""
        if call is None:
            return NotYet(reason="not asked for")
        answer = side_by_side.wait(call, self.until)
        return self.answer_of(answer) if isinstance(answer, GatewayError) else answer

    def answer_of(self, error: GatewayError) -> GatewayError:
        """The error, NotYet for what is only late."""
        is_late = isinstance(error, Slow) and not self.is_final
        return NotYet(reason="not in time") if is_late else error


def asked_of(ctx: RequestContext, blocks: Iterable[str]) -> Asked:
    """What a request for a page of these blocks asks for. htmx asks for one of them; a browser
    without it for the whole page.
    """
    block = ctx.params.get(BLOCK, "") if ctx.request.htmx else ""
    if block == RECORD:
        return Asked(is_whole=True)
    if block or titles.FILL in ctx.params:
        return Asked(block, is_final=True, until=monotonic() + titles.LATE_WAIT)
    keys = {_late_key(ctx, name): name for name in blocks}
    return Asked(late=frozenset(keys[key] for key in cache.get_many(keys)))


def _late_key(ctx: RequestContext, block: str) -> str:
    return f"late:{owner_of(ctx.gateway)}:{block}"


class Figure(NamedTuple):
    """One value on top of a page. `unit`: the name of the currency of an amount. `name`: of the
    field that it shows. `block`: the block with whose answer it comes, "" for none. `field_url`:
    the address of the form that changes the field alone, "" where there is none. `late`: the part
    of it that is late, in words.
    """

    label: str
    value: DisplayValue
    note: str = ""
    is_late: bool = False
    is_partial: bool = False
    unit: str = ""
    name: str = ""
    block: str = ""
    field_url: str = ""
    late: str = ""

    @property
    def place(self) -> str:
        """The id of its place on a page."""
        return f"figure-{self.label.lower().replace(' ', '-')}"


class BlockRow(NamedTuple):
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


@dataclass(frozen=True)
class Block:
    """A titled list of records. `figure`: its leading value, and `picture`: what is drawn of it.
    `note`: what the block does not know. `failure`: why it, or a part of it, could not be read.
    `url`, `link`: all of them. `heads`: the heads of the columns, where they are shown.
    `late_cells`: the values that come after the page. `is_awaited`: the block comes after the page,
    with that of the name `comes_with` where both are of one call; until then it is as high as so
    many `lines`.
    """

    name: str
    title: str
    url: str = ""
    key: str = ""
    link: str = "View all"
    count: str = ""
    amount_label: str = ""
    empty: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[BlockRow, ...] = ()
    figure: Figure | None = None
    picture: Picture | None = None
    note: str = ""
    failure: Failure | None = None
    late_cells: LateCells | None = None
    is_awaited: bool = False
    comes_with: str = ""
    lines: int = ROWS


class Trouble(NamedTuple):
    """What is said once above the blocks of a page. `reasons`: where several could not be read,
    each reason with the titles of its blocks. `connect`: one of them is about the API keys.
    `is_rest_complete`: all others were read. `names`: of all blocks, as one that is late may fail
    as well.
    """

    reasons: dict[str, list[str]]
    connect: bool
    is_rest_complete: bool
    names: list[str]


def view_all(count: int | str, noun: str = "") -> str:
    """The words of a link to all of a block, such as "View all 14 invoices". `count`: how many, or
    "" and 1 for none that is worth saying.
    """
    number = f"{count:,}" if isinstance(count, int) else count
    return " ".join(filter(None, ("View all", number if number not in ("0", "1") else "", noun)))


def failed(block: Block, error: GatewayError) -> Block:
    """The block with the reason why it could not be read; it is awaited where it is only late."""
    if isinstance(error, NotYet):
        return replace(block, is_awaited=True)
    return replace(block, failure=describe(error))


def not_read(label: str, error: GatewayError) -> Figure:
    """The figure of what could not be read, or was not read yet."""
    if isinstance(error, NotYet):
        return Figure(label, values.muted("not read yet"), note="\xa0")  # as high as it will be
    return Figure(label, values.muted("not read"))


def trouble(blocks: Iterable[Block]) -> Trouble:
    """What is said above these blocks: no reasons where at most one could not be read, which says
    so itself. One reason for each status, as a service that is away says so in several ways.
    """
    all_blocks, reasons, by_status = list(blocks), dict[str, list[str]](), dict[int, str]()
    failures = [(each.failure, each.title) for each in all_blocks if each.failure]
    said = failures if len(failures) > 1 else []
    for failure, title in said:
        reason = by_status.setdefault(failure.status, failure.title)
        reasons.setdefault(reason, []).append(title)
    is_any_awaited = any(each.is_awaited for each in all_blocks)
    is_rest_complete = len(failures) < len(all_blocks) and not is_any_awaited
    connect = any(failure.connect for failure, _ in said)
    return Trouble(reasons, connect, is_rest_complete, [each.name for each in all_blocks])


def note_late(ctx: RequestContext, asked: Asked, blocks: Iterable[Block]) -> None:
    """Note which blocks follow the page. The next page does not begin their calls in vain."""
    late = [each.name for each in blocks if each.is_awaited and each.name not in asked.late]
    if late:
        cache.set_many({_late_key(ctx, name): True for name in late}, LATE_KEPT)


def note_answered(ctx: RequestContext, asked: Asked, block: str) -> None:
    """Note whether a block that followed its page, and has come now, was late again."""
    if monotonic() < asked.begun + PATIENCE:
        cache.delete(_late_key(ctx, block))
    else:
        cache.set(_late_key(ctx, block), True, LATE_KEPT)


def render_late(
    ctx: RequestContext,
    asked: Asked,
    blocks: Iterable[Block],
    figures: Sequence[Figure],
    more: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """The block that was asked for and those that come with it, each with its figures, for their
    places on the page, and `more`, of the timeline. Raises Http404 for a block that the page does
    not have.
    """
    of_call = [each for each in blocks if asked.block in (each.name, each.comes_with)]
    if not of_call:
        raise Http404
    note_answered(ctx, asked, asked.block)
    names = {each.name for each in of_call}
    context = {
        "blocks": of_call,
        "figures": [each for each in figures if each.block in names],
        "may_edit": ctx.may(EDIT_RECORDS),
        "late": ctx.late,
        **(more or {}),
    }
    return ctx.render("pages/_late_blocks.html", context)


def is_complete(page: Page) -> bool:
    """Whether the first page of a list holds all records that there are."""
    is_read = not page.unreadable_rows and len(page.records) >= (page.total_records or 0)
    return is_read and listing.is_last(page)


def read_of(page: Page) -> str:
    """How many of how many were read, such as "32 of 219"; "32" where the service says no total."""
    of = "" if page.total_records is None else f" of {page.total_records:,}"
    return f"{len(page.records):,}{of}"


def sum_figure(
    label: str, total: Sum, style: Style, *, note: str, is_partial: bool = False
) -> Figure:
    """The figure of a sum in the currency of most records; those in others stand in its note. It
    is partial, too, where not every record says its amount.
    """
    if total.count and not total.told:
        return Figure(label, values.text("not known"), note)
    (unit, amount), *others = total.parts
    also = [f"and {write_money(amount, style, currency)}" for currency, amount in others]
    words = ", ".join(filter(None, [*also, note, total.note]))
    shown = values.text(write_money(amount, style, unit, is_shown=False))
    return Figure(label, shown, words, is_partial=is_partial or not total.is_complete, unit=unit)
