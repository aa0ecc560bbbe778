"""The rows of a document of a table, and its lines."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from dashboard.documents.form import DocumentForm
from dashboard.documents.lines import ITEM, NO_UNIT, OTHER_ITEM, DocumentLine, blank_line, tax_of
from dashboard.documents.totals import PERCENT, ZERO, LineAmounts, rate_of
from dashboard.gateway import whole_number
from dashboard.imports.questions import DISCOUNT_UNIT, NO_TAX, TAX, TAX_INCLUDED
from dashboard.imports.rows import CheckedRow, RowReader
from dashboard.imports.targets import (
    CHARGE,
    CLAIM,
    DISCOUNT,
    IN_TAX,
    ITEM_ID,
    ITEM_NAME,
    LINE,
    SUM,
    TAX_ID,
    TAX_RATE,
    TAXES,
    TOTAL,
    TYPE,
    TYPES_OF_DISCOUNTS,
)
from dashboard.imports.totals_rows import is_sum_word
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField
from dashboard.schema.money import smallest_unit
from dashboard.text.numbers import EXACT, FINEST, parse_number, read_number, trimmed, write_number
from dashboard.text.plain import folded
from dashboard.text.style import NotReadable, Style

NO_DOCUMENT = "This line belongs to no document. Enter a document number or a customer."
NO_NUMBER = (
    "Other rows have a number. Enter the number of this document, or clear its cells if this is a "
    "line of the document above."
)
APART = (
    "The rows of this document are not together ({}). Sort the file by number, or skip the rows "
    "that repeat the document."
)
NO_RATE = "No tax rate gives a tax of {} on {}. Enter the rate, for example 20%."
IS_SUM = "Skipped: a total of other lines"
DISCOUNT_TYPE = TYPES_OF_DISCOUNTS[DISCOUNT]
Line = tuple[CheckedRow, DocumentLine]


@dataclass
class Group:
    """The rows of one document, in table order, and why they cannot be one."""

    rows: list[CheckedRow] = field(default_factory=list)
    problem: str = ""

    def may_have(self, head: Mapping[str, str]) -> bool:
        """Return whether the cells of a head are blank or as in all rows."""
        others = ((name, row.text(name).strip()) for row in self.rows for name in head)
        return all(head[name] in ("", text) or not text for name, text in others)


def group_rows(rows: Sequence[CheckedRow], number: str, head: Container[str]) -> list[Group]:
    """Put every row in one group. `number`: the field with the number of the document. `head`: the
    other fields of the document.

    A row belongs to the document of its number; without number and head to that of the row above,
    also with the same head where others have numbers: what is written once counts below it.
    """
    keys = [folded(row.text(number)) for row in rows]
    found: list[Group] = []
    by_key: dict[str, Group] = {}
    above: Group | None = None
    for row, key in zip(rows, keys, strict=True):
        own = {name: cell.text.strip() for name, cell in row.cells.items() if name in head}
        has_head = any(own.values())
        is_same = any(keys) and above is not None and above.may_have(own)
        group = by_key.get(key) if key else above
        if group is None or (has_head and not key and not is_same):
            group = Group()
            found.append(group)
            if not key and not has_head:
                group.problem = NO_DOCUMENT
            elif not key and any(keys):
                group.problem = NO_NUMBER
        if key:
            by_key[key] = group
        group.rows.append(row)
        above = group
    return found


def why_apart(rows: Iterable[CheckedRow], places: Mapping[int, int]) -> str:
    """Return an error if other rows stand between those of a document; "" if none do.

    `places`: the position of each row among those that are not excluded.
    """
    pieces = list[list[CheckedRow]]()
    for row in rows:
        if not pieces or places[row.number] != places[pieces[-1][-1].number] + 1:
            pieces.append([])
        pieces[-1].append(row)
    return APART.format(", ".join(map(_span, pieces))) if len(pieces) > 1 else ""


def in_words(rows: Sequence[CheckedRow]) -> str:
    """Format the numbers of a document's rows: row 7, or rows 2 to 9."""
    return f"{'row' if len(rows) == 1 else 'rows'} {_span(rows)}"


