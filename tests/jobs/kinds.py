"""Kinds of jobs for tests: one creates a contact for each row, one changes the name of contacts."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dashboard.jobs.kinds import JobKind, Turn
from dashboard.jobs.rows import Skipped, Written, take_rows
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.schema.registry import RESOURCES
from dashboard.writes import writer

CONTACTS = RESOURCES["contacts"]


def create_contact(turn: Turn, content: Mapping[str, Any], token: str) -> Written:
    """Create the contact of a row; a name that begins with "skip" is skipped."""
    if content["label"].startswith("skip"):
        raise Skipped("It is to be skipped.")
    body = {"cstname": content["label"], "contact_type": 1}
    writer.create(ctx=turn.ctx, resource=CONTACTS, body=body, token=token)
    return Written()


def rename_contact(turn: Turn, content: Mapping[str, Any], token: str) -> Written:
    """Give a contact another name."""
    number, body = content["id"], {"cstname": content["name"]}
    of_record: dict[str, Any] = {"ctx": turn.ctx, "resource": CONTACTS, "record_id": number}
    with writer.lock_for_form(**of_record, token=token, typed=body) as lock:
        if lock is None:
            return Written()
        fresh = CONTACTS.read(turn.ctx.gateway, number, fresh=True)
        writer.update(**of_record, body=body, token=token, lock=lock, fresh=fresh)
    return Written(before={"cstname": fresh["cstname"]}, after=body)


KINDS = (
    JobKind(
        name="create contacts",
        turn=partial(take_rows, send=create_contact),
        permission=EDIT_RECORDS,
    ),
    JobKind(
        name="rename contacts",
        turn=partial(take_rows, send=rename_contact),
        permission=EDIT_RECORDS,
    ),
)
