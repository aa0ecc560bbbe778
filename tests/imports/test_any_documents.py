"""Any table made from documents with known totals is imported with these totals, or asks."""

from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.documents.totals import FIXED, PERCENT, ZERO, LineAmounts, add_up, rounded
from dashboard.imports.checking import Checker, RowStatus
from dashboard.imports.duplicates import Index
from dashboard.imports.guessing import guess_fields
from dashboard.imports.import_file import ImportFile, ImportSettings
from dashboard.imports.models import Import
from dashboard.imports.questions import AMOUNT_HEADING, GROSS_HEADING
from dashboard.imports.targets import targets_of
from dashboard.people.context import RequestContext
from dashboard.schema.registry import RESOURCES
from dashboard.tables import headings
from tests.imports.test_checking import Silent
from tests.tables.files import read_table

pytestmark = pytest.mark.django_db
INVOICES = RESOURCES["invoices"]
CENT = Decimal("0.01")
NOISE = ("Remark 1", "xyz", "Warehouse", "Colour")
STYLES = ((".", ""), (".", ","), (",", ""), (",", "."), (".", " "))  # decimal mark, grouping


def words_of(content, name):
    return [word.strip() for line in headings.TABLES[content][name].values()
            for word in line.split(",")]  # fmt: skip


HEADS = {
    "number": ["Invoice number", *words_of("documents", "number")],
    "customer": words_of("documents", "customer_id"),
    "item": words_of("lines", "item_name"),
    "item_id": ["Item ID"],
    "quantity": words_of("lines", "quantity"),
    "price": [word for word in words_of("lines", "price") if not GROSS_HEADING.search(word)],
    "tax": words_of("lines", "tax_rate"),
    "tax_figure": [word for word in words_of("lines", "tax_id") if word != "tax id"],
    "overall_discount": words_of("documents", "overall_discount")[:3],
    "charge": [*words_of("claims", "charge"), "Extra"],
    "discount": [
        word
        for word in words_of("lines", "discount")
        if "%" not in word and not AMOUNT_HEADING.search(word)
    ],
    **{name: words_of("claims", name) for name in headings.TABLES["claims"]},
}


def first_word(kind):
    return kind.split()[0]


numbers = st.integers(1, 400).map(lambda number: Decimal(number) / 4)
prices = st.one_of(
    st.integers(1, 300).map(Decimal),
    st.integers(1, 999_999).map(lambda number: Decimal(number) / 100),
    st.sampled_from([Decimal(each) for each in ("1.234", "1500", "12000", "0.5", "99.999")]),
)


@dataclass
class Truth:
    """How a file was written: what only its author knows."""

    mark: str
    grouping: str
    unit: int
    has_tax: bool
    includes_tax: bool
    claims: list[str]
    tax: str = "tax"
    documents: list[list[LineAmounts]] = field(default_factory=list)
    overall: list[Decimal] = field(default_factory=list)
    charges: list[Decimal] = field(default_factory=list)

    def write(self, number):
        whole, _, decimals = f"{number:,f}".partition(".")
        return whole.replace(",", self.grouping) + (self.mark + decimals if decimals else "")

    def net(self, line):
        """The line as it must be sent."""
        if not self.includes_tax or not line.rate:
            return line
        share = 1 + line.rate / 100
        off = line.discount / (share if line.discount_type == FIXED else 1)
        return replace(line, price=line.price / share, discount=off)

    def totals(self, at):
        """What the file's program computed of a document, without what no field takes."""
        lines, off = self.documents[at], {"discount": self.overall[at], "discount_type": self.unit}
        if not self.includes_tax:
            return add_up(lines, **off)
        gross = add_up([replace(line, rate=ZERO) for line in lines], **off)
        taxes = {line.rate: (line.net(CENT) * line.rate / (100 + line.rate)).quantize(CENT)
                 for line in lines}  # fmt: skip
        return replace(gross, subtotal=gross.total - sum(taxes.values()), taxes=taxes)

    def tax_text(self, line):
        if not line.rate and self.tax == "tax_figure":
            return ""
        if self.tax == "tax":
            return f"{self.write(line.rate)} %"
        net = self.net(line).net(CENT) if not self.includes_tax else None
        gross = line.net(CENT)
        tax = gross * line.rate / (100 + line.rate) if net is None else net * line.rate / 100
        return self.write(rounded(tax, CENT))

    def claim(self, claim, document, at):
        """What the file says in the row of a line."""
        totals, line = self.totals(document), add_up([self.documents[document][at]])
        total = totals.total + self.charges[document]
        return {
            "total": total,
            "total once": total if at == 0 else None,
            "total of line": line.total,
            "total net": totals.subtotal,
            "subtotal": totals.subtotal,
            "tax_amount": sum(totals.taxes.values(), ZERO),
            "line_total": line.subtotal,
            "balance": total,
        }[claim]


@st.composite
def truths(draw):
    mark, grouping = draw(st.sampled_from(STYLES))
    truth = Truth(
        mark, grouping, draw(st.sampled_from([FIXED, PERCENT])), draw(st.booleans()), False, []
    )
    truth.includes_tax = truth.has_tax and draw(st.booleans())
    truth.tax = draw(st.sampled_from(["tax", "tax_figure"]))
    kinds = ["total", "total once"]
    if not truth.includes_tax:
        kinds += ["total of line", "total net", "subtotal", "line_total", "balance", "tax_amount"]
    truth.claims = draw(
        st.lists(st.sampled_from(kinds), min_size=1, max_size=2, unique_by=first_word)
    )
    for _ in range(draw(st.integers(1, 4))):
        lines = [draw(lines_of(truth)) for _ in range(draw(st.integers(1, 3)))]
        truth.documents.append(lines)
        off = draw(st.sampled_from([ZERO, ZERO, Decimal(5)]))
        truth.overall.append(min(off, add_up([replace(line, rate=ZERO) for line in lines]).total))
        truth.charges.append(draw(st.sampled_from([ZERO, ZERO, ZERO, Decimal("4.90")])))
    return truth


