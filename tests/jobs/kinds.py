"""Kinds of jobs for tests: one creates a contact for each row, one changes the name of contacts."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.rows import SentRow, Skipped, send_rows
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.schema.registry import RESOURCES
from dashboard.writes import writer

CONTACTS = RESOURCES["contacts"]


def create_contact(job_slice: Slice, content: Mapping[str, Any], token: str) -> SentRow:
    """Create the contact of a row; a name that begins with "skip" is skipped."""
    if content["label"].startswith("skip"):
        raise Skipped("It is to be skipped.")
    body = {"cstname": content["label"], "contact_type": 1}
    writer.create(ctx=job_slice.ctx, resource=CONTACTS, body=body, token=token)
    return SentRow()


def rename_contact(job_slice: Slice, content: Mapping[str, Any], token: str) -> SentRow:
    number, body = content["id"], {"cstname": content["name"]}
    with writer.reserve(job_slice.ctx, CONTACTS, number, token) as write:
        fresh = write.read()
        write.update(body)
    return SentRow(before={"cstname": fresh["cstname"]}, after=body)


KINDS = (
    JobKind(
        name="create contacts",
        run=partial(send_rows, send=create_contact),
        permission=EDIT_RECORDS,
    ),
    JobKind(
        name="rename contacts",
        run=partial(send_rows, send=rename_contact),
        permission=EDIT_RECORDS,
    ),
)
