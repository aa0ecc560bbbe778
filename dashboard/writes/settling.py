"""Reconciles a write of unknown outcome: looks in the service for its result, and settles it.

An update or a deletion is settled by reading the record, as is a create whose answer named one. For
any other create a look finds possible duplicates, among which a person or a job selects.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models.functions import Now

from dashboard import sealed
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, Missing, Record
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.writes import reconciliation, verification
from dashboard.writes.reconciliation import Candidate

Resolution = Write.Resolution
RECONCILE_AT = (0, 3, 8, 15, 30)  # seconds after the outcome became unknown; effects may come late


@dataclass(frozen=True)
class Look:
    """What the service shows of a write: candidates of a create, or the record of another write.

    problem: why it could not be asked. gone: the record is not there. complete: all was searched.
    """

    candidates: Sequence[Candidate] = field(default_factory=tuple)
    problem: GatewayError | None = None
    gone: bool = False
    complete: bool = True


def next_reconciliation(write: Write) -> float | None:
    """Seconds until the service is looked at again for this write; None if the looks are over.

    Until then a late effect may still come. The database's clock decides.
    """
    now = Write.objects.filter(pk=write.pk).values_list(Now(), "done_at").first()
    if now is None or now[1] is None:
        return None
    passed = (now[0] - now[1]).total_seconds()
    return next((at - passed for at in RECONCILE_AT if at > passed), None)


def look(ctx: RequestContext, resource: Resource, write: Write) -> Look:
    """What the service shows now. Settles a write whose outcome that proves."""
    try:
        content = ledger.content_of(write)
    except sealed.Unreadable:
        return Look()
    try:
        if write.operation == "create":
            return _look_for_created(ctx, resource, write, content.body)
        record = read_record(ctx, resource, write, content)
    except Missing:
        if write.operation == "delete":
            settle(write, Resolution.FOUND)
        return Look(gone=True)
    except GatewayError as error:
        return Look(problem=error)
    if write.operation == "update" and reconciliation.was_updated(record, content.body):
        settle(write, Resolution.FOUND)
    return Look([reconciliation.compare(record, content.body)])


def read_record(
    ctx: RequestContext, resource: Resource, write: Write, content: ledger.Content
) -> Record:
    """The record of an update or deletion as it is in the service now. Raises GatewayError."""
    named = {resource.title_field: content.label} if write.operation == "update" else {}
    texts = reconciliation.search_texts(resource, content.before, content.body, named)
    return resource.read(ctx.gateway, write.record_id or 0, fresh=True, texts=texts)


def _look_for_created(
    ctx: RequestContext, resource: Resource, write: Write, body: dict[str, object]
) -> Look:
    if named := verification.named_id(write):
        try:
            if verification.read_created(ctx, resource, body, named):
                settle(write, Resolution.FOUND, named)
                return Look()
        except GatewayError:
            pass  # the search below may find it all the same
    search = reconciliation.find_candidates(ctx, resource, body)
    return Look(search.candidates, complete=search.complete)


def settle(write: Write, how: str, record_id: int | None = None) -> None:
    """Settle a write of unknown outcome once, with its draft."""
    if ledger.settle(write, how, record_id):
        drafts.mark_saved_by_token(write.person_id, write.token)
    write.refresh_from_db()
