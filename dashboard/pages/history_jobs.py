"""The history with one line for all that a job has written, and some of its rows below."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db.models import Count
from django.urls import reverse

from dashboard.ledger import history
from dashboard.pages.history_words import operation_in_words
from dashboard.text.dates import format_datetime

SHOWN = 5  # rows of a job
GONE = "A job that is not kept any more"
Line = dict[str, Any]
Titles = Callable[[Iterable[int]], Mapping[int, str]]


def lines(
    entries: Iterable[history.Line],
    found: history.Writes,
    line_of: Callable[[history.Line], Line],
    titles: Titles,
) -> list[Line]:
    """What pages/_history.html shows of a page of history.one_per_job(found).

    line_of: what it shows of one entry. titles: of the jobs that are kept, by number.
    """
    shown = list(entries)
    numbers = [entry.job for entry in shown if entry.job]
    named, counts = titles(numbers) if numbers else {}, _counts(found, numbers)
    return [
        _of_job(entry, found, line_of, named, counts[entry.job]) if entry.job else line_of(entry)
        for entry in shown
    ]


def _of_job(
    entry: history.Line,
    found: history.Writes,
    line_of: Callable[[history.Line], Line],
    named: Mapping[int, str],
    counts: Mapping[str, int],
) -> Line:
    rows = found.filter(job=entry.job)[:SHOWN]
    return {
        "job": entry.job,
        "label": named.get(entry.job or 0, GONE),
        "url": reverse("jobs:show", args=[entry.job]) if entry.job in named else "",
        "at": format_datetime(entry.at),
        "who": entry.who,
        "counts": [f"{number:,} {words}" for words, number in counts.items()],
        "total": sum(counts.values()),
        "rows": [line_of(row) for row in rows],
    }


def _counts(found: history.Writes, numbers: list[int]) -> dict[int | None, dict[str, int]]:
    """How many writes of each job say what, such as "not created". One query."""
    counts: dict[int | None, dict[str, int]] = {}
    columns = ("job", "operation", "state")
    kinds = found.filter(job__in=numbers).order_by(*columns).values_list(*columns)
    for job, operation, outcome, number in kinds.annotate(number=Count("pk")):
        counts.setdefault(job, {})[operation_in_words(operation, outcome).lower()] = number
    return counts
