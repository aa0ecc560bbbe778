"""The page of one invoice or estimate: its lines, totals and payments, the figures above them, and
the documents that it came from or led to.
"""

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from django.http import HttpResponse

from dashboard.core.templates import address
from dashboard.documents.cells import CANCELLED, OPEN, days_left, time_left
from dashboard.documents.form import deadline_of
from dashboard.documents.line_table import record_totals, sums
from dashboard.documents.lines import HEADER, why_lines_unreadable
from dashboard.documents.totals import PERCENT, Totals
from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, TASKS, Record, whole_number
from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.models import Conversion
from dashboard.people.context import RequestContext, page
from dashboard.records.forms import BESIDE
from dashboard.records.panels import MAIN, SIDE, Figure, Panel
from dashboard.records.record_page import RecordPage
from dashboard.schema import cells, values
from dashboard.schema.cells import Names
from dashboard.schema.money import currency_of, write_money
from dashboard.schema.resource import Resource
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import format_datetime, iso_date
from dashboard.text.numbers import shown_amount, trimmed, write_amount, write_number

HEADINGS = ("Item", "Quantity", "Price", "Discount", "Tax", "Amount")
AMOUNT = re.compile(r"-?[0-9]{1,12}\.[0-9]{1,6}")


class ShownLine(NamedTuple):
    """One line as the page shows it; the `amount` of a header is the subtotal of its lines."""

    is_header: bool
    name: DisplayValue
    description: DisplayValue
    quantity: str
    price: str
    discount: str
    tax: str
    amount: str


class LineageStep(NamedTuple):
    """One record of the way from a deal to an invoice; `is_here`: the one of the page."""

    value: DisplayValue
    note: str = ""
    is_here: bool = False


class Payment(NamedTuple):
    """One payment: its day, its other values, its amount, and its ids in words."""

    day: DisplayValue
    about: DisplayValue
    amount: DisplayValue
    ids: str


class LinesPanel(Panel):
    """The lines and their totals, by the service and as computed here."""

    name, side, template = "lines", MAIN, "documents/_shown_lines.html"

    def build(self) -> None:
        ctx, record, currency = self.ctx, self.subject.record, self.subject.currency
        totals, total = record_totals(record, currency), record["total"]
        is_read = record.lines_complete
        self.currency = currency
        self.lines = _lines(record, totals, currency, ctx)
        self.why_no_lines = "" if is_read else why_lines_unreadable(record)
        self.sums = sums(totals, ctx.style, currency) if is_read else []
        self.total = self.subject.write_money(total) if isinstance(total, Decimal) else ""
        self.calculated_total = self.subject.write_money(totals.total)
        self.differs = is_read and total != totals.total
        self.lacks_total = record.raw.get("total") in (None, "")
        self.balance = self.subject.balance()


class PaymentsPanel(Panel):
    name, side, template = "payments", MAIN, "documents/_payments.html"

    @property
    def is_hidden(self) -> bool:
        return bool(self.subject.resource.name != INVOICES.name)

    def build(self) -> None:
        self.payments = _payments(self.subject.record, self.ctx)


class LineagePanel(Panel):
    """The way from a deal to an invoice, earliest first."""

    name, side, template = "lineage", SIDE, "documents/_lineage.html"

    def build(self) -> None:
        if self.subject.source:
            self.pointers = [(ESTIMATES, self.subject.source.source)]

    @property
    def is_hidden(self) -> bool:
        return len(self.steps) < 2

    @property
    def steps(self) -> list[LineageStep]:
        page, steps = self.subject, []
        deal = page.record.get("deal_id")
        if isinstance(deal, int):
            steps.append(LineageStep(_named("Deal", cells.titled(DEALS, deal, self.names))))
        if page.source:
            estimate = cells.titled(ESTIMATES, page.source.source, self.names)
            steps.append(LineageStep(_named("Estimate", estimate)))
        here, note = values.text(f"This {page.resource.singular}"), _made_by(page.source)
        steps.append(LineageStep(here, note, is_here=True))
        if page.made:
            steps.append(LineageStep(_invoice(page.made), _made_by(page.made)))
        return steps


