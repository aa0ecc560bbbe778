"""The job that sends the rows of an import, each as a new record."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction

from dashboard.imports import duplicates
from dashboard.imports.checking import CheckedRecord, RowStatus
from dashboard.imports.models import Import
from dashboard.imports.targets import edit_name
from dashboard.imports.undoing import can_undo
from dashboard.jobs import services
from dashboard.jobs.bulk_rows import send_change
from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.models import Job
from dashboard.jobs.needed_contacts import find_or_create
from dashboard.jobs.rows import SentRow, Skipped, send_rows
from dashboard.office.reference_fields import ReferencesField
from dashboard.people.context import RequestContext
from dashboard.people.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes import writer

KIND, TYPED = "import", "typed"
CHOOSE = "Import this row again and choose the right record."
UNCHANGED = "Not changed: {}. Only used for a new {}."
THERE = "Already exists."
MAY_EXIST = (
    "This may be a duplicate: {} has the same name or email. Import the row again with “Create "
    "duplicates” if it is another one."
)


def create_job(
    ctx: RequestContext,
    found: Import,
    records: Sequence[CheckedRecord],
    *,
    look_up: bool,
    update: bool,
) -> Job | None:
    """Store and start the job of an import; a second call returns the first job. None if the file
    was discarded.

    `look_up`: search for each record before it is sent; those of the other rows are not in its way.
    `update`: update an existing record. Raises django.db.Error.
    """
    resource = RESOURCES[found.resource]
    with transaction.atomic():
        stored = Import.objects.filter(pk=found.pk, discarded_at=None)
        locked = stored.select_for_update().first()
        if locked is None or locked.job:
            return locked.job if locked else None
        locked.job = services.create(
            ctx,
            kind=KIND if found.person.has_perm(EXPORT_RECORDS) else TYPED,
            title=f"Import {resource.counted(len(records))}",
            resource=resource.name,
            params={
                "look_up": look_up,
                "update": update,
                "in_file": [_digest(resource, record) for record in records if look_up],
            },
            rows=[_content(resource, record) for record in records],
        )
        locked.table = None
        locked.save(update_fields=["job", "table"])
    return locked.job


def send_row(job_slice: Slice, content: Mapping[str, Any], token: str) -> SentRow:
    resource, body = RESOURCES[job_slice.job.resource], dict(content["body"])
    created = _create_needed(job_slice, content.get("creates", {}))
    body |= created
    number = content["id"]
    if not number and job_slice.params["look_up"]:
        wanted = {**body, **content["known_by"]}
        record, similar = duplicates.search(
            job_slice.ctx.gateway, resource, wanted, job_slice.params["in_file"]
        )
        number = record.id if record else None
        also = duplicates.also_of(resource)
        if not number and also and duplicates.search(job_slice.ctx.gateway, also, body)[0]:
            raise Skipped(THERE)
        if similar:
            raise Skipped(MAY_EXIST.format(resource.title(similar)), similar.id)
    if number and not (content["id"] or job_slice.params["update"]):
        raise Skipped(THERE, number)
    if number:
        change = {name: content[name] for name in ("label", "seen")}
        changed = {edit_name(resource, name): made for name, made in created.items()}
        change |= {"id": number, "set": {**content["change"], **changed}}
        change |= {"add": content.get("add", {})}
        return _change(job_slice, change, token, content.get("unchanged", []))
    writer.create(ctx=job_slice.ctx, resource=resource, body=body, token=token)
    return SentRow()


def _change(
    job_slice: Slice, change: Mapping[str, Any], token: str, unchanged: Sequence[str]
) -> SentRow:
    noun = RESOURCES[job_slice.job.resource].singular
    words = UNCHANGED.format(", ".join(unchanged), noun) if unchanged else ""
    try:
        return replace(send_change(job_slice, change, token), words=words)
    except Skipped as skipped:
        raise Skipped(f"{skipped.words} {words}".strip(), skipped.record_id) from None


def _create_needed(job_slice: Slice, creates: Mapping[str, Any]) -> dict[str, int]:
    return {
        name: find_or_create(job_slice, called, kind, else_do=CHOOSE)
        for name, (kind, called) in creates.items()
    }


def _content(resource: Resource, record: CheckedRecord) -> dict[str, Any]:
    number = record.same.id if record.same and record.status == RowStatus.CHANGE else None
    fields = resource.edit_form.base_fields
    several = [name for name in record.change if isinstance(fields[name], ReferencesField)]
    return {
        "label": _label(resource, record),
        "row": record.number,
        "unchanged": record.unchanged,
        "known_by": record.known_by,
        "id": number,
        "seen": record.seen,
        "body": record.body,
        "creates": record.creates,
        "add": {name: record.change[name] for name in several},
        "change": {name: record.change[name] for name in record.change if name not in several},
    }


def _digest(resource: Resource, record: CheckedRecord) -> str:
    return duplicates.identity_of(resource, {**record.body, **record.known_by}).digest


def _label(resource: Resource, record: CheckedRecord) -> str:
    return record.label or str(record.body.get(resource.title_field) or f"Row {record.number}")


KINDS = (
    JobKind(
        name=KIND,
        run=partial(send_rows, send=send_row),
        permission=EXPORT_RECORDS,
        undo="imports:undo",
        can_undo=can_undo,
    ),
    JobKind(
        name=TYPED,
        run=partial(send_rows, send=send_row),
        permission=EDIT_RECORDS,
    ),
)
