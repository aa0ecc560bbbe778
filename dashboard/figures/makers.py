"""Makes each figure of the page from what was read, so that one that fails leaves the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from dashboard.display import values
from dashboard.display.cells import titled
from dashboard.display.charts import (
    Bar,
    Columns,
    Item,
    Numbers,
    Table,
    columns,
    highest,
    segments,
    short_amount,
    table,
)
from dashboard.display.money import Total, total_of, write_money
from dashboard.display.values import DisplayValue
from dashboard.documents import open_invoices
from dashboard.figures import groups
from dashboard.figures.periods import Span, months, year_before
from dashboard.figures.sources import (
    ReadList,
    Sources,
    counted,
    coverage,
    list_of,
    stages_of,
)
from dashboard.gateway import CONTACTS, GatewayError, Record
from dashboard.markup import page_url
from dashboard.reader.lookups import Pointer
from dashboard.service_name import SERVICE
from dashboard.text.dates import A_DAY, SHORT_MONTHS
from dashboard.writes.failures import Failure, describe

MOST_CUSTOMERS = 8
CANCELLED = 2  # an inv_status
MOST_COMPARED = 1_000  # per cent
NO_TONE = "none"


@dataclass(frozen=True)
class Figure:
    """One figure of the page. total: what stands beside its title; unit: its currency; late: the
    part of it that is overdue. notes: over which records it counts, in sentences. bars or columns:
    what is drawn. marks: the tones with their words. switch: words and address of each pipeline,
    and whether it is the present one.
    """

    name: str
    title: str
    url: str = ""
    link: str = ""
    total: str = ""
    unit: str = ""
    late: str = ""
    is_partial: bool = False
    beside: str = ""
    marks: tuple[tuple[str, str], ...] = ()
    bars: tuple[Bar, ...] = ()
    columns: Columns | None = None
    table: Table | None = None
    empty: str = ""
    notes: tuple[str, ...] = ()
    switch: tuple[tuple[str, str, bool], ...] = ()
    failure: Failure | None = None


class Maker(NamedTuple):
    """A figure: the resource it is about, what its records are called, the lists it is made of, and
    what makes it.
    """

    title: str
    resource: str
    noun: str
    lists: tuple[str, ...]
    make: Callable[[Sources, Figure], Figure]


def make(name: str, sources: Sources) -> Figure:
    """The figure of a name. Raises GatewayError."""
    return MAKERS[name].make(sources, Figure(name, MAKERS[name].title))


def make_if_possible(name: str, sources: Sources) -> Figure:
    """The figure of a name, or why it could not be read."""
    try:
        return make(name, sources)
    except GatewayError as error:
        return Figure(name, MAKERS[name].title, failure=describe(error))


def customers_shown(sources: Sources) -> list[Pointer]:
    """The customers that owe most, whose names are shown; [] where no open invoices were read."""
    try:
        opened = [each for read in sources.lists("open") for each in read.rows.records]
    except GatewayError:
        return []
    most = open_invoices.by_customer(sources.money("invoices").of(opened))[:MOST_CUSTOMERS]
    return [(CONTACTS, number) for number, _ in most if number]


def receivables(sources: Sources, figure: Figure) -> Figure:
    """What is open by how late it is, as of today."""
    [read] = sources.lists("open")
    by_age = open_invoices.by_age(sources.money("invoices").of(read.rows.records), sources.today)
    rows = [
        Row(
            age,
            open_invoices.due_url(age, sources.today),
            open_invoices.AGE_TONES.get(age, NO_TONE),
            total_of(them, "amount_due"),
        )
        for age, them in by_age.items()
    ]
    figure = _of_rows(sources, replace(figure, empty="No invoice is open."), "Age", rows)
    figure = _finished(sources, figure, [read], "amount_due")
    late = sum((each.sum.amount for each in rows if each.label in open_invoices.AGES), Decimal(0))
    words = write_money(late, sources.ctx.style, figure.unit, is_shown=False)
    return replace(figure, late=f"{words} overdue" if late else "")


def by_customer(sources: Sources, figure: Figure) -> Figure:
    """What is open by customer and by how late it is; the last row is all other customers."""
    [read] = sources.lists("open")
    shown, style = sources.money("invoices"), sources.ctx.style
    every = open_invoices.by_customer(shown.of(read.rows.records))
    rows = [(_customer(sources, number), them) for number, them in every[:MOST_CUSTOMERS]]
    top = highest(total_of(them, "amount_due").amount for _, them in rows)
    if others := [each for _, them in every[MOST_CUSTOMERS:] for each in them]:
        words = counted("other customers", len(every) - MOST_CUSTOMERS)
        rows.append((values.text(words), others))
    by_age = [open_invoices.by_age(them, sources.today) for _, them in rows]
    ages = list(dict.fromkeys(age for parts in by_age for age in parts))
    sums = [[total_of(parts.get(age, []), "amount_due").amount for age in ages] for parts in by_age]
    tones = [open_invoices.AGE_TONES.get(age, NO_TONE) for age in ages]
    bars = [
        Bar(
            name,
            () if them is others else segments(zip(tones, amounts, strict=True), top),
            (write_money(sum(amounts, Decimal(0)), style, shown.currency, is_shown=False),),
        )
        for (name, them), amounts in zip(rows, sums, strict=True)
    ]
    numbers: list[Numbers] = [
        (name, [len(them), *amounts, sum(amounts, Decimal(0))])
        for (name, them), amounts in zip(rows, sums, strict=True)
    ]
    figure = replace(
        figure,
        beside=counted("customers", len(every)),
        url=list_of(sources.ctx, "invoices", due="unpaid").url(),
        link="Unpaid, by customer",
        marks=tuple((open_invoices.AGE_TONES.get(age, NO_TONE), age) for age in ages),
        bars=tuple(bars),
        table=table(("Customer", "Invoices", *ages, "Total"), numbers, style, shown.currency),
        empty="Nobody owes anything.",
    )
    return _finished(sources, figure, [read], "amount_due")


def by_month(sources: Sources, figure: Figure) -> Figure:
    """What was invoiced in each month of the period, and in the same days a year before."""
    now, before = sources.lists("invoiced", "before")
    shown, spans = sources.money("invoices"), months(sources.period)
    earlier = [year_before(span) for span in spans]
    this, last = (
        [total_of(them, "total") for them in groups.by_month(shown.of(_valid(read)), at)]
        for read, at in ((now, spans), (before, earlier))
    )
    triples = list(zip(spans, this, last, strict=True))
    items = [_month(sources, *each, shown.currency) for each in triples]
    numbers: list[Numbers] = [
        (values.link(item.url, span.month), [new.count, new.amount, old.count, old.amount])
        for item, (span, new, old) in zip(items, triples, strict=True)
    ]
    heads = ("Month", "Invoices", "This period", "Invoices before", "Year before")
    marks = [("b0", "This period"), ("was", "Year before")]
    marks += [("now", "This month, so far")] if items[-1].tone == "now" else []
    every = (*now.rows.records, *before.rows.records)
    is_whole = now.rows.complete and before.rows.complete
    new, old = (sum((each.amount for each in sums), Decimal(0)) for sums in (this, last))
    figure = replace(
        figure,
        columns=columns(items),
        marks=tuple(marks),
        table=table(heads, numbers, sources.ctx.style, shown.currency),
        beside=_change(new, old) if is_whole and not shown.leaves_unknown(every) else "",
        empty="Nothing was invoiced in this period, nor in the year before.",
        url=list_of(sources.ctx, "invoices", date=sources.period.value).url(),
        link="All of the period",
    )
    off = len(every) - len(_valid(now)) - len(_valid(before))
    notes = [f"Left out: {counted('cancelled invoices', off)}."] if off else []
    return _finished(sources, figure, [now, before], "total", notes, new)


def _month(sources: Sources, span: Span, this: Total, last: Total, currency: str) -> Item:
    style = sources.ctx.style
    words, before = (write_money(each.amount, style, currency) for each in (this, last))
    is_now = span.last == sources.today and (span.last + A_DAY).day != 1
    return Item(
        SHORT_MONTHS[span.first.month - 1],
        this.amount,
        short_amount(this.amount, style),
        f"{span.month}: {words}, {counted('invoices', this.count)}. Year before: {before}",
        list_of(sources.ctx, "invoices", date=span.value).url(),
        "now" if is_now else "b0",
        last.amount if last.count else None,
    )


def _change(new: Decimal, old: Decimal) -> str:
    """The change from the year before in words; "" where there is nothing to compare."""
    if old <= 0 or new <= 0 or (change := 100 * (new - old) / old) >= MOST_COMPARED:
        return ""
    rounded = round(change)
    words = "more" if rounded > 0 else "less"
    return f"{abs(rounded)} % {words} than the year before" if rounded else "As the year before"


def by_stage(sources: Sources, figure: Figure) -> Figure:
    """The deals of each stage of one pipeline, as far as the stages have names."""
    figure = replace(figure, url=page_url("deals:board"), link="Board")
    stages = stages_of(sources.ctx)
    if not stages:
        return replace(figure, empty="No stage has a name and a pipeline yet.")
    *reads, pipeline = sources.lists("stages", "pipeline")
    shown = sources.money("deals")
    rows = [
        Row(stage.name, read.query.url(), "", total_of(shown.of(read.rows.records), "deal_amount"))
        for stage, read in zip(stages, reads, strict=False)
    ]
    figure = _of_rows(sources, replace(figure, empty="No deal is in these stages."), "Stage", rows)
    notes = []
    if len(reads) < len(stages):
        notes.append(f"The first {len(reads)} of {len(stages)} stages are drawn.")
    if others := _without_stage(reads, pipeline):
        notes.append(f"In other stages, or in none: {counted('deals', others)}.")
    return _finished(sources, figure, reads, "deal_amount", notes)


def _without_stage(stages: Sequence[ReadList], pipeline: ReadList) -> int:
    """How many deals are in none of the stages; 0 where the service does not say how many."""
    totals = [read.rows.total for read in (*stages, pipeline)]
    *known, total = [0 if each is None else each for each in totals]
    return 0 if None in totals else max(0, total - sum(known))


def by_close(sources: Sources, figure: Figure) -> Figure:
    """The deals by the month in which they are expected to close."""
    [read] = sources.lists("deals")
    ctx, shown = sources.ctx, sources.money("deals")
    tones = {groups.PAST: "b3", groups.NO_DAY: NO_TONE}
    items: list[Item] = []
    numbers: list[Numbers] = []
    for label, days, them in groups.by_close(shown.of(read.rows.records), sources.today):
        total = total_of(them, "deal_amount")
        words = write_money(total.amount, ctx.style, shown.currency)
        item = Item(
            label.removesuffix(f" {label[-4:]}") if label[-4:].isdecimal() else label,
            total.amount,
            short_amount(total.amount, ctx.style),
            f"{label}: {words}, {counted('deals', total.count)}",
            list_of(ctx, "deals", closes=days).url() if days else "",
            tones.get(label, "b0"),
        )
        items.append(item)
        name = values.link(item.url, label) if item.url else values.text(label)
        numbers.append((name, [total.count, total.amount]))
    figure = replace(
        figure,
        columns=columns(items, tall=60),
        table=table(("Expected close", "Deals", "Amount"), numbers, ctx.style, shown.currency),
        empty="There are no deals.",
    )
    told = f"Won and lost deals are among them: {SERVICE} does not tell them apart."
    notes = [told] if shown.of(read.rows.records) else []
    return _finished(sources, figure, [read], "deal_amount", notes)


MAKERS: Mapping[str, Maker] = {
    "receivables": Maker("Receivables today", "invoices", "open invoices", ("open",), receivables),
    "months": Maker("Invoiced by month", "invoices", "invoices", ("invoiced", "before"), by_month),
    "customers": Maker("Owed by customer", "invoices", "open invoices", ("open",), by_customer),
    "stages": Maker("Pipeline by stage", "deals", "deals", ("stages", "pipeline"), by_stage),
    "closing": Maker("Deals by expected close", "deals", "deals", ("deals",), by_close),
}


class Row(NamedTuple):
    """One bar: its words, the list behind it, its tone ("" for one without a mark), and its sum."""

    label: str
    url: str
    tone: str
    sum: Total


def _of_rows(sources: Sources, figure: Figure, head: str, rows: Sequence[Row]) -> Figure:
    """The figure with its bars, and the number of records and the sum of each."""
    resource, style = MAKERS[figure.name].resource, sources.ctx.style
    unit = sources.money(resource).currency
    top = highest(row.sum.amount for row in rows)
    names = [values.link(row.url, row.label) if row.url else values.text(row.label) for row in rows]
    bars = [
        Bar(
            name,
            segments([(row.tone or "b0", row.sum.amount)], top),
            (f"{row.sum.count:,}", write_money(row.sum.amount, style, unit, is_shown=False)),
            row.tone,
        )
        for name, row in zip(names, rows, strict=True)
    ]
    numbers: list[Numbers] = [
        (name, [row.sum.count, row.sum.amount]) for name, row in zip(names, rows, strict=True)
    ]
    heads = (head, resource.capitalize(), "Amount")
    return replace(figure, bars=tuple(bars), table=table(heads, numbers, style, unit))


def _finished(
    sources: Sources,
    figure: Figure,
    reads: Sequence[ReadList],
    field: str,
    notes: Iterable[str] = (),
    total: Decimal | None = None,
) -> Figure:
    """The figure of an amount with its sum, and what that counts. total: None for the sum of all
    records that were read. Without any record nothing is drawn.
    """
    maker, style = MAKERS[figure.name], sources.ctx.style
    shown = sources.money(maker.resource)
    every = [each for read in reads for each in _valid(read)]
    records = shown.of(every)
    whole = total_of(records, field)
    said = [f"Without an amount: {counted(maker.noun, whole.missing)}."] if whole.missing else []
    said += shown.notes(every, field, maker.noun, sources.ctx)
    amount = whole.amount if total is None else total
    is_whole = all(read.rows.complete for read in reads)
    figure = replace(
        figure,
        total=write_money(amount, style, shown.currency, is_shown=False),
        unit=shown.currency,
        is_partial=bool(whole.missing) or shown.leaves_unknown(every) or not is_whole,
        notes=(*coverage(reads, maker.noun), *said, *notes),
    )
    if records:
        return figure
    words = f"in {shown.currency}" if shown.currency else "whose currency is not known"
    empty = f"Nothing {words}." if every else figure.empty
    return replace(figure, bars=(), columns=None, total="", table=None, empty=empty)


def _customer(sources: Sources, number: int) -> DisplayValue:
    """The name of a customer, which leads to their open invoices."""
    if not number:
        return values.text("No customer")
    url = list_of(sources.ctx, "invoices", inv_status="0", cstid=str(number)).url()
    return titled(CONTACTS, number, sources.names)._replace(url=url)


def _valid(read: ReadList) -> list[Record]:
    """The records without the cancelled invoices among them."""
    return [each for each in read.rows.records if each.get("inv_status") != CANCELLED]