def _span(rows: Sequence[CheckedRow]) -> str:
    first, last = rows[0].number, rows[-1].number
    return str(first) if first == last else f"{first} to {last}"


def tell_errors(lines: Sequence[Line]) -> bool:
    """Copy the errors of lines to the cells of their rows; return whether there are any."""
    for row, line in lines:
        for name, words in line.errors.items():
            cell = row.cell(f"{LINE}{name}")
            cell.error = cell.error or words
        if ITEM_NAME in row.cells:
            row.cells[ITEM_NAME].text = line.cells["item_name"]
    return any(line.errors for _, line in lines)


def claims_of(rows: Iterable[CheckedRow], style: Style) -> dict[str, list[Decimal]]:
    """Return the amounts of a document's cells that are compared with its sums. A cell that was
    emptied takes back what its column says of the document.
    """
    found: dict[str, list[Decimal]] = {}
    emptied = set[str]()
    for row in rows:
        for name, cell in row.cells.items():
            if not name.startswith(CLAIM) or row.note or not cell.raw:
                continue
            if not cell.text.strip():
                emptied.add(name)
                continue
            parts = cell.text.replace("%", "").split(SUM)
            try:
                amount = sum((read_number(part, style) for part in parts), ZERO)
                found.setdefault(name, []).append(amount)
            except NotReadable as error:
                cell.error = str(error)
    return {name: found[name] for name in found if name == CHARGE or name not in emptied}


