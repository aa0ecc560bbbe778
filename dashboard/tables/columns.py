"""The formats of a column: the decimal mark of its numbers, the order of its dates. Both are
guessed from all cells of the column, or chosen by a person.
"""

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from dashboard.text.amounts import parse_amount
from dashboard.text.dates import ISO, date_parts, read_time, split_time
from dashboard.text.style import (
    COMMA,
    DAY_FIRST,
    MARKS,
    MONTH_FIRST,
    POINT,
    YEAR_FIRST,
    NotReadable,
)

from .cells import Cell, Guess, cell_text

MARK, ORDER = "mark", "order"  # the kinds of formats
SERIAL = "serial"
ORDERS = {
    DAY_FIRST: "31/12/2026",
    MONTH_FIRST: "12/31/2026",
    YEAR_FIRST: "2026-12-31",
    SERIAL: "46387 (days as Excel counts them)",
}
FIRST_DAY, LAST_DAY = 61, 2_958_465  # Excel counts a 29 Feb 1900 as day 60; the last is in 9999
LIKELY = range(20_000, 80_000)  # 1954 to 2119: whole numbers that can be meant as days
_MAX_DATE_LENGTH = 40  # characters
_EPOCH = datetime(1899, 12, 30)
_IN_ORDER = re.compile(r"\b[0-9]{1,2}([-/.])[0-9]{1,2}\1[0-9]{2}")
_DAYS = re.compile(r"[0-9]{5}(?:\.[0-9]+)?")
_POINT_IN_TIME = re.compile(r"^([0-9]{1,2})\.([0-9]{2})$")  # 14.30
_ZONE = re.compile(r"(:[0-9]{2}(?:\.[0-9]+)?) ?(?:z|utc|gmt|[+-][0-9]{2}:?[0-9]{2})$")


def number_of(cell: Cell, mark: str) -> Decimal:
    """Parse a number with the decimal mark `mark`, exactly, without the currency beside it. Raises
    NotReadable.
    """
    if isinstance(cell, Decimal):
        return cell
    if not isinstance(cell, str):
        raise NotReadable("Enter a number.")
    amount = parse_amount(cell, mark)
    if amount is None:
        raise NotReadable(f"“{cell.strip()}” is not a number written like {MARKS[mark]}.")
    return amount.number


def guess_mark(cells: Iterable[Cell], default: str) -> Guess[str]:
    """Guess the decimal mark of a column; `default` if its texts have none.

    Certain unless a number has two readings and no other number decides, or two numbers disagree.
    """
    votes = {POINT: 0, COMMA: 0}
    ambiguous = False
    for cell in cells:
        if not isinstance(cell, str) or not {POINT, COMMA} & {*cell}:
            continue
        valid = [mark for mark in MARKS if parse_amount(cell, mark)]
        for mark in valid if len(valid) == 1 else ():
            votes[mark] += 1
        ambiguous = ambiguous or len(valid) > 1
    if votes[POINT] == votes[COMMA]:
        return Guess(default, certain=not (ambiguous or votes[POINT]))
    return Guess(max(votes, key=lambda mark: votes[mark]), certain=not all(votes.values()))


def datetime_of(cell: Cell, order: str) -> datetime:
    """Parse a cell of a column with this order; midnight if it has no time.

    A year of two digits is 1970 to 2069. A time zone is ignored, the time stays as written. Raises
    NotReadable.
    """
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    found = None
    if order == SERIAL:
        found = _from_serial(cell)
    if found is None and isinstance(cell, str | Decimal):
        found = written_datetime(cell_text(cell), order)
    if found is None:
        raise NotReadable(f"“{cell}” is not a date written like {ORDERS[order]}.")
    return found


def date_of(cell: Cell, order: str) -> date:
    """Parse the date in a cell, see `datetime_of`; a time beside it is ignored."""
    return datetime_of(cell, order).date()


def time_of(cell: Cell) -> time | None:
    """Parse a cell with a time alone; None for any other."""
    if isinstance(cell, str):
        return read_time(_POINT_IN_TIME.sub(r"\1:\2", cell.strip()))
    if isinstance(cell, Decimal) and 0 <= cell < 1:  # a part of a day, as Excel counts
        return (_EPOCH + timedelta(seconds=round(cell * 86_400))).time()
    return cell if isinstance(cell, time) else None


def guess_order(cells: Iterable[Cell], default: str) -> Guess[str]:
    """Guess the order of the dates of a column; `default` (day or month first) if unknown.

    Certain unless a date has two readings and no other date decides, or two dates disagree.
    """
    votes = {DAY_FIRST: 0, MONTH_FIRST: 0}
    ambiguous, iso, serial = False, False, False
    for cell in cells:
        words = _figures(cell)
        serial = serial or (bool(_DAYS.fullmatch(words)) and int(words[:5]) in LIKELY)
        iso = iso or bool(ISO.match(words))
        if not _IN_ORDER.search(words):
            continue
        readings = {order: written_datetime(words, order) for order in votes}
        if readings[DAY_FIRST] != readings[MONTH_FIRST]:
            valid = [order for order in votes if readings[order] is not None]
            if "." in words and DAY_FIRST in valid:  # nobody writes the month first with points
                valid = [DAY_FIRST]
            ambiguous = ambiguous or len(valid) > 1
            for order in valid if len(valid) == 1 else ():
                votes[order] += 1
    if any(votes.values()):
        certain = not all(votes.values()) and not serial
        return Guess(max(votes, key=lambda order: votes[order]), certain=certain)
    if ambiguous or not (iso or serial):
        return Guess(default, certain=not ambiguous)
    return Guess(SERIAL if serial else YEAR_FIRST)


def _figures(cell: Cell) -> str:
    if isinstance(cell, Decimal):
        return str(cell)
    if not isinstance(cell, str) or len(cell) > _MAX_DATE_LENGTH:
        return ""
    return " ".join(cell.lower().split())


def _from_serial(cell: Cell) -> datetime | None:
    if isinstance(cell, str) and re.fullmatch(r"[0-9]{1,7}(?:\.[0-9]{1,10})?", cell.strip()):
        cell = Decimal(cell.strip())
    if not isinstance(cell, Decimal) or not cell.is_finite():
        return None
    if not FIRST_DAY <= cell <= LAST_DAY:
        return None
    return _EPOCH + timedelta(days=int(cell), seconds=round((cell % 1) * 86_400))


def written_datetime(text: str, order: str) -> datetime | None:
    day, moment = split_time(_ZONE.sub(r"\1", text.lower().strip()))
    parts = date_parts(day, order)
    if parts is None:
        return None
    try:
        return datetime.combine(date(*parts), moment or time())
    except ValueError:
        return None


def is_day(cell: Cell) -> bool:
    if not isinstance(cell, str):
        return isinstance(cell, date)
    text = cell.strip()
    may_be = text[:1].isalnum() and any(map(str.isdigit, text)) and len(text) <= _MAX_DATE_LENGTH
    return may_be and any(written_datetime(text, order) for order in (DAY_FIRST, MONTH_FIRST))
