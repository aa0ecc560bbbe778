"""Contacts that rows of a job need, found by name or created before the row is sent."""

from threading import Lock

from dashboard.core import sealed
from dashboard.gateway import CONTACTS, OutcomeUnknown
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.jobs.kinds import Slice
from dashboard.jobs.models import Job
from dashboard.jobs.rows import Skipped
from dashboard.reader import find, identity
from dashboard.reader.find import MAX_MATCHES, Match, exact_matches
from dashboard.schema.new_record import build_body
from dashboard.schema.registry import RESOURCES
from dashboard.writes import ledger, retries, writer
from dashboard.writes.ledger import InFlight
from dashboard.writes.models import Write

State = Write.State
AMBIGUOUS = "There may be several {} called “{}”. {}"
NOT_SURE = "We don't know if the {} “{}” was created. Check it under Not sure. {}"
NOUNS = {INDIVIDUAL: ("person", "people"), BUSINESS: ("business", "businesses")}
_one_at_a_time = Lock()  # a worker has the whole slice of a job: no other process creates for it


def find_or_create(job_slice: Slice, name: str, kind: int, *, else_do: str) -> int:
    """Return the id of the contact of that name and type, created if missing; one at a time, so
    that each row sees those before it. Raises Skipped and GatewayError.
    """
    with _one_at_a_time:
        found = find.search(job_slice.ctx.gateway, CONTACTS, name, {"type": str(kind)})
        return get_or_create_unique(job_slice, found, name, kind, else_do=else_do)


def get_or_create_unique(
    job_slice: Slice, found: list[Match], name: str, kind: int, *, else_do: str
) -> int:
    """Return the id of the only match of that name; created without one. `else_do`: advice if a
    person must decide. Raises Skipped and GatewayError.
    """
    same = exact_matches(found, name)
    if len(same) == 1:
        return same[0].id
    if same or len(found) >= MAX_MATCHES:
        raise Skipped(AMBIGUOUS.format(NOUNS[kind][1], name, else_do))
    created = _create_once(job_slice, name, kind)
    if created is None:
        raise Skipped(NOT_SURE.format(NOUNS[kind][0], name, else_do))
    return created


def created_for(job: int) -> list[Write]:
    created = Write.objects.filter(job=job, number=None, operation="create", state=State.SAVED)
    return list(created.order_by("pk"))


def _create_once(job_slice: Slice, name: str, kind: int) -> int | None:
    """Create a contact once for all rows of the job, as a search may not find it yet. Return its
    id; None if that is not sure.
    """
    token = _token(job_slice.job, name, kind)
    first = ledger.find_by_token(token, job_slice.job.person)
    if first:
        latest = ledger.refreshed(retries.sent_again(first) or first)
        if latest.state == State.SENDING:
            raise InFlight(reason="the contact is being created")
        if latest.state != State.NOT_SAVED and latest.resolution != Write.Resolution.CLOSED:
            return latest.record_id if latest.state == State.SAVED else None
        token = retries.retry_token(first)
    contacts = RESOURCES[CONTACTS.name]
    body = build_body(job_slice.ctx, contacts, {"cstname": name, "contact_type": kind})
    try:
        return writer.create(ctx=job_slice.ctx, resource=contacts, body=body, token=token).id
    except InFlight:
        raise
    except OutcomeUnknown:
        return None


def _token(job: Job, name: str, kind: int) -> str:
    """Return the token of the write that creates the contact, so that later rows find it."""
    text = f"{job.pk} {kind} {identity.key('cstname', name)}"
    return sealed.marks_of(text, "contacts of jobs")[0]
