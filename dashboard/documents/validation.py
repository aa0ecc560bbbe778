"""Validates the lines of a document and completes them from the price list."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from dashboard.core.service_name import SERVICE
from dashboard.documents.lines import HEADER, ITEM, NUMBERS, WORDS, DocumentLine
from dashboard.documents.price_list import NOTHING, PriceList, PriceListItem
from dashboard.documents.totals import PERCENT, CountedLine
from dashboard.gateway import Record
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import PLAIN, NotReadable, Style

ITEM_ID = re.compile("-?[0-9]{1,18}")
Numbers = Mapping[str, Decimal | None]
UNKNOWN_ITEM = "No item has the number {}. Choose an item, or have this one added to your list."


def complete_lines(rows: Iterable[DocumentLine], price_list: PriceList, style: Style) -> None:
    """Fill in, from the price list, a chosen item's number, price and tax, and a chosen tax's rate.

    Only empty cells are filled, so nothing typed is replaced.
    """
    for row in rows:
        if row.header:
            continue
        cells = row.cells
        if not cells["item_id"].strip() and (item := price_list.item(cells["item_name"])):
            _fill_from_item(cells, item, style)
        if not cells["item_name"].strip() and (known := price_list.item(cells["item_id"])):
            cells["item_name"] = known.name
        tax = price_list.taxes.get(cells["tax_id"])
        if tax and tax.rate is not None and not cells["tax_rate"].strip():
            cells["tax_rate"] = write_number(tax.rate, style)


def check_lines(
    rows: Sequence[DocumentLine],
    style: Style = PLAIN,
    *,
    price_list: PriceList = NOTHING,
    unchanged: Collection[str] = (),
) -> list[dict[str, Any]]:
    """The body of each line; errors are stored in the lines' `errors`. `unchanged`: the item
    numbers of the record as it was opened, which are accepted as they are.
    """
    bodies = [_checked_line(rows, place, style) for place in range(len(rows))]
    for row, body in zip(rows, bodies, strict=True):
        number: int | None = None if row.header else body.get("item_id")
        if number is not None and str(number) not in unchanged and not price_list.accepts(number):
            row.errors["item_id"] = UNKNOWN_ITEM.format(number)
    return bodies


def header_item_id(rows: Sequence[DocumentLine], place: int) -> int | None:
    """The item id to send with the header at `place`, as the API requires one of it, too.

    Its own if it has one, else that of the nearest item line below, else of the nearest above; None
    if no line has a readable id.
    """
    below, above = rows[place + 1 :], reversed(rows[:place])
    lines = [rows[place], *(row for row in (*below, *above) if not row.header)]
    texts = (line.cells["item_id"].strip() for line in lines)
    return next((int(text) for text in texts if ITEM_ID.fullmatch(text)), None)


def counted_line(row: DocumentLine, style: Style = PLAIN) -> CountedLine:
    """The numbers of a line as typed."""
    numbers, errors = _numbers(row, style)
    if errors:
        return CountedLine(header=row.header, unreadable=not row.header)
    kind = row.cells["discount_type"]
    return _counted(numbers, int(kind) if kind in ("1", "2") else None, is_header=row.header)


def counted_record(line: Record) -> CountedLine:
    """The numbers of a line as the service sent it; an unreadable number counts as zero."""
    numbers = {name: line[name] for name in NUMBERS}
    return _counted(numbers, line["discount_type"], is_header=line["type"] == HEADER)


def _counted(numbers: Numbers, kind: int | None, *, is_header: bool) -> CountedLine:
    return CountedLine(
        quantity=numbers["quantity"] or Decimal(0),
        price=numbers["price"] or Decimal(0),
        discount=numbers["discount"] or Decimal(0),
        discount_type=kind or None,
        rate=numbers["tax_rate"] or Decimal(0),
        header=is_header,
    )


def unreadable_cells(row: DocumentLine, style: Style) -> dict[str, str]:
    """What is wrong with the cells of a line that are no numbers, by cell."""
    return _numbers(row, style)[1]


def _numbers(row: DocumentLine, style: Style) -> tuple[dict[str, Decimal | None], dict[str, str]]:
    """The numbers of a line by cell, None for an empty one, and what is wrong with the others."""
    numbers: dict[str, Decimal | None] = {}
    errors: dict[str, str] = {}
    for name in NUMBERS:
        text = row.cells[name].strip()
        try:
            numbers[name] = read_number(text, style) if text else None
        except NotReadable as error:
            errors[name] = str(error)
    return numbers, errors


def _fill_from_item(cells: dict[str, str], item: PriceListItem, style: Style) -> None:
    cells.update(item_id=str(item.id), item_name=item.name)
    if item.price is not None and not cells["price"].strip():
        cells["price"] = write_number(item.price, style)
    if not cells["tax_id"] and not cells["tax_rate"].strip():
        cells["tax_id"] = item.tax


def _checked_line(rows: Sequence[DocumentLine], place: int, style: Style) -> dict[str, Any]:
    row = rows[place]
    kind = HEADER if row.header else ITEM
    body: dict[str, Any] = {"type": kind, "item_name": row.cells["item_name"].strip()}
    if not body["item_name"]:
        row.errors["item_name"] = (
            "Give this header a title, or remove it."
            if row.header
            else "Say what this line is for."
        )
    elif all(other.header for other in rows) and header_item_id(rows, place) is None:
        row.errors["item_name"] = f"Add an item below this header: {SERVICE} asks for one."
    body["item_id"] = header_item_id(rows, place) if row.header else _id(row)
    body |= _checked_numbers(row, style)
    for name in ("quantity", "price"):
        if row.header:
            body[name] = body[name] or Decimal(0)
        elif body[name] is None and name not in row.errors:
            row.errors[name] = f"Enter a {WORDS[name].lower()}."
    body["discount_type"] = None if body["discount"] is None else _kind(row, body["discount"])
    body |= {"tax_id": row.cells["tax_id"].strip(), "description": row.cells["description"]}
    return {name: value for name, value in body.items() if value not in (None, "")}


def _checked_numbers(row: DocumentLine, style: Style) -> dict[str, Decimal | None]:
    numbers, errors = _numbers(row, style)
    row.errors |= errors
    for name in ("discount", "tax_rate"):
        if (numbers.get(name) or 0) < 0:
            row.errors[name] = "The smallest value is 0."
    return {name: numbers.get(name) for name in NUMBERS}


def _id(row: DocumentLine) -> int | None:
    text = row.cells["item_id"].strip()
    if ITEM_ID.fullmatch(text):
        return int(text)
    row.errors["item_id"] = (
        "Enter a whole number."
        if text
        else "This item isn't in your list. Choose another, or enter its item number."
    )
    return None


def _kind(row: DocumentLine, discount: Decimal) -> int | None:
    kind = row.cells["discount_type"]
    if kind == str(PERCENT) and discount > 100:
        row.errors["discount"] = "A discount in percent is at most 100."
    return int(kind) if kind in ("1", "2") else None
