"""Imports and exports in the proof of jobs: how they begin, and what must come of them."""

from collections.abc import Iterator
from typing import Any

from dashboard.imports import import_file, sending
from dashboard.imports.checking import CheckedRecord, RowStatus
from dashboard.imports.rows import CheckedRow
from dashboard.jobs import exports
from dashboard.jobs.export_files import file_chunks
from dashboard.lists import fetch
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.resources.leads import LEADS
from dashboard.text.style import PLAIN
from tests.tables.files import read_table

FORMS = ("csv", "xlsx")
AGAIN = 10  # every so many rows names somebody who is there already


def begin_imports(
    ctx: RequestContext, mark: str, rows: int, there: list[dict[str, Any]]
) -> Iterator[Any]:
    """The jobs of two files: one whose rows are looked up as they are sent, and one that also
    changes the contacts `there` (id, cstname and cstemail).
    """
    if ctx.person is None:
        raise ValueError("An import is somebody's.")
    for kind, changed in (("l", []), ("c", there)):
        upload = import_file.create(ctx.person, ctx.workspace, "contacts", "list.csv", "Name\n")
        checked = [
            _new(f"{mark}{kind}{number:04}", number, [] if changed else there)
            for number in range(rows)
        ]
        checked += [_change(f"{mark}x{record['id']}", record["id"]) for record in changed]
        looks = kind == "l"
        yield sending.create_job(ctx, upload, checked, look_up=looks, update=not looks)


def _new(name: str, number: int, there: list[dict[str, Any]]) -> CheckedRecord:
    body = {"cstname": name, "contact_type": 1, "cstemail": f"{name}@import.example"}
    if there and number % AGAIN == AGAIN - 1:
        body["cstemail"] = there[number % len(there)]["cstemail"]
    return CheckedRecord([CheckedRow(number)], body=body, change={"cstname": name})


def _change(name: str, number: int) -> CheckedRecord:
    change = {"cstname": name}
    return CheckedRecord(
        [CheckedRow(number)],
        status=RowStatus.CHANGE,
        body=change,
        change=change,
        same=(number, name),
    )


def begin_exports(ctx: RequestContext) -> Iterator[Any]:
    """An export of all leads in each format."""
    if ctx.person is None:
        raise ValueError("An export is somebody's.")
    query, first, _ = fetch.begin(ctx, ListQuery.of(LEADS, ctx))
    for form in FORMS:
        params = {"content": "columns", "form": form, "notes": []}
        yield exports.create(ctx, ctx.person, query, first, params, f"leads.{form}")


def wrong_in_export(job: Any, leads: int) -> list[str]:
    """What is wrong with the file of an export: each lead is in it once."""
    if job.state != job.State.FINISHED:
        return []  # told already
    export = job.export
    rows = exports.stored_rows(export)
    table = read_table(b"".join(file_chunks(job.params["form"], rows, [], PLAIN)))
    breaches = [f"told: {job} warns: {words}" for words in export.warnings]
    different = {row.cells for row in table.rows}
    if not len(table.rows) == len(different) == leads:
        breaches.append(
            f"once: {job} has {len(table.rows)} rows ({len(different)} different), not {leads}"
        )
    return breaches
