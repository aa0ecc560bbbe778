"""Reads the dates of a column in its order, and guesses the order from many dates."""

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from dashboard.text.dates import ISO, date_parts, split_time
from dashboard.text.style import DAY_FIRST, MONTH_FIRST, YEAR_FIRST

from .cells import Cell
from .errors import UnreadableCell
from .guesses import Guess

SERIAL = "serial"
ORDERS = {
    DAY_FIRST: "31/12/2026",
    MONTH_FIRST: "12/31/2026",
    YEAR_FIRST: "2026-12-31",
    SERIAL: "46387 (days as Excel counts them)",
}
FIRST_DAY, LAST_DAY = 61, 2_958_465  # Excel counts a 29 Feb 1900 as day 60; the last is in 9999
LIKELY = range(20_000, 80_000)  # 1954 to 2119: whole numbers that can be meant as days
_LONGEST = 40  # characters of a date
_EPOCH = datetime(1899, 12, 30)
_IN_ORDER = re.compile(r"[0-9]{1,2}([-/.])[0-9]{1,2}\1[0-9]{2}")
_DAYS = re.compile(r"[0-9]{5}(?:\.[0-9]+)?")
_ZONE = re.compile(r"(:[0-9]{2}(?:\.[0-9]+)?)(?:z|[+-][0-9]{2}:?[0-9]{2})$")


def datetime_of(cell: Cell, order: str) -> datetime:
    """The date and time in a cell of a column with this order; midnight where there is no time.

    A year of two digits is 1970 to 2069. A time zone is left out, the time stays as written.
    Raises UnreadableCell.
    """
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    found = None
    if order == SERIAL:
        found = _from_serial(cell)
    if found is None and isinstance(cell, str):
        found = written_datetime(cell, order)
    if found is None:
        raise UnreadableCell(f"“{cell}” is not a date written like {ORDERS[order]}.")
    return found


def date_of(cell: Cell, order: str) -> date:
    """The date in a cell, see `datetime_of`; a time beside it is left out."""
    return datetime_of(cell, order).date()


def guess_order(cells: Iterable[Cell], default: str) -> Guess[str]:
    """The order of the dates in a column; `default` (day or month first) where they do not say.

    Certain unless a date has two readings and no other date decides, or two dates disagree.
    """
    votes = {DAY_FIRST: 0, MONTH_FIRST: 0}
    ambiguous, iso, serial = False, False, False
    for cell in cells:
        words = _figures(cell)
        serial = serial or (bool(_DAYS.fullmatch(words)) and int(words[:5]) in LIKELY)
        iso = iso or bool(ISO.match(words))
        if not _IN_ORDER.match(words):
            continue
        readings = {order: written_datetime(words, order) for order in votes}
        if readings[DAY_FIRST] != readings[MONTH_FIRST]:
            valid = [order for order in votes if readings[order] is not None]
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
    """The text or number of a cell that can be a date written in figures, else ""."""
    if isinstance(cell, Decimal):
        return str(cell)
    if not isinstance(cell, str) or len(cell) > _LONGEST or not cell.lstrip()[:1].isdigit():
        return ""
    return " ".join(cell.lower().split())


def _plain_number(cell: Cell) -> Decimal | None:
    if isinstance(cell, Decimal):
        return cell if cell.is_finite() and 0 <= cell <= LAST_DAY else None
    written = isinstance(cell, str) and re.fullmatch(r"[0-9]{1,7}(?:\.[0-9]{1,10})?", cell.strip())
    return Decimal(str(cell).strip()) if written else None


def _from_serial(cell: Cell) -> datetime | None:
    number = _plain_number(cell)
    if number is None or not FIRST_DAY <= number < LAST_DAY + 1:
        return None
    seconds = round((number % 1) * 86_400)
    return _EPOCH + timedelta(days=int(number), seconds=seconds)


def written_datetime(text: str, order: str) -> datetime | None:
    """The date and time that a text states in an order, midnight without a time; None for none."""
    day, moment = split_time(_ZONE.sub(r"\1", text.lower().strip()))
    parts = date_parts(day, order)
    if parts is None:
        return None
    try:
        return datetime.combine(date(*parts), moment or time())
    except ValueError:
        return None