class Lines:
    def __init__(self, reader: RowReader, form: DocumentForm) -> None:
        self.reader, self.form = reader, form
        self.before: dict[int, LineAmounts] = {}  # their tax was taken out, by row
        self.taxes = ReferenceField(kind=Kind.TAX)
        self.taxes.bind_workspace(form.ctx.workspace if form.ctx else "")

    def of_rows(self, rows: Sequence[CheckedRow]) -> list[Line]:
        return [(row, line) for row in rows if (line := self._line(row))]

    def gross(self, rows: Iterable[CheckedRow]) -> list[LineAmounts] | None:
        """Return the amounts of lines whose prices include the tax, None where it is added."""
        has_tax = self.reader.readings.reading(TAX).code == TAX_INCLUDED
        return [self.before[row.number] for row in rows] if has_tax else None

    def posted(self, lines: Sequence[Line]) -> dict[str, list[str]]:
        """Return the lines as a browser would send them, and set them in the form."""
        self.form.rows = [line for _, line in lines]
        cells = {"rows": [line.cells for _, line in lines]}
        return dict(self.form.fields["items"].posted("items", cells))

    def _line(self, row: CheckedRow) -> DocumentLine | None:
        given = {
            name: cell.text
            for name, cell in row.cells.items()
            if name.startswith(LINE) and cell.text.strip() and not cell.error
        }
        wrong = any(name.startswith(LINE) for name in row.errors)
        if not wrong and not given.keys() - {TYPE, f"{LINE}discount_type"}:
            return None
        if self._is_sum(given):
            row.note = IS_SUM
            return None
        taxed, amount = self._read_taxes(given)
        cells = {name.removeprefix(LINE): text for name, text in given.items()}
        line = blank_line(row.number)
        line.fill(cells, self.form.price_list, self.form.style)
        if amount:
            self._read_tax_amount(line, taxed.removeprefix(LINE), amount)
        self._take_tax_out(line)
        if self._lacks_type(given) and given.get(DISCOUNT, "")[-1:].isdigit():
            line.errors["discount"] = NO_UNIT
        if not line.is_header and self._contradicts_item(row, given):
            line.errors["item_id"] = OTHER_ITEM.format(given[ITEM_ID], given[ITEM_NAME])
        if not self._is_tax(line.cells["tax_id"]):
            line.errors["tax_id"] = f"No tax is called “{line.cells['tax_id']}”."
        return line

    def _lacks_type(self, given: Mapping[str, str]) -> bool:
        columns, readings = self.reader.columns, self.reader.readings.by_column
        is_asked = any(DISCOUNT_UNIT in readings[index] for index in columns.get(DISCOUNT, ()))
        return DISCOUNT_TYPE in columns and DISCOUNT_TYPE not in given and not is_asked

    def _contradicts_item(self, row: CheckedRow, given: Mapping[str, str]) -> bool:
        if not {ITEM_ID, ITEM_NAME} <= given.keys() or ITEM_ID in self.reader.edits(row.number):
            return False
        is_other = self.form.price_list.contradicts(given[ITEM_ID], given[ITEM_NAME])
        return is_other and not row.cells[ITEM_ID].is_open

    def _is_sum(self, given: Mapping[str, str]) -> bool:
        if given.get(TYPE, ITEM) != ITEM:
            return given[TYPE] == TOTAL
        text = given.get(ITEM_NAME) or given.get(f"{LINE}description", "")
        is_counted = ITEM_ID in given or f"{LINE}quantity" in given
        return not is_counted and is_sum_word(text)

    def _read_taxes(self, given: dict[str, str]) -> tuple[str, str]:
        """Move a rate from the column of the taxes to that of the rates, and take out an amount of
        tax: return its column and the amount.
        """
        amount = "", ""
        for name in TAXES:
            text = given.get(name, "")
            if text.endswith(IN_TAX):
                amount = name, given.pop(name).removesuffix(IN_TAX).strip()
        text = given.get(TAX_ID, "")
        if not self.form.price_list.tax(text):
            rate = text.removesuffix("%").strip()
            is_rate = rate != text and parse_number(rate, self.form.style.mark) is not None
            if is_rate and given.get(TAX_RATE, text) == text:
                given[TAX_RATE] = given.pop(TAX_ID)
        for name in TAXES if {*TAXES} & self.reader.columns.keys() else ():
            given.setdefault(name, "")
        return amount

    def _read_tax_amount(self, line: DocumentLine, name: str, text: str) -> None:
        """Fill in the rate that makes an amount of tax. A rate beside it must make it, too."""
        cells, price_list, style = line.cells, self.form.price_list, self.form.style
        numbers, errors = line.numbers(style)
        unit = smallest_unit(self.form.currency)
        net = line.amounts(style).net(unit)
        try:
            amount = read_number(text, style)
        except NotReadable as error:
            errors[name] = str(error)
        if errors:
            line.errors |= errors
            return
        if self.reader.readings.reading(TAX).code == TAX_INCLUDED:
            net -= amount
        beside, taxes = numbers["tax_rate"], price_list.taxes.values()
        known = [tax.rate for tax in taxes if tax.rate is not None] if beside is None else [beside]
        rate = rate_of(amount, net, known, unit)
        if rate is None or beside not in (None, rate):
            line.errors[name] = NO_RATE.format(text, write_number(net, style))
            return
        cells["tax_rate"] = write_number(trimmed(rate), style)
        cells["tax_id"] = cells["tax_id"] or tax_of(cells["tax_rate"], price_list, style)

    def _take_tax_out(self, line: DocumentLine) -> None:
        """Make the price and a fixed discount net if they include the tax, or drop the tax of the
        price list.
        """
        cells, style = line.cells, self.form.style
        code = self.reader.readings.reading(TAX).code
        if code == NO_TAX:
            cells["tax_id"] = cells["tax_rate"] = ""
        numbers, errors = line.numbers(style)
        rate = numbers["tax_rate"]
        self.before[line.key] = replace(line.amounts(style), rate=ZERO)
        if errors or code != TAX_INCLUDED or not rate or rate <= -100:
            return
        is_percent = cells["discount_type"] == str(PERCENT)
        for name in ("price",) if is_percent else ("price", "discount"):
            if number := numbers[name]:
                net = EXACT.divide(number * 100, 100 + rate).quantize(FINEST)
                cells[name] = write_number(trimmed(net, 2), style)

    def _is_tax(self, text: str) -> bool:
        if not text or text in self.form.price_list.taxes or whole_number(text):
            return True
        return not self.form.price_list.taxes and self.taxes.widget.is_code(text)
