"""A person who leaves: what is theirs, what a colleague takes over, and what ends with the account.

`KINDS` is the one table of it. Whoever adds a model with a foreign key to the person adds a line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from dashboard.administration import actions
from dashboard.core import security_log
from dashboard.core.service_name import SERVICE
from dashboard.imports.models import Import
from dashboard.jobs import services as jobs
from dashboard.jobs.models import Job
from dashboard.lists import saved_lists
from dashboard.office import repeats
from dashboard.office.models import RecentRecord, SavedView
from dashboard.people import members
from dashboard.people.context import workspace_of
from dashboard.people.models import KeyPair, User
from dashboard.writes import deletions, drafts, ledger
from dashboard.writes.history import Changes
from dashboard.writes.models import Draft, Write

STAYS = "Stay with the account, and come back with it."


@dataclass(frozen=True)
class Kind:
    """Something that a person has.

    rows: the person's. becomes: what becomes of them, a sentence. end: ends one; whether it did.
    noted: how the history calls those that ended. hand: gives one to a colleague; whether it did.
    """

    label: str
    rows: Callable[[User], QuerySet[Any]]
    becomes: str
    end: Callable[[Any], bool] | None = None
    noted: str = ""
    hand: Callable[[Any, User], bool] | None = None


def home_of(person: User) -> str:
    """The id of the workspace whose colleagues can take something over; "" for none."""
    membership = members.of_user(person)
    return workspace_of(person) or (membership.workspace_id if membership else "")


def _views(person: User) -> QuerySet[SavedView]:
    return SavedView.objects.filter(user=person, workspace=home_of(person)).order_by("pk")


def _unsent(person: User) -> QuerySet[Write]:
    return deletions.of_person(person).filter(state=Write.State.WAITING)


def _open_jobs(person: User) -> QuerySet[Job]:
    ended = (Job.State.STOPPED, Job.State.FINISHED)
    return Job.objects.filter(person=person).exclude(state__in=ended)


def _end_job(job: Job) -> bool:
    if job.state == Job.State.PROPOSED:
        jobs.discard(job)
        return True
    return jobs.stop(job)


KINDS = (
    Kind(
        "Not sure",
        ledger.open_unresolved,
        "Only they can settle these here, with their own keys: let them do it first. Afterwards "
        f"somebody has to look in {SERVICE}. System status lists them until they are closed.",
    ),
    Kind(
        "Deletions not sent yet",
        _unsent,
        "Are not sent: the records stay.",
        end=deletions.cancel,
        noted="Deletions not sent",
    ),
    Kind(
        "Jobs that have not ended",
        _open_jobs,
        "Are stopped: what was not sent is not sent.",
        end=_end_job,
        noted="Jobs stopped",
    ),
    Kind(
        "Unfinished forms",
        lambda person: Draft.objects.filter(person=person, state=Draft.State.OPEN, sent_with=""),
        "Only they can open these. Kept until their time is over, and back with the account.",
    ),
    Kind(
        "Saved views",
        _views,
        "The colleague gets them. Without one, shared views stay, and nobody sees the others.",
        hand=saved_lists.hand_over,
    ),
    Kind(
        "Repeating documents and tasks",
        lambda person: repeats.of_person(person.pk, home_of(person)),
        "The colleague gets them. Without one, nobody is told when their day comes.",
        hand=repeats.hand_over,
    ),
    Kind(
        "Starred records",
        lambda person: RecentRecord.objects.filter(user=person, starred=True),
        STAYS,
    ),
    Kind("Imports", lambda person: Import.objects.filter(person=person), STAYS),
    Kind("API keys", lambda person: KeyPair.objects.filter(user=person), "Are removed."),
)


def lines_of(person: User) -> list[tuple[Kind, int]]:
    """What the person has, kind by kind, and how many, without kinds of which there is nothing."""
    return [(kind, many) for kind in KINDS if (many := kind.rows(person).count())]


def may_take_over(person: User, visible: QuerySet[User]) -> QuerySet[User]:
    """The active colleagues, of those who are visible, with keys of the person's workspace."""
    colleagues = visible.filter(is_active=True, key_pair__workspace=home_of(person))
    return colleagues.exclude(role="", is_superuser=False).exclude(pk=person.pk)


@transaction.atomic
def leave(
    person: User, colleague: User | None, *, by: User, close: bool
) -> tuple[Changes, Changes]:
    """End what ends, hand the rest to the colleague, deactivate the account; what changed of the
    person and of the colleague, for the history.

    close: settle what is Not sure as left as it is. Raises ValidationError for the last
    administrator.
    """
    changes = dict(actions.deactivate(person))
    taken: dict[str, tuple[str, str]] = {}
    ledger.mark_lost()
    for kind in KINDS:
        if kind.end:
            changes |= _noted(kind.noted, sum(map(kind.end, kind.rows(person))))
        if kind.hand and colleague:
            count = sum(kind.hand(row, colleague) for row in kind.rows(person))
            changes |= _noted(f"{kind.label} handed to {colleague.get_username()}", count)
            taken |= _noted(f"{kind.label} of {person.get_username()}", count)
    if close:
        closed = sum(map(_close, ledger.open_unresolved(person)))
        changes |= _noted("Not sure, closed", closed)
    changes |= actions.remove_keys(person)
    security_log.note("person left", person=person.pk, by=by.pk)
    return changes, taken


def _noted(words: str, count: int) -> dict[str, tuple[str, str]]:
    return {words: ("", str(count))} if count else {}


def _close(write: Write) -> bool:
    closed = ledger.settle(write, Write.Resolution.CLOSED)
    if closed:
        drafts.release_by_token(write.person_id, write.token)
    return closed