class DocumentPage(RecordPage):
    """A document with its lines, totals and payments, for screen and print."""

    template = "documents/detail.html"
    panel_types = (LinesPanel, PaymentsPanel, LineagePanel)
    is_printable = True
    logged_as = TASKS.name

    @cached_property
    def source(self) -> Conversion | None:
        """Return the link to the estimate that an invoice was created from."""
        is_invoice = self.resource.name == INVOICES.name
        return preferences.source_of(self.ctx.workspace, self.record_id) if is_invoice else None

    @cached_property
    def made(self) -> Conversion | None:
        """Return the link to the invoice created from an estimate."""
        if self.resource.name != ESTIMATES.name:
            return None
        return preferences.conversion_of(self.ctx.workspace, self.record_id)

    @property
    def log_params(self) -> dict[str, str]:
        customer = whole_number(str(self.record["customer_id"]))
        record = f"{self.resource.name}/{self.record_id}"
        return {"contact": str(customer), BESIDE: record} if customer else {}

    @property
    def log_titles(self) -> tuple[str, str]:
        return f"Call about {self.title}", f"Note about {self.title}"

    @cached_property
    def currency(self) -> str:
        return currency_of(self.record, self.ctx)

    def write_money(self, amount: Decimal) -> str:
        """Return an amount of the document; its currency stands above."""
        return write_money(amount, self.ctx.style, self.currency, is_shown=False)

    def balance(self) -> list[tuple[str, str]]:
        """Return what was paid and the balance due, below the total of an invoice; nothing before
        that.
        """
        total, due = self.record.get("total"), self.record.get("amount_due")
        if not isinstance(total, Decimal) or not isinstance(due, Decimal) or total == due:
            return []
        if self.record.get("inv_status") == CANCELLED:
            return []
        return [("Paid", self.write_money(total - due)), ("Balance due", self.write_money(due))]

    @property
    def has_main_action(self) -> bool:
        return self.resource.name == ESTIMATES.name and not self.made

    def own_figures(self) -> list[Figure]:
        """Return the declared figures that have a value: the deadline with the days left, and the
        balance due with the total, or the total of what is paid.
        """
        figures, total = super().own_figures(), self.record.get("total")
        due = self.record.get("amount_due")
        deadline = deadline_of(self.resource)
        notes = {"transaction_date": _weekday(self.record["transaction_date"])}
        if isinstance(total, Decimal):
            notes["amount_due"] = f"of {self.write_money(total)}"
        covered = "total" if due else "amount_due"
        figures = [figure for figure in figures if figure.name != covered]
        notes[deadline], left = _weekday(self.record[deadline]), self.days_left
        if left is not None:
            notes[deadline] += f", {time_left(deadline, left)}"
        late = (deadline, "amount_due") if self.is_late else ()
        return [
            each._replace(note=notes.get(each.name, ""), is_late=each.name in late)
            for each in figures
        ]

    @property
    def days_left(self) -> int | None:
        return days_left(self.record, deadline_of(self.resource), self.ctx.today)

    @property
    def is_late(self) -> bool:
        return (self.days_left or 0) < 0

    @property
    def customer(self) -> DisplayValue:
        return self.resource.detail("customer_id").value(self.record, self.ctx, self.names)

    @property
    def letter_pairs(self) -> list[tuple[str, DisplayValue]]:
        """Return the facts printed beside the address."""
        names = ("transaction_date", deadline_of(self.resource), "reference", "assigned_to")
        lines = [*self.badges, *self._lines(tuple(map(self.resource.detail, names)))]
        labels = {"assigned_to": "Your contact"}
        pairs = [(labels.get(line.name, line.label), line.value) for line in lines if line.value]
        return [*pairs, ("Customer", values.text(self.record["customer_id"]))]

    @property
    def letter_texts(self) -> dict[str, str]:
        """Return the texts printed below the lines, by title."""
        texts = {
            "terms_conditions": "Terms",
            "notes": "Notes",
            "shipping_address": "Deliver to",
        }
        return {label: str(self.record.get(name) or "") for name, label in texts.items()}

    @property
    def payment_reference(self) -> str:
        """Return the reference for payments; "" if nothing is due."""
        due = self.record.get("amount_due")
        is_due = isinstance(due, Decimal) and due > 0 and self.record.get("inv_status") == OPEN
        return self.title if is_due else ""

    @property
    def reminder_url(self) -> str:
        customer = self.record["customer_id"]
        if not customer or not self.is_late or self.resource.name != INVOICES.name:
            return ""
        of_invoice = {"invoice": str(self.record_id)}
        return address(CONTACTS.name, customer, "statement", of_invoice)


