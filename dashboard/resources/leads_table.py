"""Creates leads from a pasted table: each row is checked, shown and sent as a form of its own.

The page posts the rows' cells as `row-<key>-<field>`, and the keys in their order as `row`. The
token of a row's write is that of the page with the key behind it (outbox/services.py).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from dashboard.gateway import GatewayError, OutcomeUnknown, Rejected, whole_number
from dashboard.outbox.services import find_by_token, new_token
from dashboard.records.context import StaffRequest, context_of
from dashboard.records.form_input import FormOutcome, FormResult
from dashboard.records.forms.posted import posted_fields
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages import form_drafts, unresolved
from dashboard.records.pages.failures import in_words
from dashboard.records.pages.initial_values import initial_values
from dashboard.records.pages.rendering import record_context
from dashboard.records.resource import Resource
from dashboard.records.writes import writer
from dashboard.records.writes.stored_outcomes import SentBefore, StillSending

from .known_people import KNOWN_FIELDS, Known, Value, find_known
from .table_words import HEADINGS, MOST_ROWS, NOTES, read_table

LABEL = "Leads from a table"
ALWAYS = ("cstname", "cstemail", "cstmobile", "lead_company_name")
LONGEST = 20.0  # seconds of sending; the rows that are left wait for the next press
WAITS = "Not sent yet: the service is slow. Save again to go on."
NOTHING = "Nothing was sent: no row is ticked."
TWICE = "This is already further up in the table."
SAVED, UNSURE = "saved", "unsure"  # fields: what became of the rows that are not shown any more


@dataclass
class Row:
    """One row: its texts by field, whether it is to be saved, and what is told about it."""

    key: int
    cells: dict[str, str]
    is_kept: bool = True
    errors: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)


@dataclass
class Sheet:
    """The page: rows that are not saved yet, the fields that have a column, what is left of the
    paste, and what was saved ("17 Zoe Zebra": the lead's number and name) or not answered (the
    number of its page, and the name).
    """

    rows: list[Row] = field(default_factory=list)
    columns: list[str] = field(default_factory=lambda: list(ALWAYS))
    unmatched: list[str] = field(default_factory=list)
    more: str = ""
    saved: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether no row is left that is to be saved."""
        return not any(row.is_kept for row in self.rows)


def show_table(request: StaffRequest, resource: Resource) -> HttpResponse | FormResult:
    """The page that takes a table, shows its rows and saves them."""
    given = request.form_input
    if given.data is None:
        return _show(request, resource, Sheet())
    sheet = _typed_sheet(given.data)
    if given.show_only:
        _look_up(request, resource, sheet)  # what was saved before is there now
        return _show(request, resource, sheet)
    if sheet.is_done and sheet.more.strip():
        _read(request, resource, sheet)
    elif sheet.is_done:
        messages.info(request, NOTHING)
        return _show(request, resource, sheet)
    elif still_sending := _save(request, resource, sheet):
        return still_sending
    if sheet.is_done and not sheet.more:
        return FormResult(_show(request, resource, sheet), FormOutcome.COMPLETED)
    _store(request, sheet)
    return _show(request, resource, sheet)


def _read(request: StaffRequest, resource: Resource, sheet: Sheet) -> None:
    """Put the rows of the pasted text into the sheet."""
    table = read_table(sheet.more)
    sheet.rows = [Row(key, cells) for key, cells in enumerate(table.rows)]
    sheet.columns = [name for name in HEADINGS if name in (*ALWAYS, *table.columns)]
    sheet.unmatched, sheet.more = table.unmatched, table.more
    _look_up(request, resource, sheet)


def _look_up(request: StaffRequest, resource: Resource, sheet: Sheet) -> None:
    """Check the rows; those of people who are there, or twice in the table, are not to be saved."""
    asked = {row.key: _asked(row) for row in sheet.rows}
    found = find_known(request.gateway, [value for values in asked.values() for value in values])
    seen: set[str] = set()
    for row, form in zip(sheet.rows, _forms(request, resource, sheet.rows), strict=True):
        _check(row, form)
        keys = {value.key for value in asked[row.key]}
        row.known = list(dict.fromkeys(one for value in asked[row.key] for one in found[value]))
        if seen & keys:
            row.problems.append(TWICE)
        row.is_kept = row.is_kept and not (row.known or seen & keys)
        seen |= keys


def _asked(row: Row) -> list[Value]:
    """What is looked up: the email and the number, or the name of a row without either."""
    values = [Value(name, row.cells.get(name, "")) for name in KNOWN_FIELDS]
    filled = [value for value in values if value.key]
    return [value for value in filled if value.field != "cstname"] or filled


