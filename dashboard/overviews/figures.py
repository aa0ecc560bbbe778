"""The figures: sums and counts of what the service lists, drawn and as tables."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from time import monotonic
from typing import Any

from dashboard.core.service_name import SERVICE
from dashboard.core.templates import address
from dashboard.documents import receivables
from dashboard.documents.cells import not_cancelled
from dashboard.gateway import CONTACTS, DEALS, Page, Record
from dashboard.lists.query import ListQuery
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.overviews.figure_sources import (
    FigureChoices,
    InCurrency,
    counted,
    coverage,
)
from dashboard.overviews.periods import (
    NO_DAY,
    PAST,
    DaySpan,
    by_close,
    by_month,
    months,
    year_before,
)
from dashboard.overviews.stages import STAGE, check_stages, count_without_stage, is_end
from dashboard.reader.all_rows import Reading, ReadRows
from dashboard.records.panels import Calls, Panel, Pending, gather
from dashboard.schema import values
from dashboard.schema.cells import titled
from dashboard.schema.charts import (
    Bar,
    Columns,
    Item,
    Numbers,
    Part,
    SumRow,
    Table,
    columns,
    highest,
    segments,
    short_amount,
    table,
)
from dashboard.schema.money import Total, total_of, write_money
from dashboard.schema.registry import RESOURCES
from dashboard.schema.titles import names_of
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import A_DAY, SHORT_MONTHS

MAX_PAGES = 50  # of all lists of a figure
PANEL_TIMEOUT = 15.0  # seconds that the page waits for its slowest list
MAX_CUSTOMERS, MAX_STAGES = 5, 8
MAX_COMPARED = 1_000  # per cent
TONE, OVERDUE_TONE, ENDED_TONE, NO_TONE = "b0", "b3", "left", "none"
LEAD, LEFT, RIGHT = "lead", "left", "right"


class FigurePanel(Panel):
    """A figure. `noun`: what its records are called; `field`: their amount. total: what stands
    beside its title; unit: its currency; late: the part of it that is overdue. notes: over which
    records it counts, in sentences. bars or columns: what is drawn, and marks: its tones with their
    words; ended: bars of what is over, on a scale of their own. switch: words and address of each
    pipeline, and whether it is the present one.
    """

    template = "overviews/_figure.html"
    noun = ""
    field = ""
    subject: FigureChoices
    reads: list[ReadRows]

    total = ""
    unit = ""
    late = ""
    is_partial = False
    beside = ""
    marks: Sequence[tuple[str, str]] = ()
    bars: Sequence[Bar] = ()
    ended: Sequence[Bar] = ()
    strip: Sequence[Part] = ()
    columns: Columns | None = None
    table: Table | None = None
    notes: Sequence[str] = ()
    switch: Sequence[tuple[str, str, bool]] = ()

    def reading(self, share: int = 1, sort: str = "", **filters: str) -> Callable[[], Pending]:
        """Start reading the list with these filters of a URL, up to its share of MAX_PAGES."""
        query = ListQuery.of(RESOURCES[self.area], self.ctx, **filters)
        return partial(
            Reading,
            self.ctx.gateway,
            query.resource.endpoint,
            filters=query.filters.api_params,
            sort=sort,
            until=monotonic() + PANEL_TIMEOUT,
            most=max(1, MAX_PAGES // share),
        )

    def build(self, **reads: Any) -> None:
        self.reads = list(reads.values())
        for read in self.reads:
            self.subject.add(self.area, read.records)

    @property
    def money(self) -> InCurrency:
        return self.subject.money[self.area]

    def draw(self) -> None:
        """Set the chart, once all figures were read."""

    def written(self, amount: Decimal, *, is_shown: bool = False) -> str:
        return write_money(amount, self.ctx.style, self.money.currency, is_shown=is_shown)

    def tabulate(self, heads: Sequence[str], numbers: Iterable[Numbers]) -> None:
        self.table = table(heads, numbers, self.ctx.style, self.money.currency)

    def tabulate_rows(self, head: str, rows: Sequence[SumRow]) -> None:
        heads = (head, self.area.capitalize(), "Amount")
        self.tabulate(heads, [(row.name, [row.sum.count, row.sum.amount]) for row in rows])

    def rows_as_bars(self, rows: Sequence[SumRow]) -> list[Bar]:
        """Return the number of records and the sum of each row, and a bar for it."""
        top = highest(row.sum.amount for row in rows)
        return [
            Bar(
                row.name,
                segments([(row.tone, row.sum.amount)], top),
                (f"{row.sum.count:,}", self.written(row.sum.amount)),
            )
            for row in rows
        ]

    def finish(self, notes: Iterable[str] = (), total: Decimal | None = None) -> None:
        """Set the sum, and what it counts. total: None for the sum of all records that were read.
        Without any record nothing is drawn.
        """
        shown, every = (
            self.money,
            not_cancelled(each for read in self.reads for each in read.records),
        )
        records = shown.of(every)
        whole = total_of(records, self.field)
        unsaid = f"Without an amount: {counted(self.noun, whole.missing)}."
        self.notes = (
            *coverage(self.reads, self.noun),
            *([unsaid] if whole.missing else ()),
            *shown.notes(every, self.field, self.noun, self.ctx),
            *notes,
        )
        is_whole = all(read.complete for read in self.reads)
        self.is_partial = bool(whole.missing) or shown.leaves_unknown(every) or not is_whole
        self.unit = shown.currency
        if records:
            self.total = self.written(whole.amount if total is None else total)
            return
        self.bars = self.ended = self.strip = ()
        self.columns = self.table = None
        if every:
            words = f"in {self.unit}" if self.unit else "whose currency isn't known"
            self.empty = f"Nothing {words}."


class OpenFigure(FigurePanel):
    """A figure of the open invoices, read from the oldest due date on."""

    area, noun, field = "invoices", "open invoices", receivables.BALANCE

    def calls(self) -> Calls:
        return {"open": self.reading(sort="due_date", inv_status="0")}

    @property
    def invoices(self) -> list[Record]:
        """Return the invoices in the selected currency."""
        return self.money.of(self.reads[0].records)


class ReceivablesByAge(OpenFigure):
    name, title, side = "receivables", "Receivables today", LEAD
    empty = "No open invoices"

    def draw(self) -> None:
        rows = receivables.sums_by_age(self.invoices, self.subject.today)
        self.strip = receivables.age_strip(rows, self.written)
        self.tabulate_rows("Age", rows)
        self.finish()
        late = [each.sum.amount for each in rows if each.label in receivables.AGES]
        overdue = sum(late, Decimal(0))
        self.late = f"{self.written(overdue)} overdue" if overdue else ""


class OwedByCustomer(OpenFigure):
    """What is open by customer, and the overdue part; the last row is all other customers."""

    name, title, side = "customers", "Owed by customer", LEFT
    query = {"due": "unpaid"}
    empty = "Nothing owed"

    def draw(self) -> None:
        every = receivables.by_customer(self.invoices)
        pointers = [(CONTACTS, number) for number, _ in every[:MAX_CUSTOMERS] if number]
        self.names = names_of(self.ctx, pointers, seconds=self.subject.names_timeout)
        rows = [(self._customer(number), them) for number, them in every[:MAX_CUSTOMERS]]
        top = highest(total_of(them, self.field).amount for _, them in rows)
        if others := [each for _, them in every[MAX_CUSTOMERS:] for each in them]:
            words = counted("other customers", len(every) - MAX_CUSTOMERS)
            rows.append((values.text(words), others))
        by_age = [receivables.by_age(them, self.subject.today) for _, them in rows]
        ages = list(dict.fromkeys(age for parts in by_age for age in parts))
        tones = [OVERDUE_TONE if age in receivables.AGES else TONE for age in ages]
        sums = [
            [total_of(parts.get(age, []), self.field).amount for age in ages] for parts in by_age
        ]
        wholes = [sum(amounts, Decimal(0)) for amounts in sums]
        drawn = list(zip(rows, sums, wholes, strict=True))
        self.bars = [
            Bar(
                name,
                () if them is others else segments(zip(tones, amounts, strict=True), top),
                (self.written(whole),),
            )
            for (name, them), amounts, whole in drawn
        ]
        self.tabulate(
            ("Customer", "Invoices", *ages, "Total"),
            [(name, [len(them), *amounts, whole]) for (name, them), amounts, whole in drawn],
        )
        self.beside = counted("customers", len(every))
        self.marks = [(TONE, "Not overdue"), (OVERDUE_TONE, "Overdue")]
        self.finish()

    def _customer(self, number: int) -> DisplayValue:
        if not number:
            return values.text("No customer")
        url = address("invoices", query={"inv_status": "0", "cstid": str(number)})
        return titled(CONTACTS, number, self.names)._replace(url=url)


class InvoicedByMonth(FigurePanel):
    """What was invoiced in each month of the period, and in the same days a year before."""

    name, title, side = "months", "Invoiced by month", LEFT
    area, noun, field = "invoices", "invoices", "total"
    empty = "No invoices in this period or the year before"

    @property
    def url(self) -> str:
        return address("invoices", query={"date": self.subject.span.value})

    def calls(self) -> Calls:
        span = self.subject.span
        return {
            "invoiced": self.reading(2, date=span.value),
            "before": self.reading(2, date=year_before(span).value),
        }

    def draw(self) -> None:
        (now, before), spans = self.reads, months(self.subject.span)
        earlier, shown = [year_before(span) for span in spans], self.money
        this, last = (
            [
                total_of(them, self.field)
                for them in by_month(shown.of(not_cancelled(read.records)), at)
            ]
            for read, at in ((now, spans), (before, earlier))
        )
        triples = list(zip(spans, this, last, strict=True))
        items = [self._month(*each) for each in triples]
        self.columns = columns(items)
        self.tabulate(
            ("Month", "Invoices", "This period", "Invoices before", "Year before"),
            [
                (
                    values.link(item.url, span.month),
                    [new.count, new.amount, old.count, old.amount],
                )
                for item, (span, new, old) in zip(items, triples, strict=True)
            ],
        )
        is_now = [("now", "This month, so far")] if items[-1].tone == "now" else []
        self.marks = [("b0", "This period"), ("was", "Year before"), *is_now]
        every = (*now.records, *before.records)
        is_whole = now.complete and before.complete
        new, old = (sum((each.amount for each in sums), Decimal(0)) for sums in (this, last))
        if is_whole and not shown.leaves_unknown(every):
            self.beside = _change(new, old)
        off = len(every) - len(not_cancelled(every))
        self.finish([f"Not included: {counted('cancelled invoices', off)}."] if off else (), new)

    def _month(self, span: DaySpan, this: Total, last: Total) -> Item:
        words, before = (self.written(each.amount, is_shown=True) for each in (this, last))
        is_now = span.last == self.subject.today and (span.last + A_DAY).day != 1
        return Item(
            SHORT_MONTHS[span.first.month - 1],
            this.amount,
            short_amount(this.amount, self.ctx.style),
            f"{span.month}: {words}, {counted('invoices', this.count)}. Year before: {before}",
            address("invoices", query={"date": span.value}),
            "now" if is_now else "b0",
            last.amount if last.count else None,
        )


def _change(new: Decimal, old: Decimal) -> str:
    if old <= 0 or new <= 0 or (change := 100 * (new - old) / old) >= MAX_COMPARED:
        return ""
    rounded = round(change)
    words = "more" if rounded > 0 else "less"
    return f"{abs(rounded)}% {words} than the year before" if rounded else "Same as the year before"


class PipelineFigure(FigurePanel):
    """A figure of the deals of one pipeline, read by stage, as far as the stages have names. The
    figures of a page share what is read.
    """

    side = RIGHT
    area, noun, field = "deals", "deals", "deal_amount"

    def calls(self) -> Calls:
        pipeline = self.subject.pipeline
        self.stages = self.subject.pipelines.get(pipeline, [])[:MAX_STAGES]
        if not self.stages:
            return {}
        count = {"filters": {"pipeline_id": int(pipeline)}, "page_size": 1}
        return {
            "pipeline": self.begin_list(DEALS, **count),
            **{
                f"stage_{each.code}": self.reading(
                    MAX_STAGES, **{"pipeline_id": pipeline, STAGE: each.code}
                )
                for each in self.stages
            },
        }

    def build(self, pipeline: Page | None = None, **reads: Any) -> None:
        check_stages([read.records for read in reads.values()])
        self.whole = pipeline.total_records if pipeline else None
        super().build(**reads)


class PipelineByStage(PipelineFigure):
    """The stages in which deals are open, and below them those in which they are over."""

    name, title = "stages", "Pipeline by stage"
    empty = "No stages yet"

    def draw(self) -> None:
        codes, present = list(self.subject.pipelines), self.subject.pipeline
        self.switch = [
            (
                catalogue.label(self.ctx.workspace, Kind.PIPELINE, code),
                self.subject.url("page", pipeline=code) + "#figure-stages",
                code == present,
            )
            for code in codes
            if len(codes) > 1
        ]
        if not self.stages:
            return
        rows = [
            SumRow(
                stage.name,
                address("deals", query={"pipeline_id": stage.parent, STAGE: stage.code}),
                ENDED_TONE if is_end(stage.name) else TONE,
                total_of(self.money.of(read.records), self.field),
            )
            for stage, read in zip(self.stages, self.reads, strict=True)
        ]
        self.empty = "No deals in these stages"
        is_open = [row for row in rows if row.tone == TONE]
        ended = [row for row in rows if row.tone == ENDED_TONE]
        self.bars, self.ended = self.rows_as_bars(is_open), self.rows_as_bars(ended)
        self.tabulate_rows("Stage", [*is_open, *ended])
        notes = ["Won and lost deals have their own scale."] if ended else []
        every = len(self.subject.pipelines[present])
        if len(rows) < every:
            notes.append(f"Showing the first {len(rows)} of {every} stages.")
        totals = [read.total for read in self.reads]
        if others := count_without_stage(self.whole, totals):
            notes.append(f"Other or no stage: {counted('deals', others)}.")
        self.finish(notes, sum((row.sum.amount for row in is_open), Decimal(0)))


class DealsByClose(PipelineFigure):
    """The open deals of the pipeline; all deals where no stage has a name."""

    name, title = "closing", "Deals by expected close"
    empty = "No open deals"

    def calls(self) -> Calls:
        return super().calls() or {"deals": self.reading()}

    def build(self, pipeline: Page | None = None, **reads: Any) -> None:
        super().build(pipeline, **reads)
        if self.stages:
            by_stage = zip(self.stages, self.reads, strict=True)
            self.reads = [read for stage, read in by_stage if not is_end(stage.name)]

    def draw(self) -> None:
        deals = self.money.of(each for read in self.reads for each in read.records)
        rows = [
            SumRow(
                label,
                address("deals", query={"closes": days}) if days and not self.stages else "",
                {PAST: OVERDUE_TONE, NO_DAY: NO_TONE}.get(label, TONE),
                total_of(them, self.field),
            )
            for label, days, them in by_close(deals, self.subject.today)
        ]
        self.bars = self.rows_as_bars(rows)
        self.tabulate_rows("Expected close", rows)
        pipeline = catalogue.label(self.ctx.workspace, Kind.PIPELINE, self.subject.pipeline)
        mixed = f"Includes won and lost deals ({SERVICE} doesn't separate them)."
        self.finish([f"Open deals of the pipeline {pipeline}." if self.stages else mixed])


FIGURES = (ReceivablesByAge, InvoicedByMonth, OwedByCustomer, PipelineByStage, DealsByClose)


def draw_figures(choices: FigureChoices, area: str = "") -> list[FigurePanel]:
    """Read and draw the figures, or those of one area."""
    chosen: list[type[FigurePanel]] = [each for each in FIGURES if area in ("", each.area)]
    panels = gather(chosen, choices.ctx, choices)
    for panel in panels:
        if not panel.error:
            panel.draw()
    return panels