@page
def show_document(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return DocumentPage(ctx, resource, record_id).render()


def lines_table(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
    """Return the lines as a table, for pages that show any record."""
    if not record.lines_complete:
        return values.muted(why_lines_unreadable(record))
    currency = currency_of(record, ctx)
    lines = _lines(record, record_totals(record, currency), currency, ctx)
    return values.table("Lines", HEADINGS, map(_cells, lines))


def expected_total(sent: Record, ctx: RequestContext) -> dict[str, Decimal]:
    """Return the total that the service should compute for the sent lines."""
    return {"total": record_totals(sent, currency_of(sent, ctx)).total}


def _cells(line: ShownLine) -> list[DisplayValue]:
    words = (line.quantity, line.price, line.discount, line.tax, line.amount)
    name = values.several(filter(None, (line.name, line.description)), between=": ")
    return [name, *map(values.text, words)]


def _lines(record: Record, totals: Totals, currency: str, ctx: RequestContext) -> list[ShownLine]:
    amounts = (
        "" if amount is None else write_money(amount, ctx.style, currency, is_shown=False)
        for amount in totals.amounts
    )
    return [_line(line, amount, ctx) for line, amount in zip(record.lines, amounts, strict=True)]


def _line(line: Record, amount: str, ctx: RequestContext) -> ShownLine:
    is_header = line["type"] == HEADER
    return ShownLine(
        is_header=is_header,
        name=values.text(line["item_name"]),
        description=values.text(line["description"]),
        quantity="" if is_header else _number(line["quantity"], ctx),
        price="" if is_header else _money(line["price"], ctx),
        discount=_discount(line, ctx) if line["discount"] else "",
        tax="" if is_header else _tax(line, ctx),
        amount=amount,
    )


def _number(value: object, ctx: RequestContext) -> str:
    return (
        write_number(trimmed(value), ctx.style)
        if isinstance(value, Decimal)
        else values.text(value).words
    )


def _money(value: object, ctx: RequestContext) -> str:
    if not isinstance(value, Decimal):
        return values.text(value).words
    exact = shown_amount(value) == value
    return write_amount(value, ctx.style) if exact else _number(value, ctx)


def _discount(line: Record, ctx: RequestContext) -> str:
    if line["discount_type"] == PERCENT:
        return f"{_number(line['discount'], ctx)}%"
    return _money(line["discount"], ctx)


def _tax(line: Record, ctx: RequestContext) -> str:
    rate = f"{_number(line['tax_rate'], ctx)}%" if line["tax_rate"] is not None else ""
    if not line["tax_id"]:
        return rate
    name = catalogue.entry(ctx.workspace, Kind.TAX, line["tax_id"])
    return name.name if name else rate


def _payments(record: Record, ctx: RequestContext) -> list[Payment]:
    """Return the payments of an invoice. The reference names none of their fields: the day and the
    amount are told by their values, and each other one is shown as it was sent.
    """
    payments = record.payments
    names = list(dict.fromkeys(name for one in payments for name in one))
    ids = [name for name in names if name == "id" or name.endswith(("_id", "Id"))]
    others = [name for name in names if name not in ids]
    by_name = sorted(others, key=lambda name: "amount" not in name.lower())
    numbers = (name for name in by_name if all(_is_number(one.get(name)) for one in payments))
    amount = next(numbers, "")
    day = next(
        (name for name in others if any(iso_date(str(one.get(name))) for one in payments)), ""
    )
    about = [name for name in others if name not in (amount, day)]
    return [
        Payment(
            day=_paid(one.get(day), ctx),
            about=values.several(_named_values(one, about, ctx), between=" · "),
            amount=_paid(one.get(amount), ctx),
            ids=", ".join(f"{_label(name)} {values.text(one.get(name)).words}" for name in ids),
        )
        for one in payments
    ]


def _named_values(payment: Record, names: Iterable[str], ctx: RequestContext) -> list[DisplayValue]:
    found = [(name, payment.get(name)) for name in names]
    return [
        shown if isinstance(value, str) else values.text(f"{_label(name)} {shown.words}")
        for name, value in found
        if (shown := _paid(value, ctx))
    ]


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return bool(AMOUNT.fullmatch(value))
    return isinstance(value, Decimal | int) and not isinstance(value, bool)


def _paid(value: object, ctx: RequestContext) -> DisplayValue:
    if _is_number(value):
        return values.text(_money(Decimal(str(value)), ctx))
    day = iso_date(value) if isinstance(value, str) else None
    return values.text(day or value)


def _invoice(made: Conversion) -> DisplayValue:
    label = f"Invoice {made.label}" if made.label else "An invoice"
    if not made.made:
        return values.text(label)
    return values.link(address(INVOICES.name, made.made), label)


def _named(kind: str, link: DisplayValue) -> DisplayValue:
    if link.text.startswith(kind):
        return link
    return values.several([values.text(f"{kind}:"), link], between=" ")


def _made_by(conversion: Conversion | None) -> str:
    """Return such as "Made 14 Mar 2026, 15:00, by edith"."""
    if conversion is None:
        return ""
    made = f"made {format_datetime(conversion.at)}"
    return f"{made}, by {conversion.user.get_username()}" if conversion.user else made


def _weekday(value: object) -> str:
    return f"{value:%A}" if isinstance(value, date) else ""
