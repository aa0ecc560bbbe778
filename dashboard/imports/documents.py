"""Checks the documents of a table by the rules of their form, before anything is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.documents.form import DocumentForm
from dashboard.documents.formset import ITEM, DocumentLine, blank_line
from dashboard.documents.paste import fill_line
from dashboard.gateway import whole_number
from dashboard.imports.checking import KNOWN, LEFT, MEND, READY, CheckedRow, Checker
from dashboard.imports.document_columns import (
    CHOICES,
    LINE,
    SUM,
    TOTAL,
    TYPE,
    line_targets,
    line_text,
)
from dashboard.imports.grouping import Group, RowHead, group_rows, in_words, why_apart
from dashboard.imports.known import Index, keys_of
from dashboard.imports.storage import CREATE, Wishes
from dashboard.records.forms.inputs import NumberField
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.resource import Resource
from dashboard.tables.cells import Row, cell_text
from dashboard.tables.errors import UnreadableCell
from dashboard.tables.reading import ReadTable
from dashboard.text.numbers import read_number
from dashboard.text.style import NotReadable

IS_SUM = "A total of other lines: left out."
CONTRADICTS = "Row {} of the same document says “{}”."
ITEM_NAME, ITEM_ID = f"{LINE}item_name", f"{LINE}item_id"
TAX, TAX_RATE = f"{LINE}tax_id", f"{LINE}tax_rate"


@dataclass
class CheckedDocument(CheckedRow):
    """One document: its rows as they were checked, and what will happen to it. `number` is that of
    its first row, which holds its problems as well.
    """

    rows: list[CheckedRow] = field(default_factory=list)

    @property
    def parts(self) -> list[CheckedRow]:
        """The rows of the table that it is made of."""
        return self.rows

    @property
    def shown_rows(self) -> list[CheckedRow]:
        """Its rows; of one that is to be mended, the first one and those that say why."""
        if self.state != MEND:
            return self.rows
        return [*self.rows[:1], *(row for row in self.rows[1:] if row.errors or row.is_left)]


def check_documents(
    table: ReadTable,
    wishes: Wishes,
    resource: Resource,
    form: RecordForm,
    begun: QueryDict,
    index: Index,
) -> list[CheckedDocument]:
    """Every document of a table with what will happen to it; the arguments as of check_rows."""
    if not isinstance(form, DocumentForm):
        raise TypeError("a document needs the form of one")
    return _Documents(Checker(table, wishes, resource, form, begun, index), form).check()


class _Documents:
    """Checks one document after the other."""

    def __init__(self, reader: Checker, form: DocumentForm) -> None:
        self.reader, self.form, self.wishes = reader, form, reader.wishes
        self.number = reader.resource.title_field
        self.taxes = ReferenceField(kind=Kind.TAX)
        self.taxes.use(form.ctx.workspace if form.ctx else "")
        self.places = reader.places({self.number, *line_targets()})
        self.found: dict[int, CheckedRow] = {}
        self.raw: dict[int, dict[str, str]] = {}
        self.order: dict[int, int] = {}

    def check(self) -> list[CheckedDocument]:
        """All documents, in the order of their first rows."""
        self.reader.look_up_names()
        rows = self.reader.table.rows
        self.found = {row.number: self._read(row) for row in rows}
        kept = (row.number for row in rows if row.number not in self.wishes.left)
        self.order = {number: place for place, number in enumerate(kept)}
        return [self._document(group) for group in group_rows(self._heads())]

    def _heads(self) -> list[RowHead]:
        heads = []
        for number, row in self.found.items():
            others = (text for name, text in row.texts.items() if name in self.form.fields)
            key = " ".join(row.texts.get(self.number, "").casefold().split())
            heads.append(RowHead(number, key, has_head=any(map(str.strip, others))))
        return heads

    def _read(self, row: Row) -> CheckedRow:
        """A row with the texts of its cells, those of its line under names with LINE."""
        checked, columns = self.reader.read(row), self.reader.columns.items()
        self.raw[row.number] = {name: cell_text(row.cells[at]).strip() for name, at in columns}
        checked.is_left = row.number in self.wishes.left
        mended = self.wishes.mended.get(str(row.number), {})
        for name, place in self.places.items():
            cell, column = row.cells[place], self.reader.table.columns[place]
            try:
                text = mended.get(name)
                if text is None and name == self.number:
                    text = cell_text(cell).strip()
                elif text is None:
                    text = line_text(name, cell, column, self.form.style)
                checked.texts[name] = self.wishes.means.get(name, {}).get(text, text)
            except UnreadableCell as error:
                checked.texts[name] = cell_text(cell)
                checked.errors[name] = str(error)
        lines = {name: text for name, text in mended.items() if name.startswith(LINE)}
        checked.texts = {**lines, **checked.texts}  # an item's number may have no column
        return checked

    def _document(self, group: Group) -> CheckedDocument:
        rows = [self.found[number] for number in group.rows]
        first, document = rows[0], CheckedDocument(group.rows[0], rows=rows)
        number = next((row.texts[self.number] for row in rows if row.texts.get(self.number)), "")
        noun = self.reader.resource.singular.capitalize()
        document.label = f"{number or noun}, {in_words(group.rows)}"
        document.known_by = {self.number: number}
        if first.is_left:
            document.state = LEFT
        else:
            kept = [row for row in rows if not row.is_left]
            apart = why_apart([row.number for row in kept], self.order)
            document.problems += filter(None, (group.problem, apart))
            self._check(document, kept, number)
        first.problems, first.same = document.problems, document.same
        for row in rows:
            row.state = document.state
        return document

    def _check(self, document: CheckedDocument, rows: Sequence[CheckedRow], number: str) -> None:
        sources = self._sources(rows)
        texts = {
            name: "" if name in row.errors else row.texts[name] for name, row in sources.items()
        }
        if not texts.get("reference"):
            texts["reference"] = number  # the service numbers its documents itself
        document.same = self.reader.index.find(keys_of(self.reader.resource, document.known_by))
        self._validate(document, rows, texts, sources)
        if document.problems or any(row.errors for row in rows):
            document.state = MEND
            return
        document.body = self.form.payload()
        is_new = self.wishes.known == CREATE or not document.same
        document.state = READY if is_new else KNOWN

    def _sources(self, rows: Sequence[CheckedRow]) -> dict[str, CheckedRow]:
        """The row that each field of the document is taken from; others that differ say so."""
        sources: dict[str, CheckedRow] = {}
        first_with: dict[tuple[str, str], CheckedRow] = {}
        for row in rows:
            for name in self.reader.columns:
                raw = self.raw[row.number][name]
                first = first_with.setdefault((name, raw), row)
                if first is not row and not self._is_mended(row, name):
                    row.texts[name] = first.texts[name]  # what was mended above counts here, too
                    row.errors.pop(name, None)
                elif row.texts.get(name, "").strip():
                    self._compare(name, sources.setdefault(name, row), row)
        return {**dict.fromkeys(self.reader.columns, rows[0]), **sources}

    def _is_mended(self, row: CheckedRow, name: str) -> bool:
        return name in self.wishes.mended.get(str(row.number), {})

    def _compare(self, name: str, first: CheckedRow, row: CheckedRow) -> None:
        """Say so if a row contradicts the one that a field is taken from."""
        if first is row or first.errors.get(name) or row.errors.get(name):
            return
        if self._meaning(name, first.texts[name]) != self._meaning(name, row.texts[name]):
            said = first.shown.get(name) or first.texts[name]
            row.errors[name] = CONTRADICTS.format(first.number, said[:100])

    def _meaning(self, name: str, text: str) -> str | Decimal | None:
        """A text as it is compared: entries by their codes, and numbers by their value."""
        head = self.form.fields[name]
        if isinstance(head, ReferenceField):
            return head.widget.resolve(text)
        if not isinstance(head, NumberField):
            return text.strip()
        try:
            return head.to_python(text)
        except ValidationError:
            return text.strip()

    def _validate(
        self,
        document: CheckedDocument,
        rows: Sequence[CheckedRow],
        texts: Mapping[str, str],
        sources: Mapping[str, CheckedRow],
    ) -> None:
        """Let the form check the document, and put what it says at the cells."""
        lines = [(row, line) for row in rows if (line := self._line(row))]
        cells = {"rows": [line.cells for _, line in lines]}
        posted = dict(self.form.fields["items"].widget.posted("items", cells))
        self.form.data = MultiValueDict(self.reader.begun | self.reader.posted(texts) | posted)
        self.form.rows = [line for _, line in lines]
        self.form.full_clean()
        for row, line in lines:
            row.errors = {
                f"{LINE}{name}": words for name, words in line.errors.items()
            } | row.errors
            if ITEM_NAME in row.texts:
                row.texts[ITEM_NAME] = line.cells["item_name"]
        for name, words in self.form.errors.items():
            told = " ".join(map(str, words))
            if name not in self.form.fields:
                document.problems.append(told)
            elif name != "items":
                row = sources.get(name, rows[0])
                row.texts.setdefault(name, "")
                row.errors.setdefault(name, told)
            elif not any(line.errors for _, line in lines):
                document.problems.append(told)

    def _line(self, row: CheckedRow) -> DocumentLine | None:
        """The line of a row, as pasted cells make one; None for a row without, or a total."""
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
            name: self.reader.table.columns[place].title for name, place in self.places.items()
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
        if not text or TAX_RATE in self.places or self.form.price_list.tax(text):
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
