"""Looks in the service for rows of unknown outcome, and does what their person wants then.

A row is settled as saved only if one record is there that is equal in every field and that no other
write has made, and sent again only if nothing is there. It is sent again under a token of the first
write (repetitions.retry_token), so that neither a second press nor a dead worker sends it twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from dashboard.declare.resource import Resource
from dashboard.gateway import GatewayError
from dashboard.jobs import row_results, turns
from dashboard.jobs.kinds import Turn
from dashboard.jobs.models import Job
from dashboard.ledger import repetitions
from dashboard.ledger.models import Write
from dashboard.sealed import readable, sealed_text
from dashboard.writes import settling

State, Resolution = Write.State, Write.Resolution
Found, Plan = Write.Found, Write.Plan
# What a look must have shown before for the plan; a row of any other kind is only looked for.
NEEDS = {Plan.SETTLE: (Found.SAME,), Plan.SEND: (Found.NOTHING,), Plan.LOOK: Found.values}


def open_rows(job: Job, plan: str = Plan.LOOK) -> QuerySet[Write]:
    """The rows of unknown outcome that nobody has settled and that a plan can be made for."""
    unclear = job.rows.filter(state=State.NOT_SURE, resolution=Resolution.OPEN)
    return unclear.filter(found__in=NEEDS[Plan(plan)]).order_by("number")


@dataclass
class RowLook:
    """What a look for a row has shown. `problem`: why the service could not be asked. `is_over`:
    there is nothing more to look for by itself.
    """

    row: Write
    problem: GatewayError | None = None
    is_over: bool = False

    def store(self) -> None:
        """Store it, and let the row be sent again if that is its plan and nothing is there."""
        row = self.row
        if not self.is_over or row.state != State.NOT_SURE:
            return
        send = row.plan == Plan.SEND and row.found == Found.NOTHING
        noted = {"found": row.found, "job_row": sealed_text(row, "job_row")}
        Write.objects.filter(pk=row.pk).update(reviewed=True, plan=Plan.LOOK, **noted)
        if send and not repetitions.repeat(row):
            repetitions.settle_as_sent_again(pk=row.pk)


def look(turn: Turn, row: Write, resources: Mapping[str, Resource]) -> RowLook:
    """Look for the result of one write, unless it may still have a late effect, and settle it if
    that is the plan of the row.
    """
    if settling.next_reconciliation(row) is not None:
        return RowLook(row)
    if row.owner != turn.job.owner:  # the keys have been replaced since
        row.found = Found.UNCLEAR
        return RowLook(row, is_over=True)
    seen = settling.look(turn.ctx, resources[row.resource], row)
    if isinstance(seen.problem, (*turns.WAITS, *turns.ASKS)):
        return RowLook(row, seen.problem)
    if row.resolution == Resolution.OPEN:
        row.found, candidate = _found(row, seen)
        row_results.note(row, candidate=candidate)
        if row.plan == Plan.SETTLE and row.found == Found.SAME:
            settling.settle(row, Resolution.FOUND, candidate)
    return RowLook(row, is_over=True)


def candidate_of(row: Write) -> int | None:
    """The record that a look has found for a row, if it is equal in every field."""
    return readable(row, "job_row").get("candidate")


def _found(write: Write, seen: settling.Look) -> tuple[str, int | None]:
    if seen.problem or seen.gone or not seen.complete:
        return Found.UNCLEAR, None
    if write.operation != "create":  # one that was carried out is settled by now
        return Found.NOTHING, None
    made_elsewhere = _made_by_others(write, [candidate.record.id for candidate in seen.candidates])
    unclaimed = [each for each in seen.candidates if each.record.id not in made_elsewhere]
    if not unclaimed:
        return Found.NOTHING, None
    if len(unclaimed) == 1 and unclaimed[0].same and not unclaimed[0].differing:
        return Found.SAME, unclaimed[0].record.id
    return Found.UNCLEAR, None


def _made_by_others(write: Write, records: list[int]) -> set[int | None]:
    """Those of the records that another write from here has made."""
    saved_create = {"state": State.SAVED, "operation": "create"}
    creates = Write.objects.filter(resource=write.resource, **saved_create)
    others = creates.filter(record_id__in=records).exclude(pk=write.pk)
    return set(others.values_list("record_id", flat=True))
