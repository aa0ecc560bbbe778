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
    bodies = [
        _check_header(rows, place, style) if row.header else _check_item(row, style)
        for place, row in enumerate(rows)
    ]
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


def counted_lines(rows: Iterable[DocumentLine], style: Style = PLAIN) -> list[CountedLine]:
    """The numbers of each line."""
    return [_counted_line(row, style) for row in rows]


def unreadable_cells(row: DocumentLine, style: Style) -> dict[str, str]:
    """What is wrong with the cells of a line that are no numbers, by cell."""
    errors = {}
    for name in NUMBERS:
        try:
            _number(row, name, style)
        except NotReadable as error:
            errors[name] = str(error)
    return errors


def _counted_line(row: DocumentLine, style: Style) -> CountedLine:
    try:
        numbers = {name: _number(row, name, style) or Decimal(0) for name in NUMBERS}
    except NotReadable:
        return CountedLine(header=row.header, unreadable=not row.header)
    kind = row.cells["discount_type"]
    return CountedLine(
        quantity=numbers["quantity"],
        price=numbers["price"],
        discount=numbers["discount"],
        discount_type=int(kind) if kind in ("1", "2") else None,
        rate=numbers["tax_rate"],
        header=row.header,
    )


def counted_line(record: Record) -> CountedLine:
    """The numbers of a line as the service sent it; an unreadable number counts as zero."""
    numbers = {name: record[name] or Decimal(0) for name in NUMBERS}
    return CountedLine(
        quantity=numbers["quantity"],
        price=numbers["price"],
        discount=numbers["discount"],
        discount_type=record["discount_type"] or None,
        rate=numbers["tax_rate"],
        header=record["type"] == HEADER,
    )


def _fill_from_item(cells: dict[str, str], item: PriceListItem, style: Style) -> None:
    cells.update(item_id=str(item.id), item_name=item.name)
    if item.price is not None and not cells["price"].strip():
        cells["price"] = write_number(item.price, style)
    if not cells["tax_id"] and not cells["tax_rate"].strip():
        cells["tax_id"] = item.tax


def _number(row: DocumentLine, name: str, style: Style) -> Decimal | None:
    text = row.cells[name].strip()
    return read_number(text, style) if text else None


def _check_item(row: DocumentLine, style: Style) -> dict[str, Any]:
    body: dict[str, Any] = {"type": ITEM, "item_name": row.cells["item_name"].strip()}
    if not body["item_name"]:
        row.errors["item_name"] = "Say what this line is for."
    body["item_id"] = _id(row)
    for name in NUMBERS:
        body[name] = _checked_number(row, name, style)
    for name in ("quantity", "price"):
        if body[name] is None and name not in row.errors:
            row.errors[name] = f"Enter a {WORDS[name].lower()}."
    return _without_empty(body | _other_cells(row, body))


def _check_header(rows: Sequence[DocumentLine], place: int, style: Style) -> dict[str, Any]:
    row = rows[place]
    body: dict[str, Any] = {"type": HEADER, "item_name": row.cells["item_name"].strip()}
    if not body["item_name"]:
        row.errors["item_name"] = "Give this header a title, or remove it."
    elif all(other.header for other in rows) and header_item_id(rows, place) is None:
        row.errors["item_name"] = f"Add an item below this header: {SERVICE} asks for one."
    numbers = {name: _checked_number(row, name, style) for name in NUMBERS}
    for name in ("quantity", "price"):
        numbers[name] = numbers[name] or Decimal(0)
    body |= {"item_id": header_item_id(rows, place), **numbers}
    return _without_empty(body | _other_cells(row, body))


def _other_cells(row: DocumentLine, body: Mapping[str, Any]) -> dict[str, Any]:
    """The kind of discount, the tax and the description, which depend on checked cells at most."""
    kind = _kind(row, body["discount"]) if body["discount"] is not None else None
    tax, description = row.cells["tax_id"].strip(), row.cells["description"]
    return {"discount_type": kind, "tax_id": tax, "description": description}


def _without_empty(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value not in (None, "")}


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


def _checked_number(row: DocumentLine, name: str, style: Style) -> Decimal | None:
    try:
        number = _number(row, name, style)
    except NotReadable as error:
        row.errors[name] = str(error)
        return None
    if number is not None and number < 0 and name in ("discount", "tax_rate"):
        row.errors[name] = "The smallest value is 0."
    return number


def _kind(row: DocumentLine, discount: Decimal) -> int | None:
    kind = row.cells["discount_type"]
    if kind == str(PERCENT) and discount > 100:
        row.errors["discount"] = "A discount in percent is at most 100."
    return int(kind) if kind in ("1", "2") else None
