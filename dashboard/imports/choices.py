"""Takes over what a person has chosen and mended on the page of a file."""

from collections.abc import Container

from django.http import QueryDict

from dashboard.gateway import whole_number
from dashboard.imports.import_file import CREATE, SKIP, UPDATE, ImportSettings
from dashboard.imports.joining import JOINERS
from dashboard.imports.totals_rows import sum_rows
from dashboard.tables import limits
from dashboard.tables.cells import cell_text
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.reading import ReadTable
from dashboard.tables.separated import SEPARATORS
from dashboard.text.style import MARKS

JOIN = "join-"  # before the field whose columns are joined
LONGEST_CODE = 50  # characters of the code of a list entry


def choose(
    choices: ImportSettings, data: QueryDict, targets: Container[str], *, may_update: bool
) -> None:
    """Take over how the file is to be read; what is not among the choices is ignored."""
    before = (choices.separator, choices.sheet, choices.header)
    for name, allowed in (("encoding", ENCODINGS), ("separator", SEPARATORS)):
        if data.get(name, "") in ("", *allowed):
            setattr(choices, name, data.get(name, ""))
    choices.sheet = data.get("sheet", "")
    choices.header = whole_number(data.get("header", ""), least=0)
    known_ones = data.get("known", "")
    choices.known = known_ones if known_ones in (CREATE, UPDATE) else SKIP
    if choices.known == UPDATE and not may_update:
        choices.known = SKIP
    choices.fields = _by_column(data, "field-", targets)
    choices.marks = _by_column(data, "mark-", MARKS)
    choices.orders = _by_column(data, "order-", ORDERS)
    _read_other_way(choices, data.get("way", ""))
    chosen = {name.removeprefix(JOIN): str(data[name]) for name in data if name.startswith(JOIN)}
    choices.joins |= {
        name: join for name, join in chosen.items() if name in targets and join in JOINERS
    }
    if (choices.separator, choices.sheet, choices.header) != before:
        choices.fields = None  # the columns are others now
        choices.marks, choices.orders = {}, {}


def _read_other_way(choices: ImportSettings, way: str) -> None:
    """Read a whole column in the way that was pressed, such as "mark 2 ,"."""
    kind, _, rest = way.partition(" ")
    index, _, code = rest.partition(" ")
    if index not in map(str, range(limits.MOST_COLUMNS)):
        return
    if kind == "mark" and code in MARKS:
        choices.marks[index] = code
    elif kind == "order" and code in ORDERS:
        choices.orders[index] = code


def mend(
    choices: ImportSettings, data: QueryDict, targets: Container[str], table: ReadTable
) -> None:
    """Take over the mended cells, what names stand for, and which rows are left out.

    What does not belong to the table is ignored, so that what is stored stays as small as the file.
    """
    numbers = {row.number for row in table.rows}
    mend_cells(choices, data, targets, numbers)
    _forget_untouched(choices, table)
    _take_meanings(choices, data, targets, table)
    posted = {whole_number(text) for text in data.getlist("row")}
    shown = {number for number in numbers if number in posted}
    left = {number for number in shown if f"left-{number}" in data}
    sums = {*sum_rows(table, choices.fields or {})}
    choices.left = sorted(((set(choices.left) - shown) | left) - sums)
    choices.kept = sorted((set(choices.kept) - shown) | (shown & sums) - left)


def mend_cells(
    choices: ImportSettings,
    data: QueryDict,
    targets: Container[str],
    numbers: Container[int | None],
) -> None:
    """Take over the mended cells of the rows with these numbers."""
    for name, text in data.items():
        kind, _, rest = name.partition("-")
        row, _, field = rest.partition("-")
        if kind == "cell" and whole_number(row) in numbers and field in targets:
            choices.mended.setdefault(row, {})[field] = str(text)


def _forget_untouched(choices: ImportSettings, table: ReadTable) -> None:
    """Drop cells that say what the file says, so that they are read as their column is."""
    fields = [(int(index), field) for index, field in (choices.fields or {}).items()]
    for row in table.rows:
        mended = choices.mended.pop(str(row.number), {})
        for name, text in [*mended.items()]:
            own = [index for index, field in fields if field == name and index < len(row.cells)]
            if [cell_text(row.cells[index]).strip() for index in own] == [text.strip()]:
                del mended[name]
        if mended:
            choices.mended[str(row.number)] = mended


def _take_meanings(
    choices: ImportSettings, data: QueryDict, targets: Container[str], table: ReadTable
) -> None:
    """Take over the list entries that texts of the table stand for."""
    if not data.getlist("means"):
        return
    texts = texts_of(choices, table)
    asked = zip(data.getlist("means-field"), data.getlist("means-text"), strict=False)
    for (field, text), code in zip(asked, data.getlist("means"), strict=False):
        if not code:
            choices.means.get(field, {}).pop(text, None)
        elif field in targets and text and text in texts and len(code) <= LONGEST_CODE:
            choices.means.setdefault(field, {})[text] = code


def texts_of(choices: ImportSettings, table: ReadTable) -> str:
    """All texts of the table, one to a line: a cell may hold several names."""
    cells = [cell_text(cell) for row in table.rows for cell in row.cells]
    return "\n".join([*cells, *(text for row in choices.mended.values() for text in row.values())])


def _by_column(data: QueryDict, prefix: str, allowed: Container[str]) -> dict[str, str]:
    """What was chosen for each column, by its number."""
    numbers = range(limits.MOST_COLUMNS)
    given = {str(number): str(data.get(f"{prefix}{number}", "")) for number in numbers}
    return {number: value for number, value in given.items() if value in allowed}
