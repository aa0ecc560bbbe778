"""Takes over what a person has chosen and mended on the page of a file."""

from collections.abc import Collection, Container

from django.http import QueryDict

from dashboard.gateway import whole_number
from dashboard.imports.storage import CREATE, SKIP, UPDATE, Wishes
from dashboard.tables import limits
from dashboard.tables.dates import ORDERS
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.numbers import MARKS
from dashboard.tables.separated import SEPARATORS


def choose(wishes: Wishes, data: QueryDict, targets: Container[str]) -> None:
    """Take over how the file is to be read; what is not among the choices is ignored."""
    before = (wishes.separator, wishes.sheet, wishes.header)
    for name, allowed in (("encoding", ENCODINGS), ("separator", SEPARATORS)):
        if data.get(name, "") in ("", *allowed):
            setattr(wishes, name, data.get(name, ""))
    wishes.sheet = data.get("sheet", "")
    wishes.header = whole_number(data.get("header", ""), least=0)
    known_ones = data.get("known", "")
    wishes.known = known_ones if known_ones in (CREATE, UPDATE) else SKIP
    wishes.fields = _by_column(data, "field-", targets)
    wishes.marks = _by_column(data, "mark-", MARKS)
    wishes.orders = _by_column(data, "order-", ORDERS)
    if (wishes.separator, wishes.sheet, wishes.header) != before:
        wishes.fields = None  # the columns are others now
        wishes.marks, wishes.orders = {}, {}


def mend(
    wishes: Wishes, data: QueryDict, targets: Container[str], numbers: Collection[int]
) -> None:
    """Take over the mended cells, and which rows are left out; of rows with these numbers."""
    for name, text in data.items():
        kind, _, rest = name.partition("-")
        row, _, field = rest.partition("-")
        if kind == "cell" and whole_number(row) in numbers and field in targets:
            wishes.mended.setdefault(row, {})[field] = str(text)
    asked = zip(data.getlist("means-field"), data.getlist("means-text"), strict=False)
    for (field, text), code in zip(asked, data.getlist("means"), strict=False):
        if field in targets and code:
            wishes.means.setdefault(field, {})[text] = code
    posted = {whole_number(text) for text in data.getlist("row")}
    shown = {number for number in numbers if number in posted}
    left = {number for number in shown if f"left-{number}" in data}
    wishes.left = sorted((set(wishes.left) - shown) | left)


def _by_column(data: QueryDict, prefix: str, allowed: Container[str]) -> dict[str, str]:
    """What was chosen for each column, by its number."""
    numbers = range(limits.MOST_COLUMNS)
    given = {str(number): str(data.get(f"{prefix}{number}", "")) for number in numbers}
    return {number: value for number, value in given.items() if value in allowed}
