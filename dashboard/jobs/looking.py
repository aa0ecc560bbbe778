"""Looks in the service for rows of unknown outcome, and does what their person wants then.

A row is settled as saved only if one record is there that is equal in every field and that no other
write has made, and sent again only if nothing is there. It is sent again under a token of the first
write (repetitions.retry_token), so that neither a second press nor a dead worker sends it twice.
"""

from collections.abc import Mapping

from django.db.models import Exists, OuterRef, Q, QuerySet

from dashboard.declare.resource import Resource
from dashboard.gateway import GatewayError
from dashboard.jobs import outcomes, turns
from dashboard.jobs.kinds import Turn
from dashboard.jobs.models import Job, JobRow
from dashboard.ledger import looks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.sealed import readable
from dashboard.writes import settling
from dashboard.writes.settling import Look

State, Found, Plan = JobRow.State, JobRow.Found, JobRow.Plan
Resolution = Write.Resolution
# What a look must have shown before for the plan; a row of any other kind is only looked for.
NEEDS = {Plan.SETTLE: (Found.SAME,), Plan.SEND: (Found.NOTHING,), Plan.LOOK: Found.values}


def open_rows(job: Job, plan: str = Plan.LOOK) -> QuerySet[JobRow]:
    """The rows of unknown outcome that nobody has settled and that a plan can be made for."""
    unclear = {"state": Write.State.NOT_SURE, "resolution": Resolution.OPEN}
    writes = Write.objects.filter(token=OuterRef("token"), person=job.person_id, **unclear)
    rows = job.rows.filter(Exists(writes), state=State.NOT_SURE)
    return rows.filter(found__in=NEEDS[Plan(plan)]).order_by("number")


def look(turn: Turn, row: JobRow, resources: Mapping[str, Resource]) -> GatewayError | None:
    """Look for the result of one write, unless it may still have a late effect, and carry out the
    plan of the row. Returns why the service could not be asked.
    """
    write = ledger.find_by_token(row.token, turn.job.person)
    if write and looks.next_look(write) is not None:
        return None
    if write and write.owner != turn.job.owner:  # the keys have been replaced since
        row.found = Found.UNCLEAR
    elif write and write.resolution == Resolution.OPEN:
        seen = settling.look(turn.ctx, resources[write.resource], write)
        if isinstance(seen.problem, (*turns.WAITS, *turns.ASKS)):
            return seen.problem
        _note(row, write, seen)
        if write.resolution == Resolution.OPEN:
            _carry_out(row, write)
    row.looked, row.plan = row.state == State.NOT_SURE, Plan.LOOK
    if write and row.looked:
        outcomes.settle(row, turn.job)
    return None


def candidate_of(row: JobRow) -> int | None:
    """The record that a look has found for a row, if it is equal in every field."""
    return readable(row, "result").get("candidate")


def _note(row: JobRow, write: Write, seen: Look) -> None:
    """Note what a look has shown."""
    row.found, candidate = _found(write, seen)
    row.result = {**readable(row, "result"), "candidate": candidate}


def _found(write: Write, seen: Look) -> tuple[str, int | None]:
    if seen.problem or seen.gone or not seen.complete:
        return Found.UNCLEAR, None
    if write.operation != "create":  # one that was carried out is settled by now
        return Found.NOTHING, None
    made = _made_by_others(write, [one.record.id for one in seen.candidates])
    left = [one for one in seen.candidates if one.record.id not in made]
    if not left:
        return Found.NOTHING, None
    if len(left) == 1 and left[0].same and not left[0].differing:
        return Found.SAME, left[0].record.id
    return Found.UNCLEAR, None


def _made_by_others(write: Write, records: list[int]) -> set[int | None]:
    """Those of the records that another write from here has made."""
    made = Q(state=Write.State.SAVED) | Q(resolution=Resolution.FOUND)
    creates = Write.objects.filter(made, resource=write.resource, operation="create")
    others = creates.filter(record_id__in=records).exclude(pk=write.pk)
    return set(others.values_list("record_id", flat=True))


def _carry_out(row: JobRow, write: Write) -> None:
    """Settle a write that is there, or let the row be sent again if nothing is there."""
    if row.plan == Plan.SETTLE and row.found == Found.SAME:
        settling.settle(write, Resolution.FOUND, candidate_of(row))
    elif row.plan == Plan.SEND and row.found == Found.NOTHING:
        row.state, row.token, row.tries = State.WAITING, repetitions.retry_token(write), 0
