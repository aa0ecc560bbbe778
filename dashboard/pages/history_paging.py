"""A stretch of the history, and the addresses of those beside it.

Without numbered pages: counting a million entries, or skipping most of them, takes seconds. The
address names the entry that the stretch begins behind, so that its queries read little more than
they show.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from dashboard.gateway import whole_number
from dashboard.ledger.history import Line, place_of

ON_A_PAGE = 50
OLDER, NEWER, OLDEST = "older", "newer", "oldest"  # parameters of the address
PARAMS = (OLDER, NEWER, OLDEST)
# SQLite compares times as text, and its own clock writes fewer digits than Django: a moment is what
# lies less than this before and after it.
LEAST = timedelta(microseconds=1)

Tables = tuple[QuerySet[Line], ...]


class Stretch(NamedTuple):
    """Lines, the newest first. `newer` and `older`: what follows as the value of that parameter
    of the address, "" at the end of the history.
    """

    entries: list[Line]
    newer: str
    older: str


class LinePlace(NamedTuple):
    """The place of a line in the order of the history, see history.place_of."""

    at: datetime
    rank: int
    pk: int


def stretch(tables: Tables, given: Mapping[str, str]) -> Stretch:
    """The lines that an address asks for: the newest unless it has one of PARAMS.

    tables: the lines of each table, newest first.
    """
    older, newer = _place(given.get(OLDER, "")), _place(given.get(NEWER, ""))
    if newer or given.get(OLDEST):
        rows = _first([_after(lines, newer).reverse() for lines in tables], newest_first=False)
        on_page = rows[:ON_A_PAGE][::-1]
        more_newer, more_older = len(rows) > ON_A_PAGE, bool(newer)
    else:
        rows = _first([_before(lines, older) for lines in tables], newest_first=True)
        on_page = rows[:ON_A_PAGE]
        more_newer, more_older = bool(older), len(rows) > ON_A_PAGE
    if not on_page:
        return Stretch([], "", "")
    return Stretch(
        on_page,
        newer=_text(on_page[0]) if more_newer else "",
        older=_text(on_page[-1]) if more_older else "",
    )


def _first(tables: list[QuerySet[Line]], *, newest_first: bool) -> list[Line]:
    """A page and one more of the lines of all tables."""
    rows = [line for lines in tables for line in lines[: ON_A_PAGE + 1]]
    return sorted(rows, key=place_of, reverse=newest_first)[: ON_A_PAGE + 1]


def _before(lines: QuerySet[Line], place: LinePlace | None) -> QuerySet[Line]:
    if place is None:
        return lines
    time, rank = lines.model.TIME, lines.model.RANK
    if rank > place.rank:
        return lines.filter(**{f"{time}__lte": place.at - LEAST})
    earlier = lines.filter(**{f"{time}__lt": place.at + LEAST})
    if rank < place.rank:
        return earlier
    return earlier.exclude(**{f"{time}__gt": place.at - LEAST, "pk__gte": place.pk})


def _after(lines: QuerySet[Line], place: LinePlace | None) -> QuerySet[Line]:
    if place is None:
        return lines
    time, rank = lines.model.TIME, lines.model.RANK
    if rank < place.rank:
        return lines.filter(**{f"{time}__gte": place.at + LEAST})
    later = lines.filter(**{f"{time}__gt": place.at - LEAST})
    if rank > place.rank:
        return later
    return later.exclude(**{f"{time}__lt": place.at + LEAST, "pk__lte": place.pk})


def _text(line: Line) -> str:
    return f"{line.at:%Y-%m-%dT%H:%M:%S.%fZ}_{line.RANK}_{line.pk}"


def _place(text: str) -> LinePlace | None:
    at, *numbers = text.split("_")
    try:
        moment = parse_datetime(at)
    except ValueError:
        return None
    rank, pk = numbers if len(numbers) == 2 else ("", "")
    number = whole_number(pk)
    if moment is None or not moment.tzinfo or rank not in ("0", "1") or not number:
        return None
    return LinePlace(moment, int(rank), number)
