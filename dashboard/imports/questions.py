"""Questions about columns whose cells have two readings that only a person can tell apart.

A kind of question is one entry of KINDS:

- `guess` looks at a column, its target and the other columns of the file. It returns None if the
  kind does not apply, a certain Guess if heading and cells leave one reading, else an uncertain
  one.
- `codes` are the readings, with the words of their buttons.
- `read` turns a cell into what it means under a code. Formats of numbers and dates are read by the
  target itself (Target.text), which gets all codes of the column.

The sums of the file may settle a reading or open one (file_totals.py). Kinds in ASKED_LATER are
opened by what the cells of several columns say together, with `Readings.settle`.

A column with an uncertain guess is asked about once, on the page of the file, with a cell that the
readings tell apart; a column without such a cell is not. The rows with such cells are not sent
before the answer. It is stored in ImportSettings.answers, and counts for the next file with the
same headings.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

from dashboard.documents.totals import FIXED, PERCENT
from dashboard.imports.import_file import ImportFile
from dashboard.imports.targets import (
    CHARGE,
    CLAIM,
    DATES,
    EXTRA_NOTES,
    FILE_TOTAL,
    ID,
    IN_TAX,
    ITEM_ID,
    JOIN,
    JOINERS,
    NAME,
    NOTES,
    PRICE,
    TAX_RATE,
    TAXES,
    TYPES_OF_DISCOUNTS,
    Target,
)
from dashboard.office import reference_lists as catalogue
from dashboard.reader.identity import PHONE
from dashboard.schema.phones import count_digits, has_digits_of_phone
from dashboard.schema.pickers import PickerField
from dashboard.tables.cells import (
    Cell,
    FormattedNumber,
    Guess,
    Unreadable,
    cell_text,
    is_blank,
    why_unreadable,
)
from dashboard.tables.columns import MARK, ORDER, ORDERS, is_day
from dashboard.tables.headings import BLANKS, CHOICES, names_by_word, normalise, texts
from dashboard.text.amounts import currency_in, parse_amount
from dashboard.text.plain import folded
from dashboard.text.style import COMMA, DAY_FIRST, MARKS, MONTH_FIRST, POINT, NotReadable, Style

_BLANKS = texts(BLANKS, "blank")
_NO_TAX = frozenset(map(normalise, ("-", *texts(BLANKS, "tax"))))
_CHOICES = names_by_word(CHOICES)
ANSWER = "answer-"  # before the number of a column and the kind of question
DISCOUNT_UNIT, TAX_UNIT, TAX, IDS, ROUNDING = "discount", "rate", "tax", "ids", "rounding"
IS_BLANK, BLANK, TEXT = "blank", "blank", "text"
IS_PRICE, IS_CHARGE, IS_NAME, IS_PHONE = "price", "charge", "name", "phone"
YES, NO = "yes", "no"
TAX_ADDED, TAX_INCLUDED, NO_TAX = "added", "included", "none"
ACCEPT, HOLD = "accept", "hold"
OWN, AS_ID = "own", "id"
ASKED_LATER = (TAX, ROUNDING, IDS)  # not by the cells of a column alone
FRACTION = "Enter the rate in percent, for example 20%."
Place = tuple[int, str]  # the index of a column and a kind of question
Codes = Mapping[Place, str]
MAX_PERCENT = 100
_ID_HEADING = re.compile(r"(^|[\W_])[iI][dD]$|[a-z]ID$")
GROSS_HEADING = re.compile(r"gross|\bincl|brutto|\bttc\b|ivato|co[nm] iva", re.IGNORECASE)
_INCLUSIVE_HEADING = re.compile(
    r"^(?=.*(?:tax|steuer|mwst|(?<![a-z])(?:vat|gst|ust|tva|iva|btw))).*in[ck]l|brutto|\bttc\b",
    re.IGNORECASE,
)  # over a yes or no
_SIGN = re.compile(r"[-\u2212()]")
_PERCENT_HEADING = re.compile(r"%|\bpct\b|per ?cent|pro[zc]ent|pour ?cent|por ?cent", re.IGNORECASE)
AMOUNT_HEADING = re.compile(
    r"amount|betrag|montant|importe|importo|bedrag|kwota|valor", re.IGNORECASE
)


@dataclass(frozen=True)
class AskedColumn:
    file: ImportFile
    index: int
    target: Target

    @property
    def title(self) -> str:
        return self.file.table.columns[self.index].title

    @property
    def mark(self) -> Guess[str]:
        return self.file.table.columns[self.index].mark

    def cells(self) -> Iterator[Cell]:
        cells = (row.cells[self.index] for row in self.file.table.rows)
        return (cell for cell in cells if not is_blank(cell))

    @cached_property
    def is_deducted(self) -> bool:
        """Return whether its discounts are written as negative amounts: some are, and none is
        positive.
        """
        if self.target.name not in TYPES_OF_DISCOUNTS:
            return False
        figures = [_figure(cell, self.target.units) for cell in self.cells()]
        numbers = [number for number in figures if number]
        return bool(numbers) and max(numbers) < 0


@dataclass(frozen=True)
class QuestionKind:
    """A kind of question; `title` follows the heading of the column."""

    title: str
    codes: Mapping[str, str]
    guess: Callable[[AskedColumn], Guess[str] | None]
    read: Callable[[Cell, str], Cell] = lambda cell, code: cell


@dataclass(frozen=True)
class Reading:
    """How a column is read: as answered, else as guessed."""

    guess: Guess[str]
    answer: str = ""

    @property
    def code(self) -> str:
        return self.answer or self.guess.value

    @property
    def is_doubtful(self) -> bool:
        """Return whether there may be another reading; also if the cells contradict the answer."""
        return not self.guess.certain or self.answer not in ("", self.guess.value)

    @property
    def is_open(self) -> bool:
        return self.is_doubtful and not self.answer


@dataclass(frozen=True)
class Question:
    """A question on the page. `name`: of its buttons; `answer`: "" while it is open."""

    name: str
    title: str
    example: str
    codes: Mapping[str, str]
    answer: str


def _guess_mark(column: AskedColumn) -> Guess[str] | None:
    return column.mark if column.target.has_numbers else None


def _guess_order(column: AskedColumn) -> Guess[str] | None:
    is_date = isinstance(column.target.field, DATES)
    return column.file.table.columns[column.index].order if is_date else None


def _guess_discount_unit(column: AskedColumn) -> Guess[str] | None:
    """Guess the unit: a figure without one is in percent if the heading says so, and an amount if
    it is more than all. A column with the types of the discounts decides, too.
    """
    target, file = column.target.name, column.file
    if target not in TYPES_OF_DISCOUNTS:
        return None
    types = [
        AskedColumn(file, index, file.targets[TYPES_OF_DISCOUNTS[target]])
        for index in file.columns.get(TYPES_OF_DISCOUNTS[target], ())
    ]
    if any(each.target.reads(cell) for each in types for cell in each.cells()):
        return None
    if _PERCENT_HEADING.search(column.title):
        return Guess(str(PERCENT))
    if AMOUNT_HEADING.search(column.title):
        return Guess(str(FIXED))
    return _guess_unit(column) or Guess(str(FIXED))


def _guess_unit(column: AskedColumn) -> Guess[str] | None:
    """Guess by the figures without a unit; None if there are none."""
    figures = [
        number for cell in column.cells() if (number := _bare_figure(cell, column.mark.value))
    ]
    if not figures:
        return None
    is_amount = max(map(abs, figures)) > MAX_PERCENT
    return Guess(str(FIXED)) if is_amount else Guess(str(PERCENT), certain=False)


def _guess_tax_unit(column: AskedColumn) -> Guess[str] | None:
    """Guess the unit: a figure is a rate if the heading says so, or a sign in the column. Under a
    heading of ids there are no figures.
    """
    if column.target.name not in TAXES or _guess_ids(column) == Guess(AS_ID):
        return None
    has_sign = any(cell_text(cell).strip().endswith("%") for cell in column.cells())
    if column.target.name == TAX_RATE or has_sign or _PERCENT_HEADING.search(column.title):
        return Guess(str(PERCENT))
    return _guess_unit(column) or Guess(str(PERCENT))


def _bare_figure(cell: Cell, mark: str) -> Decimal | None:
    if isinstance(cell, str):
        amount = parse_amount(cell, mark)
        return amount.number if amount and not amount.currency else None
    has_unit = isinstance(cell, FormattedNumber) and cell.unit
    return cell if isinstance(cell, Decimal) and not has_unit else None


def _figure(cell: Cell, units: tuple[str, ...]) -> Decimal | None:
    if isinstance(cell, Decimal):
        return cell
    text = cell_text(cell).strip()
    for unit in units:
        text = text.removesuffix(unit)
    amounts = (parse_amount(text.strip(), mark) for mark in MARKS)
    return next((amount.number for amount in amounts if amount), None)


def _without_sign(cell: Cell) -> Cell:
    if isinstance(cell, FormattedNumber):
        return FormattedNumber(abs(cell), cell.text.lstrip("-"), cell.unit)
    return abs(cell) if isinstance(cell, Decimal) else _SIGN.sub("", cell_text(cell))


def _read_discount(cell: Cell, code: str) -> Cell:
    is_percent = code == str(PERCENT) and _is_bare(cell)
    return _with_unit(cell, "%") if is_percent else cell


def _read_tax(cell: Cell, code: str) -> Cell:
    if _is_untaxed(cell):
        return "0 %"
    if code == str(PERCENT) and any(0 < (_bare_figure(cell, mark) or 0) < 1 for mark in MARKS):
        return Unreadable(cell_text(cell), FRACTION)
    if _is_bare(cell):
        return _with_unit(cell, "%" if code == str(PERCENT) else IN_TAX)
    return _with_unit(cell, IN_TAX) if currency_in(cell_text(cell)) else cell


def _is_untaxed(cell: Cell) -> bool:
    return isinstance(cell, str) and not is_blank(cell) and normalise(cell) in _NO_TAX


def _is_bare(cell: Cell) -> bool:
    return any(_bare_figure(cell, mark) is not None for mark in MARKS)


def _with_unit(cell: Cell, unit: str) -> Cell:
    if isinstance(cell, Decimal):
        return FormattedNumber.with_unit(cell, unit)
    return f"{cell_text(cell).strip()} {unit}"


def _guess_is_price(column: AskedColumn) -> Guess[str] | None:
    """Ask about a column whose numbers alone suggest the price."""
    is_guessed = str(column.index) == column.file.settings.guessed_price
    return Guess(YES, certain=not is_guessed) if column.target.name == PRICE else None


def _guess_is_charge(column: AskedColumn) -> Guess[str] | None:
    """Ask about a column whose numbers alone suggest an amount."""
    target, title = column.target, normalise(column.title)
    is_known = title in (normalise(target.label), *target.aliases)
    return (Guess(YES) if is_known else Guess(NO, certain=False)) if target.name == CHARGE else None


def _read_charge(cell: Cell, code: str) -> Cell:
    has_digits = any(map(str.isdigit, cell_text(cell)))
    is_zero = any(_bare_figure(cell, mark) == 0 for mark in MARKS)
    return "" if code == NO or is_zero or not has_digits else cell


def _guess_tax(column: AskedColumn) -> Guess[str] | None:
    """Guess that tax is added to prices, unless the heading or the sums of the file say otherwise.
    Ask about a column that says so of each row.
    """
    place = PRICE if PRICE in column.file.columns else FILE_TOTAL
    is_gross = place == PRICE and GROSS_HEADING.search(column.title)
    if column.target.name != place:
        return None
    if is_gross:
        return Guess(TAX_INCLUDED)
    return Guess(TAX_INCLUDED, certain=False) if _says_inclusive(column) else Guess(TAX_ADDED)


def _says_inclusive(column: AskedColumn) -> bool:
    table, fields = column.file.table, column.file.fields
    named = (i for i, each in enumerate(table.columns) if _INCLUSIVE_HEADING.search(each.title))
    others = [index for index in named if fields.get(str(index), "") in ("", CHARGE)]
    cells = (cell_text(row.cells[index]) for row in table.rows for index in others)
    return any(_CHOICES.get(normalise(cell)) == YES for cell in cells)


def _guess_rounding(column: AskedColumn) -> Guess[str] | None:
    """Ask once for a file, at the first column with its sums."""
    first = next((name for name in column.file.columns if name.startswith(CLAIM)), PRICE)
    return Guess(ACCEPT) if column.target.name == first else None


def _guess_ids(column: AskedColumn) -> Guess[str] | None:
    """Guess ids if the heading says so. A list without any name has nothing but ids."""
    target, workspace = column.target, column.file.stored.workspace
    if target.kind:
        is_asked = bool(catalogue.get_cached_lists(workspace).of(target.kind))
    else:
        is_asked = isinstance(target.field, PickerField) or target.name in (ID, ITEM_ID)
    is_id = (
        target.name == ID
        or _ID_HEADING.search(column.title)
        or normalise(column.title) == normalise(target.name)
    )
    return Guess(AS_ID if is_id else OWN) if is_asked else None


def _guess_blank(column: AskedColumn) -> Guess[str] | None:
    name = column.target.name
    if name in (NOTES, EXTRA_NOTES) or name.startswith(CLAIM):
        return None
    cells = (cell for cell in column.cells() if name not in TAXES or not _is_untaxed(cell))
    return Guess(BLANK, certain=False) if any(map(_means_nothing, cells)) else None


def _means_nothing(cell: Cell) -> bool:
    text = folded(cell) if isinstance(cell, str) and not why_unreadable(cell) else "0"
    return text in _BLANKS or not any(map(str.isalnum, text))


def _content(title: str, words: str, target: str, is_other: Callable[[Cell], bool]) -> QuestionKind:
    """Return the question whether some cells are what the heading of their column says."""

    def guess(column: AskedColumn) -> Guess[str] | None:
        is_asked = column.target.name == target
        return Guess(YES, certain=not any(map(is_other, column.cells()))) if is_asked else None

    return QuestionKind(
        title,
        {YES: words, NO: "Something else"},
        guess,
        lambda cell, code: "" if code == NO and is_other(cell) else cell,
    )


def _is_no_phone(cell: Cell) -> bool:
    text = cell_text(cell)
    is_short = count_digits(text) and not has_digits_of_phone(text)
    return bool(is_short or is_day(cell)) and not why_unreadable(cell)


def _is_no_name(cell: Cell) -> bool:
    return isinstance(cell, Decimal) or cell_text(cell).strip().isdigit() or is_day(cell)


KINDS: Mapping[str, QuestionKind] = {
    TAX_UNIT: QuestionKind(
        "rate or amount?",
        {str(PERCENT): "Rate", str(FIXED): "Amount"},
        _guess_tax_unit,
        _read_tax,
    ),
    IS_BLANK: QuestionKind(
        "blank or text?",
        {BLANK: "Blank", TEXT: "Text"},
        _guess_blank,
        lambda cell, code: "" if code == BLANK and _means_nothing(cell) else cell,
    ),
    IS_NAME: _content("are these names?", "Names", NAME, _is_no_name),
    IS_PHONE: _content("are these phone numbers?", "Phone numbers", PHONE, _is_no_phone),
    MARK: QuestionKind(
        "decimal point or comma?", {POINT: "Decimal point", COMMA: "Decimal comma"}, _guess_mark
    ),
    ORDER: QuestionKind(
        "day or month first?", {DAY_FIRST: "Day first", MONTH_FIRST: "Month first"}, _guess_order
    ),
    DISCOUNT_UNIT: QuestionKind(
        "per cent or amount?",
        {str(PERCENT): "Per cent", str(FIXED): "Amount"},
        _guess_discount_unit,
        _read_discount,
    ),
    IS_PRICE: QuestionKind(
        "is it the price?",
        {YES: "Price", NO: "Something else"},
        _guess_is_price,
        lambda cell, code: "" if code == NO else cell,
    ),
    IS_CHARGE: QuestionKind(
        "is it an amount of money?",
        {YES: "Money", NO: "Something else"},
        _guess_is_charge,
        _read_charge,
    ),
    TAX: QuestionKind(
        "tax added or included?",
        {TAX_ADDED: "Added", TAX_INCLUDED: "Included", NO_TAX: "No tax"},
        _guess_tax,
    ),
    IDS: QuestionKind("own numbers or IDs?", {OWN: "Own numbers", AS_ID: "IDs"}, _guess_ids),
    ROUNDING: QuestionKind(
        "other rounding?", {ACCEPT: "Use our totals", HOLD: "Correct the rows"}, _guess_rounding
    ),
}
ANSWERS: Mapping[str, Mapping[str, str]] = {
    **{name: kind.codes for name, kind in KINDS.items()},
    MARK: MARKS,
    ORDER: ORDERS,
    JOIN: {code: label for code, (_, label) in JOINERS.items()},
}
"""The codes that a person may choose for a column, by kind; more than are asked about."""


@dataclass
class Readings:
    """How the columns of a file are read, by index and kind.

    `forced`: codes that are tried. `explanations`: what is said about questions besides an example.
    """

    file: ImportFile
    style: Style
    columns: dict[int, AskedColumn] = field(default_factory=dict)
    by_column: dict[int, dict[str, Reading]] = field(default_factory=dict)
    forced: Codes = field(default_factory=dict)
    explanations: dict[Place, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, indexes in self.file.columns.items():
            for index in indexes:
                column = AskedColumn(self.file, index, self.file.targets[name])
                self.columns[index] = column
                answers = self.file.settings.answers.get(str(index), {})
                self.by_column[index] = {
                    kind: Reading(guess, answers.get(kind, ""))
                    for kind, spec in KINDS.items()
                    if (guess := spec.guess(column))
                }

    def codes(self, place: Place) -> dict[str, str]:
        """Return the possible codes with their words: there is a tax if a column says so."""
        codes, has_tax = KINDS[place[1]].codes, {*TAXES} & self.file.columns.keys()
        return {code: words for code, words in codes.items() if code != NO_TAX or not has_tax}

    def place(self, kind: str) -> Place | None:
        """Return where a kind is asked that a file has in one column; None for nowhere."""
        indexes = (index for index, kinds in self.by_column.items() if kind in kinds)
        return next(((index, kind) for index in indexes), None)

    def reading(self, kind: str) -> Reading:
        """Return how the file is read by a kind that it has in one column."""
        place = self.place(kind)
        if place is None:
            return Reading(Guess(""))
        reading = self.by_column[place[0]][kind]
        return replace(reading, answer=self.forced.get(place, reading.answer))

    def settle(
        self, place: Place, code: str, *, certain: bool = False, explanation: str = ""
    ) -> bool:
        """Replace a guess, with what is said about it; return whether it was another."""
        index, kind = place
        before = self.by_column[index][kind]
        self.by_column[index][kind] = after = Reading(Guess(code, certain=certain), before.answer)
        self.explanations[place] = explanation
        return before != after

    def text(self, index: int, cell: Cell, **others: str) -> str:
        """Return the text for the form. `others`: codes other than those of the column. Raises
        NotReadable.
        """
        codes = {
            kind: others.get(kind) or self.forced.get((index, kind)) or reading.code
            for kind, reading in self.by_column[index].items()
        }
        if self.columns[index].is_deducted and not why_unreadable(cell):
            cell = _without_sign(cell)
        for kind, code in codes.items():
            cell = KINDS[kind].read(cell, code)
        return self.columns[index].target.text(cell, codes, self.style)

    def with_unit(self, index: int, text: str) -> str:
        """Return a corrected cell with the unit that its column has for figures without one. Raises
        NotReadable.
        """
        for kind in (DISCOUNT_UNIT, TAX_UNIT):
            if reading := self.by_column[index].get(kind):
                cell = KINDS[kind].read(text, reading.code)
                if reason := why_unreadable(cell):
                    raise NotReadable(reason)
                text = cell_text(cell)
        return text

    def is_blank(self, index: int, cell: Cell) -> bool:
        reading = self.by_column[index].get(IS_BLANK)
        return is_blank(cell) or bool(reading and reading.code == BLANK and _means_nothing(cell))

    def meanings(self, index: int, cell: Cell, kind: str) -> dict[str, str]:
        """Return the text of a cell by code, without those that cannot read it; {} if all codes
        give the same.
        """
        found: dict[str, str] = {}
        for code in KINDS[kind].codes:
            try:
                found[code] = self.text(index, cell, **{kind: code})
            except NotReadable:
                continue
        is_same = len(found) == len(KINDS[kind].codes) and len({*found.values()}) == 1
        return {} if is_same else found

    def is_open(self, index: int, cell: Cell) -> bool:
        readings = self.by_column[index].items()
        return any(self.meanings(index, cell, kind) for kind, each in readings if each.is_open)

    def unopposed(self, answers: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for index, kinds in answers.items():
            readings = self.by_column.get(int(index), {})
            doubtful = (kind for kind, reading in readings.items() if reading.is_doubtful)
            asked = {JOIN, IS_PRICE, *ASKED_LATER, *doubtful}
            found[index] = {kind: code for kind, code in kinds.items() if kind in asked}
        return found

    def questions(self) -> list[Question]:
        """Return the questions about columns, those that are answered too."""
        found = (
            self._question(index, kind, reading.answer)
            for index, readings in sorted(self.by_column.items())
            for kind, reading in readings.items()
            if reading.is_doubtful or (reading.answer and kind in ASKED_LATER)
        )
        return [question for question in found if question]

    def _question(self, index: int, kind: str, answer: str) -> Question | None:
        column, codes = self.columns[index], self.codes((index, kind))
        cells = ((cell, self.meanings(index, cell, kind)) for cell in column.cells())
        cell, texts = next((pair for pair in cells if pair[1]), ("", {}))
        example = self.explanations.get((index, kind), "")
        if texts:
            meanings = (
                f"{text or 'left out'} ({codes[code].lower()})" for code, text in texts.items()
            )
            example = f"“{cell_text(cell).strip()}” is {' or '.join(meanings)}. {example}".strip()
        if not example and not answer and kind not in ASKED_LATER:
            return None
        name = f"{ANSWER}{index}-{kind}"
        return Question(name, f"{column.title}: {KINDS[kind].title}", example, codes, answer)
