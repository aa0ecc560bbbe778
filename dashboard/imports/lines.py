"""The lines of the documents of a table, as pasted cells make them."""

from collections.abc import Mapping, Sequence

from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.documents.form import DocumentForm
from dashboard.documents.formset import ITEM, DocumentLine, blank_line
from dashboard.documents.paste import fill_line
from dashboard.gateway import whole_number
from dashboard.imports.document_columns import CHOICES, LINE, SUM, TOTAL, TYPE
from dashboard.imports.row_texts import CheckedRow, RowTexts
from dashboard.text.numbers import read_number
from dashboard.text.style import NotReadable

IS_SUM = "A total of other lines: left out."
ITEM_NAME, ITEM_ID = f"{LINE}item_name", f"{LINE}item_id"
TAX, TAX_RATE = f"{LINE}tax_id", f"{LINE}tax_rate"
Line = tuple[CheckedRow, DocumentLine]


def tell_errors(lines: Sequence[Line]) -> bool:
    """Put what is wrong with lines at the cells of their rows; whether anything is."""
    for row, line in lines:
        row.errors = {f"{LINE}{name}": words for name, words in line.errors.items()} | row.errors
        if ITEM_NAME in row.texts:
            row.texts[ITEM_NAME] = line.cells["item_name"]
    return any(line.errors for _, line in lines)


class Lines:
    """Makes the lines of one document after the other."""

    def __init__(self, reader: RowTexts, form: DocumentForm) -> None:
        self.reader, self.form = reader, form
        self.taxes = ReferenceField(kind=Kind.TAX)
        self.taxes.use(form.ctx.workspace if form.ctx else "")

    def of_rows(self, rows: Sequence[CheckedRow]) -> list[Line]:
        """The rows that are a line, with it."""
        return [(row, line) for row in rows if (line := self._line(row))]

    def posted(self, lines: Sequence[Line]) -> dict[str, list[str]]:
        """The lines as a browser would send them; the form is given them as well."""
        self.form.rows = [line for _, line in lines]
        cells = {"rows": [line.cells for _, line in lines]}
        return dict(self.form.fields["items"].widget.posted("items", cells))

    def _line(self, row: CheckedRow) -> DocumentLine | None:
        """The line of a row; None for a row without, or a total."""
        given = {
            name: text
            for name, text in row.texts.items()
            if name.startswith(LINE) and text.strip() and name not in row.errors
        }
        wrong = any(name.startswith(LINE) for name in row.errors)
        if not wrong and not given.keys() - CHOICES.keys():
            return None
        if self._is_sum(given):
            row.note = IS_SUM
            return None
        self._read_tax(given)
        titles = {
            name: self.reader.table.columns[index].title
            for name, index in self.reader.line_columns.items()
        }
        columns = [(titles.get(name, ""), name.removeprefix(LINE)) for name in given]
        line = blank_line(row.number)
        fill_line(line, columns, list(given.values()), self.form.price_list, self.form.style)
        if not self._is_tax(line.cells["tax_id"]):
            line.errors["tax_id"] = f"There is no tax “{line.cells['tax_id']}”."
        return line

    def _is_sum(self, given: Mapping[str, str]) -> bool:
        if given.get(TYPE, ITEM) != ITEM:
            return given[TYPE] == TOTAL
        text = given.get(ITEM_NAME) or given.get(f"{LINE}description", "")
        is_counted = ITEM_ID in given or f"{LINE}quantity" in given
        return not is_counted and SUM.fullmatch(text.strip(" :")) is not None

    def _read_tax(self, given: dict[str, str]) -> None:
        """Take a number in the column of the tax for a rate, if no tax is called so and no column
        holds rates.
        """
        text = given.get(TAX, "")
        if not text or TAX_RATE in self.reader.line_columns or self.form.price_list.tax(text):
            return
        rate = text.removesuffix("%").strip()
        try:
            read_number(rate, self.form.style)
        except NotReadable:
            return
        del given[TAX]
        given[TAX_RATE] = rate

    def _is_tax(self, text: str) -> bool:
        """Whether a text is the id of a tax; where taxes have names, others are numbers."""
        if not text or text in self.form.price_list.taxes or whole_number(text):
            return True
        return not self.form.price_list.taxes and self.taxes.widget.is_code(text)
