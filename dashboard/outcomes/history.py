"""The history of one record, and that of a workspace, where the writes of a job are one line.

Pages have no numbers, as counting or skipping a million entries takes seconds. The URL names the
entry that the page begins after, so that its queries read little more than the page shows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from dashboard.gateway import GatewayError, whole_number
from dashboard.jobs.export_files import csv_answer
from dashboard.jobs.services import titles
from dashboard.lists.table import Link
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.keys import administered_by, owner_of
from dashboard.people.models import User
from dashboard.people.permissions import CHANGE_STAFF, MANAGE_SETTINGS, permission_required
from dashboard.records.record_page import record_context
from dashboard.schema import values
from dashboard.schema.fields import IdField, TextField
from dashboard.schema.filters import Choice, Days, Filter, FilterForm
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_datetime
from dashboard.writes import history, outcomes
from dashboard.writes.history import Line, place_of
from dashboard.writes.history_words import EntryNames, changes_in_words, details_of, did, names_in
from dashboard.writes.models import Write
from dashboard.writes.reconciliation import as_text

ON_A_PAGE = 50
OLDER, NEWER, OLDEST = "older", "newer", "oldest"  # parameters of the address
FORMAT = "format"
PARAMS = (OLDER, NEWER, OLDEST)
# SQLite compares times as text, and its own clock writes fewer digits than Django: a moment is what
# lies less than this before and after it.
SHORTEST_SPAN = timedelta(microseconds=1)

Tables = tuple[QuerySet[Line], ...]
OUTCOMES = [str(state.value) for state in history.OUTCOMES]
COLUMNS = ("when", "who", "record", "id", "operation", "outcome", "answer", "seconds", "changes")
JOB_GONE_MESSAGE = "Expired job"
ShownLine = dict[str, Any]


@require_safe
@page
def show_record_history(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Show the writes to one record through this dashboard.

    Writes by other people are included only if the person's keys can read the record, which proves
    that they belong to the same workspace.
    """
    workspace, title = "", f"{resource.singular.capitalize()} {record_id}"
    try:
        title = resource.title(resource.read(ctx.gateway, record_id))
        workspace = ctx.workspace
    except GatewayError:
        pass
    owner = owner_of(ctx.gateway)
    here = {"owner": owner, "workspace": workspace}
    writes = history.of_record(resource.name, record_id, **here)
    events = history.events_of(resource.name, [record_id], **here)
    keyset = keyset_page((writes, events.select_related("person")), ctx.params)
    visible = history.visible(**here)
    names = names_in(ctx, keyset.entries, visible=visible)
    entries = [entry_line(entry, names) for entry in keyset.entries]
    if not workspace and entries:
        title = entries[0]["label"]
    context = {
        **record_context(resource, record_id),
        "title": title,
        "partial": not workspace,
        "page": keyset,
        "entries": entries,
    }
    return ctx.render("outcomes/history.html", context)


@require_safe
@page_without_keys
def show_workspace_history(ctx: RequestContext) -> HttpResponseBase:
    """Show the writes in the person's workspace, filtered by the URL; ?format=csv returns CSV.

    The writes of a job are one line, unless ?job= asks for them. Filters that cannot be used show
    and export nothing.
    """
    office = office_of(ctx.user)
    form = _filters(ctx, office)
    filters = _query(form)
    recorded = history.of_workspace(ctx.workspace, office=office, **filters)
    if form.errors:
        recorded = history.History(recorded.writes.none(), recorded.events.none())
    job = filters.get("job")
    if not form.errors and ctx.params.get(FORMAT) == "csv":
        return csv_answer("history.csv", _rows(recorded.lines()))
    listed = recorded.writes if job else history.one_per_job(recorded.writes)
    keyset = keyset_page((listed, recorded.events), ctx.params)
    visible = history.of_workspace(ctx.workspace).writes
    names = names_in(ctx, keyset.entries, visible=visible)
    jobs = {} if job else _jobs(keyset.entries, recorded.writes)
    context = {
        "page": keyset,
        "entries": _lines(keyset.entries, names, jobs),
        "job": job,
        "views": _views(ctx, office, form.params),
        "chips": [
            (f"{each.label}: {each.caption(value, ctx)}", urlencode(form.params_without(each.name)))
            for each, value in form.active
        ],
        "filters": form,
        "query": urlencode(form.params),
    }
    return ctx.render("outcomes/history_all.html", context)


