"""Reads a record after it was written, and compares it with what was sent.

A write of unknown outcome is resolved by that: an update or a deletion by its record, as is a
create whose answer named one. For any other create possible duplicates are found, among which a
person or a job selects.

A create is confirmed before it counts as Saved: its answer may name another record, or none. For
other differences the person is told: between the last read and the write, someone outside this
dashboard may have written the record, and the service may have stored only a part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max
from django.db.models.functions import Coalesce, Now

from dashboard.core import sealed
from dashboard.core.sealed import readable
from dashboard.core.service_name import SERVICE
from dashboard.gateway import Created, GatewayError, Missing, OutcomeUnknown, Record
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.schema.resource import Resource
from dashboard.writes import ledger, reconciliation
from dashboard.writes.models import Write
from dashboard.writes.reconciliation import Candidate, Verification

RECONCILE_AT = (0, 3, 8, 15, 30)  # seconds after the outcome became unknown; effects may come late

Body = Mapping[str, Any]


NAMES_NO_RECORD = "the answer names no record"
CLOCKS_DIFFER = timedelta(minutes=1)  # by how much the service's clock may be behind


class Unconfirmed(OutcomeUnknown):
    """The service answered a create with success, but a read does not confirm it.

    named: the id in its answer, None without one.
    """

    def __init__(self, *, reason: str, named: int | None = None) -> None:
        super().__init__(reason=reason)
        self.named = named


def confirm_created(
    ctx: RequestContext, resource: Resource, row: Write, body: Body, created: Created
) -> Created:
    """Return the answer to a create with the id of the record.

    The record in the answer counts if its title or number agrees, even if other fields differ or it
    cannot be read: a retry would duplicate it. Raises Unconfirmed if the answer names another one,
    or, without an id, unless exactly one new record equals what was sent.
    """
    if created.id is None:
        return _find_created(ctx, resource, row, body, created)
    try:
        record = read_created(ctx, resource, body, created.id, created.label)
    except GatewayError:
        if reconciliation.is_title(resource, body, created.label):
            return created
        reason = "the record in the answer cannot be read"
        raise Unconfirmed(reason=reason, named=created.id) from None
    if record is None:
        named = created.id if reconciliation.is_title(resource, body, created.label) else None
        raise Unconfirmed(reason="the answer names another record", named=named)
    return created


def read_created(
    ctx: RequestContext, resource: Resource, body: Body, record_id: int, number: str = ""
) -> Record | None:
    """Return the record with this id if this body may have created it. Raises GatewayError.

    number: its title or number in the answer.
    """
    texts = reconciliation.search_texts(resource, body)
    record = resource.read(ctx.gateway, record_id, fresh=True, texts=texts)
    if not reconciliation.may_be_created(resource, record, body, number):
        return None
    if "get" in resource.endpoint.operations:
        lookups.cache_record(ctx.gateway, resource.endpoint, record)
    lookups.keep_confirmed(ctx.gateway, resource.endpoint, record)
    return record


def _find_created(
    ctx: RequestContext, resource: Resource, row: Write, body: Body, created: Created
) -> Created:
    try:
        candidates = reconciliation.find_candidates(ctx, resource, body).candidates
    except GatewayError:
        candidates = []
    record = _new_and_equal(row, candidates)
    if record is None:
        raise Unconfirmed(reason=NAMES_NO_RECORD)
    return replace(created, id=record.id, label=created.label or resource.title(record))


def _new_and_equal(row: Write, candidates: Sequence[Candidate]) -> Record | None:
    """Return the only record that equals what was sent and is newer than it: by its own time, or
    without one by its id, which is above those of all earlier writes. No other write has made it.
    """
    equal = [each.record for each in candidates if not each.differing]
    others = Write.objects.filter(workspace=row.workspace, resource=row.resource)
    others = others.filter(record_id__isnull=False).exclude(pk=row.pk)
    made = set(
        others.filter(record_id__in=[each.id for each in equal]).values_list("record_id", flat=True)
    )
    last = others.aggregate(Max("record_id"))["record_id__max"] or 0
    begun = row.asked_at - CLOCKS_DIFFER

    def is_new(record: Record) -> bool:
        created = record.get("cstcreated_on")
        return created >= begun if isinstance(created, datetime) else record.id > last

    new = [each for each in equal if each.id not in made and is_new(each)]
    return new[0] if len(new) == 1 else None


def named_id(write: Write) -> int | None:
    """Return the id in the answer to an unconfirmed create; None without one."""
    named = readable(write, "answer").get("named")
    return named if isinstance(named, int) else None


def verify_saved(ctx: RequestContext, resource: Resource, record: Record) -> list[str]:
    """Return warnings for the person who has just saved this record; usually none."""
    if ctx.person is None:
        return []
    saved = ledger.just_saved(ctx.person, resource.name, record.id)
    body = readable(saved, "content").get("body", {}) if saved else {}
    forms = resource.fields
    return [
        f"Saved, but {SERVICE} now shows {_quoted(record, name)} for "
        f"{forms[name].label if name in forms else name}. Someone may have changed it at the same "
        "time, or part of it was ignored. Please check."
        for name in reconciliation.differing_fields(record, body)
    ]


def _quoted(record: Record, name: str) -> str:
    value = reconciliation.values_as_text(record, [name])[name]
    return f"“{value}”" if value else "nothing"


def next_reconciliation(write: Write) -> float | None:
    """Return the seconds until the next check of this write; None if the checks are over.

    Until then a late effect may still come. The database's clock decides. One that a process has
    left just now has no end yet.
    """
    now = Write.objects.filter(pk=write.pk).values_list(Now(), Coalesce("done_at", Now())).first()
    if now is None:
        return None
    passed = (now[0] - now[1]).total_seconds()
    return next((at - passed for at in RECONCILE_AT if at > passed), None)


def verify(ctx: RequestContext, resource: Resource, write: Write) -> Verification:
    """Check the service now; `Verification.saved_id` if that proves that it was saved."""
    try:
        content = ledger.content_of(write)
    except sealed.DecryptionError:
        return Verification(sealed=True)
    try:
        if write.operation == "create":
            return _verify_create(ctx, resource, write, content.body)
        is_deletion = write.operation == "delete"
        texts = search_texts(resource, write, content)
        record = resource.read(ctx.gateway, write.record_id or 0, fresh=True, texts=texts)
    except Missing:
        return Verification(gone=True, saved_id=write.record_id if is_deletion else None)
    except GatewayError as error:
        return Verification(problem=error)
    was_updated = not is_deletion and reconciliation.was_updated(record, content.body)
    saved_id = record.id if was_updated else None
    return Verification([reconciliation.compare(record, content.body)], saved_id=saved_id)


def search_texts(resource: Resource, write: Write, content: ledger.Content) -> tuple[str, ...]:
    """Return the texts that find the record of an update or deletion."""
    named = {resource.title_field: content.label} if write.operation == "update" else {}
    return reconciliation.search_texts(resource, content.before, content.body, named)


def _verify_create(
    ctx: RequestContext, resource: Resource, write: Write, body: dict[str, object]
) -> Verification:
    if named := named_id(write):
        try:
            if read_created(ctx, resource, body, named):
                return Verification(saved_id=named)
        except GatewayError:
            pass  # the search below may find it all the same
    found = reconciliation.find_candidates(ctx, resource, body)
    if write.error_summary == NAMES_NO_RECORD:
        record = _new_and_equal(write, found.candidates)
        return replace(found, saved_id=record.id if record else None)
    return found
