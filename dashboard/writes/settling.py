"""Reconciles a write of unknown outcome: looks in the service for its result, and settles it.

An update or a deletion is settled by reading the record, as is a create whose answer named one. For
any other create a look finds possible duplicates, among which a person or a job selects.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard import progress, sealed
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, Missing, Record
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission
from dashboard.writes import audit_entries, copies, reconciliation, verification
from dashboard.writes.reconciliation import Candidate

Settled = Submission.Settled


@dataclass(frozen=True)
class Look:
    """What the service shows of a write: candidates of a create, or the record of another write.

    problem: why it could not be asked. gone: the record is not there. complete: all was searched.
    """

    candidates: Sequence[Candidate] = field(default_factory=tuple)
    problem: GatewayError | None = None
    gone: bool = False
    complete: bool = True


def look(ctx: RequestContext, resource: Resource, submission: Submission) -> Look:
    """What the service shows now. Settles a write whose outcome that proves."""
    try:
        content = outbox.content_of(submission)
    except sealed.Unreadable:
        return Look()
    try:
        if submission.operation == "create":
            return _look_for_created(ctx, resource, submission, content.body)
        record = read_record(ctx, resource, submission, content)
    except Missing:
        if submission.operation == "delete":
            settle(submission, Settled.FOUND)
        return Look(gone=True)
    except GatewayError as error:
        return Look(problem=error)
    if submission.operation == "update" and reconciliation.was_updated(record, content.body):
        settle(submission, Settled.FOUND)
    return Look([reconciliation.compare(record, content.body)])


def read_record(
    ctx: RequestContext, resource: Resource, submission: Submission, content: outbox.Content
) -> Record:
    """The record of an update or deletion as it is in the service now. Raises GatewayError."""
    named = {resource.title_field: content.label} if submission.operation == "update" else {}
    texts = reconciliation.search_texts(resource, content.before, content.body, named)
    return resource.read(ctx.gateway, submission.record_id or 0, fresh=True, texts=texts)


def _look_for_created(
    ctx: RequestContext, resource: Resource, submission: Submission, body: dict[str, object]
) -> Look:
    if named := verification.named_id(submission):
        try:
            if verification.read_created(ctx, resource, body, named):
                settle(submission, Settled.FOUND, named)
                return Look()
        except GatewayError:
            pass  # the search below may find it all the same
    found = reconciliation.find_candidates(ctx, resource, body)
    return Look(found.candidates, complete=found.complete)


def settle(submission: Submission, how: str, record_id: int | None = None) -> None:
    """Settle a write of unknown outcome once, with its draft and its line in the history."""
    if outbox.settle(submission, how, record_id):
        drafts.mark_saved_by_token(submission.person_id, submission.token)
        if how == Settled.FOUND and submission.operation == "delete":
            progress.run(copies.keep, pk=submission.pk)
    submission.refresh_from_db()
    audit_entries.add(submission)  # if there is none yet