def office_of(user: User) -> list[str] | None:
    """Return the workspaces whose changes of accounts and features a person sees: none without the
    permission, else their own and "" (accounts without keys); None for all.
    """
    if not user.has_perm(CHANGE_STAFF):
        return []
    workspaces = administered_by(user)
    return None if workspaces is None else ["", *workspaces]


@dataclass(frozen=True)
class TypedFilter(Filter):
    """A value as it is typed. field: the class of its form field."""

    _: KW_ONLY
    field: type[forms.Field] = IdField

    def form_field(self, ctx: RequestContext) -> forms.Field:
        return self.field(label=self.label, required=False)

    def caption(self, value: Any, ctx: RequestContext) -> str:
        is_job = self.name == "job"
        return titles([value]).get(value, JOB_GONE_MESSAGE) if is_job else str(value)


def _filters(ctx: RequestContext, office: list[str] | None) -> FilterForm:
    kinds = {each.name: each.label for each in RESOURCES.values()}
    operations = {name: words.capitalize() for name, words in outcomes.DONE.items()}
    filters = (
        TypedFilter("who", label="Username", field=TextField),
        Choice("resource", label="Type", choices=kinds | (history.OFFICE if office != [] else {})),
        Choice("operation", label="Action", choices=operations),
        Choice("outcome", label="Outcome", choices={each: each for each in OUTCOMES}),
        TypedFilter("record_id", label="ID"),
        TypedFilter("job", label="Job"),
        Days("day", label="When", sent=("since", "until")),
    )
    return FilterForm(filters, ctx.params, ctx)


def _query(form: FilterForm) -> dict[str, Any]:
    """Return the query filters, with moments for days."""
    query = dict(form.api_params)
    for name, clock in (("since", time.min), ("until", time.max)):
        query[name] = _moment(query.get(name), clock)
    return {name: value for name, value in query.items() if value is not None}


def _moment(day: date | None, clock: time) -> datetime | None:
    try:
        return timezone.make_aware(datetime.combine(day, clock)).astimezone(UTC) if day else None
    except OverflowError:
        return None


def entry_line(entry: history.Line, names: EntryNames) -> dict[str, Any]:
    resource = RESOURCES.get(entry.resource)
    label, changes = details_of(entry)
    changed = changes if _shows_changes(entry) else {}
    return {
        "at": format_datetime(entry.at),
        "who": values.person(history.by_whom(entry)),
        "did": did(entry),
        "answer": outcomes.reason(entry.error_summary),
        "kind": resource.singular if resource else history.OFFICE.get(entry.resource, ""),
        "label": label or names.record(entry.resource, entry.record_id),
        "url": resource.url(entry.record_id, "history") if resource and entry.record_id else "",
        "changes": changes_in_words(resource.fields if resource else {}, changed, names.words),
    }


def _shows_changes(entry: history.Line) -> bool:
    return entry.operation != "delete" or entry.state == Write.State.SAVED


def _rows(entries: Iterable[history.Line]) -> Iterator[Sequence[str]]:
    yield COLUMNS
    for entry in entries:
        label, changes = details_of(entry)
        summary = "; ".join(
            f"{name}: {as_text(old)!r} -> {as_text(new)!r}" for name, (old, new) in changes.items()
        )
        facts = (entry.operation, entry.state, entry.error_summary, f"{entry.seconds:.3f}", summary)
        record = f"{entry.resource} {label}"
        yield (entry.at.isoformat(), entry.who, record, str(entry.record_id or ""), *facts)


def _lines(
    entries: Iterable[history.Line], names: EntryNames, jobs: Mapping[int, ShownLine]
) -> list[ShownLine]:
    lines = ((entry_line(entry, names), jobs.get(entry.job or 0, {})) for entry in entries)
    return [{**line, **of_job} for line, of_job in lines]


def _jobs(entries: Iterable[history.Line], writes: history.Writes) -> dict[int, ShownLine]:
    numbers = [entry.job for entry in entries if entry.job]
    named, counts = (titles(numbers), _counts(writes, numbers)) if numbers else ({}, {})
    return {
        job: {
            "job": job,
            "kind": "job",
            "label": named.get(job, JOB_GONE_MESSAGE),
            "url": reverse("jobs:show", args=[job]) if job in named else "",
            "did": ", ".join(f"{number:,} {words}" for words, number in counts[job].items()),
            "answer": "",
            "total": sum(counts[job].values()),
        }
        for job in numbers
    }