@st.composite
def lines_of(draw, truth):
    quantity, price = draw(numbers), draw(prices)
    discount = draw(st.sampled_from([ZERO, ZERO, Decimal(5), Decimal(10), Decimal("12.5")]))
    if truth.unit == FIXED:
        discount = min(discount, quantity * price)
    rate = draw(st.sampled_from([ZERO, Decimal(7), Decimal(20)])) if truth.has_tax else ZERO
    kind = truth.unit if discount else None
    return LineAmounts(
        quantity=quantity, price=price, discount=discount, discount_type=kind, rate=rate
    )


@st.composite
def tables(draw, truth):
    """A file of these documents; columns in any order, headings in any language, other columns."""
    columns = ["number", "customer", "item", "item_id", "quantity", "price", "discount"]
    columns += [truth.tax] if truth.has_tax else []
    columns += ["overall_discount"] if any(truth.overall) else []
    columns += ["charge"] if any(truth.charges) else []
    columns += [*truth.claims, *draw(st.lists(st.sampled_from(NOISE), unique=True, max_size=2))]
    columns = draw(st.permutations(columns))
    titles: list[str] = []
    for name in columns:
        taken = [headings.normalise(title) for title in titles]
        free = [word for word in HEADS.get(first_word(name), [name])
                if headings.normalise(word) not in taken]  # fmt: skip
        title = draw(st.sampled_from(free))
        titles.append(draw(st.sampled_from([str, str.upper, str.title, "*{}".format]))(title))
    rows = [titles]
    for document, lines in enumerate(truth.documents):
        overall, charge = truth.overall[document], truth.charges[document]
        for at, line in enumerate(lines):
            texts = {
                "number": f"D-{document + 1}",
                "customer": "#7",
                "item": "Shipping",
                "item_id": "513",
                "quantity": truth.write(line.quantity),
                "price": truth.write(line.price),
                "discount": truth.write(line.discount) if line.discount else "",
                truth.tax: truth.tax_text(line),
                "overall_discount": truth.write(overall) if at == 0 and overall else "",
                "charge": truth.write(charge) if at == 0 else "",
            }
            for name in {*columns}.intersection(NOISE):
                texts[name] = draw(st.sampled_from(["", "red", "7 b"]))
            for name in truth.claims:
                amount = truth.claim(name, document, at)
                texts[name] = "" if amount is None else truth.write(amount)
            rows.append([texts[name] for name in columns])
    return "\n".join("\t".join(row) for row in rows)


def check(table, answers):
    fields = guess_fields(table, targets_of(INVOICES, ""))
    chosen = ImportSettings(fields=fields, answers=answers, defaults={"template_id": "3"})
    ctx = RequestContext(gateway=Silent())
    file = ImportFile(Import(resource="invoices"), chosen, table)
    form = INVOICES.create_form(ctx=ctx, initial={"template_id": "3"})
    return Checker(file, form, ctx, Index(INVOICES, is_whole=True)).check()


def sent_total(body):
    lines = [
        LineAmounts(
            quantity=Decimal(str(line["quantity"])),
            price=Decimal(str(line["price"])),
            discount=Decimal(str(line.get("discount", 0))),
            discount_type=line.get("discount_type"),
            rate=Decimal(str(line.get("tax_rate", 0))),
        )
        for line in body["items"]
    ]
    discount = Decimal(str(body.get("overall_discount", 0)))
    return add_up(lines, discount=discount, discount_type=body.get("overall_discount_type")).total


@given(st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_document_is_sent_with_another_total_and_no_column_is_asked_about_twice(data):
    truth = data.draw(truths())
    table = read_table(data.draw(tables(truth)))
    replies = {
        "mark": truth.mark,
        "discount": str(truth.unit),
        "tax": "included" if truth.includes_tax else "added",
        "rounding": "accept",
        "rate": str(FIXED),
        "charge": "yes",
    }
    answers: dict[str, dict[str, str]] = {}
    asked = Counter()
    is_rounded = False
    while True:
        checked = check(table, answers)
        for record in checked.records:
            if record.status == RowStatus.READY:
                at = int(record.body["reference"].removeprefix("D-")) - 1
                room = CENT * len(truth.documents[at]) / (1 if truth.includes_tax else 2)
                wanted = truth.totals(at).total + truth.charges[at]
                assert abs(sent_total(record.body) - wanted) <= room * is_rounded
        questions = [one for one in checked.readings.questions() if not one.answer]
        if not questions:
            break
        for question in questions:
            _, index, kind = question.name.split("-")
            asked[question.name] += 1
            answers.setdefault(index, {})[kind] = replies[kind]
            is_rounded = is_rounded or kind == "rounding"
    assert not asked or max(asked.values()) == 1
    if not truth.includes_tax and not any(truth.charges) and truth.tax == "tax":
        assert {record.status for record in checked.records} == {RowStatus.READY}
