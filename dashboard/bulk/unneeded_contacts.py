"""Deletes the contacts that a job has created for its rows once the rows themselves are undone.

A contact stays if anything is known to hang on it: a document or a deal that the service lists, an
open task, a record that was entered here and still refers to it; if something was typed into it; or
if any of this cannot be read.
"""

import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from dashboard import resources
from dashboard.bulk.sending import send_undo
from dashboard.context import RequestContext
from dashboard.gateway import (
    CONTACTS,
    DEALS,
    ESTIMATES,
    INVOICES,
    TASKS,
    GatewayError,
    Missing,
    OutcomeUnknown,
    Record,
    side_by_side,
)
from dashboard.gateway.endpoints import REFERENCES
from dashboard.gateway.records import read_id
from dashboard.jobs import turns
from dashboard.jobs.kinds import Turn
from dashboard.jobs.rows import take_rows
from dashboard.ledger import history
from dashboard.ledger.models import Write
from dashboard.reader.listing import result_of
from dashboard.reader.sealed_cache import owner_of
from dashboard.resources.tasks import OPEN_STATUSES
from dashboard.writes import writer

logger = logging.getLogger(__name__)

CREATED = "created"  # the parameter of a job with the contacts: [{"id": 17, "label": "Acorn"}]
TYPED = ("cstemail", "cstmobile", "cstaddress", "ct_taxnumber")  # empty in what a row has created
MOST_TASKS = 100


def undo_rows(turn: Turn) -> bool:
    """Undo the next rows of a job, and delete what was created for them after the last one; whether
    all is done.
    """
    return take_rows(turn, send=send_undo) and _delete_unneeded(turn)


def _delete_unneeded(turn: Turn) -> bool:
    """Delete the contacts that nothing hangs on; whether all were looked at in time."""
    for contact in turn.params.get(CREATED, ()):
        if time.monotonic() > turn.ends:
            return False
        token = f"unneeded:{turn.job.pk}:{contact['id']}"
        if not Write.objects.filter(token=token).exists():  # not in an earlier turn
            _delete_if_unneeded(turn, contact, token)
    return True


def _delete_if_unneeded(turn: Turn, contact: Mapping[str, Any], token: str) -> None:
    """Raises GatewayError where the job waits for the service or asks its person."""
    resource, number = resources.BY_NAME[CONTACTS.name], contact["id"]
    try:
        with writer.lock_record(resource, number, token) as lock:
            fresh = resource.read(turn.ctx.gateway, number, fresh=True, texts=(contact["label"],))
            if _is_needed(turn.ctx, fresh, contact["label"]):
                return
            writer.delete(
                ctx=turn.ctx,
                resource=resource,
                record_id=number,
                token=token,
                lock=lock,
                label=contact["label"],
                fresh=fresh,
            )
    except (*turns.WAITS, *turns.ASKS):
        raise
    except (Missing, OutcomeUnknown):
        return  # gone, or among those that are not sure
    except GatewayError as refused:
        logger.info("contact %s stays: %s", number, type(refused).__name__)


def _is_needed(ctx: RequestContext, contact: Record, label: str) -> bool:
    """Whether a contact is more than its name, or something is known to hang on it. Raises
    GatewayError.
    """
    if contact["cstname"] != label or any(contact.get(name) for name in TYPED):
        return True
    return _is_listed(ctx, contact.id) or _is_referred_to(ctx, contact.id)


def _is_listed(ctx: RequestContext, number: int) -> bool:
    """Whether the service lists a document, a deal or an open task of a contact."""
    gateway = ctx.gateway
    of_contact = [
        partial(gateway.list, each, filters={"cstid": number}, page_size=1)
        for each in (INVOICES, ESTIMATES, DEALS)
        if each.name not in ctx.closed_areas
    ]
    open_tasks = [
        partial(gateway.list, TASKS, filters={"status": status}, page_size=MOST_TASKS)
        for status in OPEN_STATUSES
        if TASKS.name not in ctx.closed_areas
    ]
    pages = list(map(result_of, side_by_side.run([*of_contact, *open_tasks])))
    documents, tasks = pages[: len(of_contact)], pages[len(of_contact) :]
    if any(page.records or page.unreadable_rows for page in documents):
        return True
    return any(task["cstid"] == number for page in tasks for task in page.records)


def _is_referred_to(ctx: RequestContext, number: int) -> bool:
    """Whether a record that was entered here refers to a contact still."""
    owner, latest = owner_of(ctx.gateway), dict[tuple[str, int], str]()
    for write in history.around_record(CONTACTS.name, number, owner=owner, workspace=ctx.workspace):
        if write.record_id:
            latest.setdefault((write.resource, write.record_id), write.operation)
    latest.pop((CONTACTS.name, number), None)
    left = (record for record, operation in latest.items() if operation != "delete")
    return any(_refers(ctx, name, record_id, number) for name, record_id in left)


def _refers(ctx: RequestContext, name: str, record_id: int, number: int) -> bool:
    """Whether a record is there and holds the id of a contact."""
    try:
        record = resources.BY_NAME[name].read(ctx.gateway, record_id, fresh=True)
    except Missing:
        return False
    fields = [each for each, endpoint in REFERENCES.items() if endpoint is CONTACTS]
    return any(read_id(record.get(field)) == number for field in fields)