def _views(ctx: RequestContext, office: list[str] | None, params: Mapping[str, str]) -> list[Link]:
    queries: dict[str, dict[str, str]] = {
        "Everything": {},
        "By me": {"who": ctx.user.username},
        "Deleted": {"operation": "delete"},
    }
    if office != []:
        queries["Staff"] = {"resource": history.STAFF}
    return [
        Link(label, f"?{urlencode(query)}", params == query) for label, query in queries.items()
    ]


def _counts(writes: history.Writes, numbers: list[int]) -> dict[int | None, dict[str, int]]:
    counts: dict[int | None, dict[str, int]] = {}
    columns = ("job", "operation", "state")
    kinds = writes.filter(job__in=numbers).order_by(*columns).values_list(*columns)
    for job, operation, outcome, number in kinds.annotate(number=Count("pk")):
        counts.setdefault(job, {})[outcomes.label(operation, outcome)] = number
    return counts


class KeysetPage(NamedTuple):
    """Lines, newest first. `newer` and `older`: URL parameters of the next pages; "" at the end."""

    entries: list[Line]
    newer: str
    older: str


class Cursor(NamedTuple):
    """A position in the history, see history.place_of."""

    at: datetime
    rank: int
    pk: int


def keyset_page(tables: Tables, given: Mapping[str, str]) -> KeysetPage:
    """Return the page of a URL: the newest unless it has one of PARAMS.

    tables: the lines of each table, newest first.
    """
    older, newer = _place(given.get(OLDER, "")), _place(given.get(NEWER, ""))
    goes_back = bool(newer or given.get(OLDEST))
    place = newer if goes_back else older
    rows = _first(tables, place, newest_first=not goes_back)
    on_page, has_more = rows[:ON_A_PAGE], len(rows) > ON_A_PAGE
    if not on_page:
        return KeysetPage([], "", "")
    if goes_back:
        on_page.reverse()
    more_newer, more_older = (has_more, place) if goes_back else (place, has_more)
    return KeysetPage(
        on_page,
        newer=_text(on_page[0]) if more_newer else "",
        older=_text(on_page[-1]) if more_older else "",
    )


def _first(tables: Tables, place: Cursor | None, *, newest_first: bool) -> list[Line]:
    parts = [_beyond(lines, place, older=newest_first) for lines in tables]
    ordered = parts if newest_first else [lines.reverse() for lines in parts]
    rows = [line for lines in ordered for line in lines[: ON_A_PAGE + 1]]
    return sorted(rows, key=place_of, reverse=newest_first)[: ON_A_PAGE + 1]


def _beyond(lines: QuerySet[Line], place: Cursor | None, *, older: bool) -> QuerySet[Line]:
    if place is None:
        return lines
    time, rank = lines.model.TIME, lines.model.RANK
    past, back, span = ("lt", "gt", SHORTEST_SPAN) if older else ("gt", "lt", -SHORTEST_SPAN)
    if (rank > place.rank) if older else (rank < place.rank):
        return lines.filter(**{f"{time}__{past}e": place.at - span})
    found = lines.filter(**{f"{time}__{past}": place.at + span})
    if rank != place.rank:
        return found
    return found.exclude(**{f"{time}__{back}": place.at - span, f"pk__{back}e": place.pk})


def _text(line: Line) -> str:
    return f"{line.at:%Y-%m-%dT%H:%M:%S.%fZ}_{line.RANK}_{line.pk}"


def _place(text: str) -> Cursor | None:
    at, *numbers = text.split("_")
    try:
        moment = parse_datetime(at)
    except ValueError:
        return None
    rank, pk = numbers if len(numbers) == 2 else ("", "")
    number = whole_number(pk)
    if moment is None or not moment.tzinfo or rank not in ("0", "1") or not number:
        return None
    return Cursor(moment, int(rank), number)


app_name = "history"
urlpatterns = [path("", permission_required(MANAGE_SETTINGS)(show_workspace_history), name="list")]
