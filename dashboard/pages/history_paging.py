"""A stretch of the history, and the addresses of those beside it.

Without numbered pages: counting a million entries, or skipping most of them, takes seconds. The
address names the entry that the stretch begins behind, so that its queries read little more than
they show.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.utils.dateparse import parse_datetime

from dashboard.audit.models import Entry
from dashboard.audit.services import Entries
from dashboard.gateway import whole_number

ON_A_PAGE = 50
OLDER, NEWER, OLDEST = "older", "newer", "oldest"  # parameters of the address
PARAMS = (OLDER, NEWER, OLDEST)


class Stretch(NamedTuple):
    """Entries, the newest first. `newer` and `older`: what follows as the value of that parameter
    of the address, "" at the end of the history.
    """

    entries: list[Entry]
    newer: str
    older: str


def stretch(entries: Entries, given: Mapping[str, str]) -> Stretch:
    """The entries that an address asks for: the newest unless it has one of PARAMS."""
    older, newer = _place(given.get(OLDER, "")), _place(given.get(NEWER, ""))
    if newer or given.get(OLDEST):
        rows = list(_after(entries, newer).reverse()[: ON_A_PAGE + 1])
        shown = rows[:ON_A_PAGE][::-1]
        more_newer, more_older = len(rows) > ON_A_PAGE, bool(newer)
    else:
        rows = list(_before(entries, older)[: ON_A_PAGE + 1])
        shown = rows[:ON_A_PAGE]
        more_newer, more_older = bool(older), len(rows) > ON_A_PAGE
    if not shown:
        return Stretch([], "", "")
    ends = _text(shown[0]) * more_newer, _text(shown[-1]) * more_older
    return Stretch(shown, *ends)


def _before(entries: Entries, place: tuple[datetime, int] | None) -> Entries:
    if place is None:
        return entries
    at, number = place
    return entries.filter(at__lte=at).exclude(at=at, pk__gte=number)


def _after(entries: Entries, place: tuple[datetime, int] | None) -> Entries:
    if place is None:
        return entries
    at, number = place
    return entries.filter(at__gte=at).exclude(at=at, pk__lte=number)


def _text(entry: Entry) -> str:
    return f"{entry.at:%Y-%m-%dT%H:%M:%S.%fZ}_{entry.pk}"


def _place(text: str) -> tuple[datetime, int] | None:
    at, _, number = text.partition("_")
    try:
        moment = parse_datetime(at)
    except ValueError:
        return None
    found = whole_number(number)
    return (moment, found) if moment and moment.tzinfo and found else None