def _forms(request: StaffRequest, resource: Resource, rows: Iterable[Row]) -> list[RecordForm]:
    """The form of each row: that of a new lead as it begins, with the row's cells."""
    ctx, kind = context_of(request), resource.create_form
    begun = posted_fields(kind(ctx=ctx, initial=initial_values(request, resource)))
    forms = []
    for row in rows:
        data = begun.copy()
        for name, text in row.cells.items():
            data[name] = text
        forms.append(kind(data, ctx=ctx))
    return forms


def _check(row: Row, form: RecordForm) -> bool:
    """Whether the row can be sent; the reasons against it are put on the row."""
    for name, words in form.errors.items():
        if name in row.cells or name in ALWAYS:
            row.errors[name] = " ".join(map(str, words))
        else:
            row.problems += map(str, words)
    return not form.errors


def _save(request: StaffRequest, resource: Resource, sheet: Sheet) -> FormResult | None:
    """Send every row that is to be saved; those that are not saved stay in the sheet.

    Returns a redirect if another request is sending this very page.
    """
    token, until, left = request.form_input.token, monotonic() + LONGEST, []
    for row, form in zip(sheet.rows, _forms(request, resource, sheet.rows), strict=True):
        if not row.is_kept or not _check(row, form):
            left.append(row)
        elif monotonic() > until:
            row.problems.append(WAITS)
            left.append(row)
        else:
            try:
                if not _send(request, resource, sheet, row, form):
                    left.append(row)
            except StillSending:
                return unresolved.redirect_to(token)
    sheet.rows = left
    return None


def _send(
    request: StaffRequest, resource: Resource, sheet: Sheet, row: Row, form: RecordForm
) -> bool:
    """Create the lead of one row; False if it was not saved, with the reason on the row."""
    ctx, token = context_of(request), f"{request.form_input.token}:{row.key}"
    try:
        created = writer.create(ctx=ctx, resource=resource, body=form.payload(), token=token)
    except StillSending:
        raise
    except OutcomeUnknown:
        write = find_by_token(token, request.user)
        sheet.unsure.append(f"{write.pk if write else 0} {row.cells.get('cstname', '')}")
    except GatewayError as error:
        if isinstance(error, Rejected) and not isinstance(error, SentBefore):
            form.show_rejection(error)
            _check(row, form)
        else:
            row.problems.append(in_words(error, form.fields))
        return False
    else:
        sheet.saved.append(f"{created.id} {created.label}")
    return True


def _typed_sheet(data: QueryDict) -> Sheet:
    """What the page has posted."""
    names = [name for name in data.getlist("column") if name in HEADINGS]
    numbers = (whole_number(key, least=0, largest=9999) for key in data.getlist("row"))
    keys = list(dict.fromkeys(key for key in numbers if key is not None))[:MOST_ROWS]
    rows = [
        Row(
            key,
            {name: data.get(f"row-{key}-{name}", "") for name in names},
            is_kept=f"row-{key}-keep" in data,
        )
        for key in keys
    ]
    pasted = str(data.get("pasted", ""))
    saved, unsure = ([str(one) for one in data.getlist(name)] for name in (SAVED, UNSURE))
    return Sheet(rows, names or list(ALWAYS), more=pasted, saved=saved, unsure=unsure)


def _store(request: StaffRequest, sheet: Sheet) -> None:
    """Store the rows that are not saved as the draft of this page."""
    given = request.form_input
    mark = given.mark or form_drafts.new_mark(request, LABEL)
    data = QueryDict(mutable=True)
    data.setlist("row", [str(row.key) for row in sheet.rows])
    data.setlist("column", sheet.columns)
    for row in sheet.rows:
        for name, text in row.cells.items():
            data[f"row-{row.key}-{name}"] = text
        if row.is_kept:
            data[f"row-{row.key}-keep"] = "1"
    data["pasted"] = sheet.more
    data.setlist(SAVED, sheet.saved)
    data.setlist(UNSURE, sheet.unsure)
    if sheet.rows or sheet.more.strip():
        mark = form_drafts.store(mark, data)
    request.form_input = replace(given, mark=mark)


def _show(request: StaffRequest, resource: Resource, sheet: Sheet) -> HttpResponse:
    labels = {name: resource.create_form.base_fields[name].label for name in sheet.columns}
    context = {
        **record_context(request, resource),
        **form_drafts.form_context(request, LABEL),
        "sheet": sheet,
        "labels": labels,
        "long": ("cstaddress", NOTES),
        "most": MOST_ROWS,
        "token": new_token(),
        "saved": [(resource.url(number), name) for number, name in _numbered(sheet.saved)],
        "unsure": [(unresolved.address(number), name) for number, name in _numbered(sheet.unsure)],
    }
    return render(request, "resources/leads/table.html", context)


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The numbers and the names of lines such as "17 Zoe Zebra"."""
    for line in lines:
        text, _, name = line.partition(" ")
        if number := whole_number(text):
            yield number, name or f"#{number}"
