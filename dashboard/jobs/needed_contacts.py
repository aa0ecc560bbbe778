"""Contacts that rows of a job need: found by their name, or created before the row is sent."""

from threading import Lock

from django.db.models import Q

from dashboard.gateway import CONTACTS, OutcomeUnknown
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.jobs.kinds import Turn
from dashboard.jobs.rows import Skipped
from dashboard.reader import find
from dashboard.reader.find import MOST_MATCHES, Match, called
from dashboard.schema.registry import RESOURCES
from dashboard.writes import ledger, writer
from dashboard.writes.models import Write
from dashboard.writes.outcomes import StillSending

SEVERAL = "There may be several {} called “{}”. {}"
NOT_SURE = "It is not sure whether the {} “{}” was created: see Not sure. {}"
NOUNS = {INDIVIDUAL: ("person", "people"), BUSINESS: ("business", "businesses")}
ENDS = {INDIVIDUAL: ":person", BUSINESS: ":company"}
"""What ends the token of the write of a contact, by its type."""
_one_at_a_time = Lock()  # a worker has the whole turn of a job: no other process creates for it


def find_or_create(turn: Turn, name: str, kind: int, token: str, *, else_do: str) -> int:
    """The id of the contact of that name and type, which is created if there is none; one at a
    time, so that each row sees those before it. Raises Skipped and GatewayError.
    """
    with _one_at_a_time:
        found = find.search(turn.ctx.gateway, CONTACTS, name, {"type": str(kind)})
        return the_one_or_new(turn, found, name, kind, token, else_do=else_do)


def the_one_or_new(
    turn: Turn, found: list[Match], name: str, kind: int, token: str, *, else_do: str
) -> int:
    """The id of the one contact of that name among those that were found; created if there is none.
    `token`: of the row that needs it. `else_do`: what to do where a person must decide. Raises
    Skipped.
    """
    same = called(found, name)
    if len(same) == 1:
        return same[0].id
    if same or len(found) >= MOST_MATCHES:
        raise Skipped(SEVERAL.format(NOUNS[kind][1], name, else_do))
    created = _created_before(turn, name, kind)
    return created or _create(turn, name, kind, token, else_do)


def _create(turn: Turn, name: str, kind: int, token: str, else_do: str) -> int:
    contacts = RESOURCES[CONTACTS.name]
    body = {"cstname": name, "contact_type": kind}
    try:
        made = writer.create(ctx=turn.ctx, resource=contacts, body=body, token=token + ENDS[kind])
    except StillSending:
        raise
    except OutcomeUnknown:
        raise Skipped(NOT_SURE.format(NOUNS[kind][0], name, else_do)) from None
    if made.id is None:
        raise Skipped(NOT_SURE.format(NOUNS[kind][0], name, else_do))
    return made.id


def created_by(job: int | None) -> list[Write]:
    """The writes that have created the contacts of a job's rows."""
    ends = Q(*(("token__endswith", end) for end in ENDS.values()), _connector=Q.OR)
    return list(Write.objects.filter(ends, job=job, state=Write.State.SAVED).order_by("pk"))


def _created_before(turn: Turn, name: str, kind: int) -> int | None:
    """The contact that this job has created for another row, or for this one in a turn that was
    broken off, as a search may not find what was just created.
    """
    written = Write.objects.filter(job=turn.job.pk, token__endswith=ENDS[kind])
    for row in written.filter(state=Write.State.SAVED):
        if ledger.label_of(row).casefold() == name.casefold():
            return row.record_id
    return None
