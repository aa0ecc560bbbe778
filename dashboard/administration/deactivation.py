"""The page that deactivates an account: what the person has, what a colleague takes over, and what
ends. A new model with a foreign key to the person needs a line in `LEFT_BEHIND`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.administration import actions, notices, staff_accounts
from dashboard.administration.access import for_administrators
from dashboard.core import security_log
from dashboard.core.service_name import SERVICE
from dashboard.imports.models import Import
from dashboard.jobs import services as jobs
from dashboard.jobs.leases import ENDED
from dashboard.jobs.models import Job
from dashboard.lists import saved_lists
from dashboard.office import repeats
from dashboard.office.models import RecentRecord, SavedView
from dashboard.people import members, sessions
from dashboard.people.models import KeyPair, User
from dashboard.people.permissions import signed_in
from dashboard.writes import deletions, drafts, ledger
from dashboard.writes.models import Write

Noted = dict[str, tuple[str, str]]
STAYS = "Kept, and restored if the account is reactivated."


@dataclass(frozen=True)
class LeftBehind:
    """A kind of rows that a person has. consequence: what happens to them, a sentence. close: ends
    one and returns whether it did. history_label: of the ended ones. reassign: gives one to a
    colleague and returns whether it did.
    """

    label: str
    rows: Callable[[User], QuerySet[Any]]
    consequence: str
    close: Callable[[Any], bool] | None = None
    history_label: str = ""
    reassign: Callable[[Any, User], bool] | None = None


def home_of(person: User) -> str:
    """Return the id of the workspace whose colleagues can take something over; "" for none."""
    membership = members.of_user(person)
    return person.workspace_id or (membership.workspace_id if membership else "")


def _end_job(job: Job) -> bool:
    if job.state == Job.State.PROPOSED:
        jobs.discard(job)
        return True
    return jobs.stop(job)


LEFT_BEHIND = (
    LeftBehind(
        "Not sure",
        ledger.open_unresolved,
        "Only they can resolve these, with their own keys. Ask them to do it first. Otherwise "
        f"check {SERVICE}. System status lists them until they are closed.",
    ),
    LeftBehind(
        "Pending deletions",
        lambda person: deletions.of_person(person).filter(state=Write.State.WAITING),
        "Cancelled. The records stay.",
        close=deletions.cancel,
        history_label="Deletions cancelled",
    ),
    LeftBehind(
        "Unfinished jobs",
        lambda person: Job.objects.filter(person=person).exclude(state__in=ENDED),
        "Stopped. Unsent rows stay unsent.",
        close=_end_job,
        history_label="Jobs stopped",
    ),
    LeftBehind(
        "Unfinished forms",
        drafts.open_drafts,
        "Only they can open these. Kept until they expire, and restored if the account is "
        "reactivated.",
    ),
    LeftBehind(
        "Saved views",
        lambda person: SavedView.objects.filter(user=person, workspace=home_of(person)),
        "Handed over to the colleague. Otherwise shared views are kept and the others are hidden.",
        reassign=saved_lists.hand_over,
    ),
    LeftBehind(
        "Recurring documents and tasks",
        lambda person: repeats.of_person(person.pk, home_of(person)),
        "Handed over to the colleague, unless they have their own for the same record. Otherwise "
        "no one is reminded of them.",
        reassign=repeats.hand_over,
    ),
    LeftBehind(
        "Starred records",
        lambda person: RecentRecord.objects.filter(user=person, starred=True),
        STAYS,
    ),
    LeftBehind("Imports", lambda person: Import.objects.filter(person=person), STAYS),
    LeftBehind("API keys", lambda person: KeyPair.objects.filter(user=person), "Removed."),
)


def lines_of(person: User) -> list[tuple[LeftBehind, int]]:
    return [(each, many) for each in LEFT_BEHIND if (many := each.rows(person).count())]


def may_take_over(person: User, visible: QuerySet[User]) -> QuerySet[User]:
    colleagues = visible.filter(is_active=True, key_pair__workspace=home_of(person))
    return colleagues.exclude(role="", is_superuser=False).exclude(pk=person.pk)


def end_or_reassign(person: User, colleague: User | None) -> tuple[Noted, Noted]:
    """End or reassign everything. Return the changes of the person and of the colleague, for the
    history.
    """
    changes: Noted = {}
    taken: Noted = {}
    ledger.end_lost()
    for each in LEFT_BEHIND:
        if each.close:
            changes |= _noted(each.history_label, sum(map(each.close, each.rows(person))))
        if each.reassign and colleague:
            count = sum(each.reassign(row, colleague) for row in each.rows(person))
            changes |= _noted(f"{each.label} handed to {colleague.get_username()}", count)
            taken |= _noted(f"{each.label} of {person.get_username()}", count)
    return changes, taken


def _noted(words: str, count: int) -> Noted:
    return {words: ("", str(count))} if count else {}


class Colleague(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic when run
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.display_name)


class DeactivationForm(forms.Form):
    colleague = Colleague(
        queryset=User.objects.none(), required=False, label="Hand over to", empty_label="No one"
    )
    close = forms.BooleanField(
        required=False,
        label=f"I've checked {SERVICE}. Close everything under Not sure.",
        help_text="History will show it as closed without action.",
    )

    def __init__(self, data: Any, *, person: User, acting: User) -> None:
        super().__init__(data)
        self.person = person
        colleagues = may_take_over(person, staff_accounts.visible_to(acting))
        field: Any = self.fields["colleague"]
        field.queryset = colleagues
        if not colleagues.exists():
            del self.fields["colleague"]
        if not ledger.open_unresolved(person).exists():
            del self.fields["close"]

    def clean(self) -> None:
        if staff_accounts.is_last_administrator(self.person):
            raise ValidationError(staff_accounts.LAST)


@for_administrators
def show_deactivation(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the person has and what happens to it; POST deactivates the account. Rows of a
    deactivated account can still be handed over, and its Not sure writes closed.
    """
    if request.method != "POST":
        return _answer(request, staff_accounts.changeable(pk, signed_in(request)))
    with transaction.atomic():
        return _answer(request, staff_accounts.lock(pk, signed_in(request)))


def _answer(request: HttpRequest, person: User) -> HttpResponse:
    if person == request.user:
        messages.error(request, staff_accounts.OWN)
        return redirect("staff:person", person.pk)
    posted = request.POST if request.method == "POST" else None
    form = DeactivationForm(posted, person=person, acting=signed_in(request))
    if form.is_valid():
        _deactivate(request, person, form)
        return redirect("staff:person", person.pk)
    context = {
        "title": f"Deactivate {person.display_name}",
        "person": person,
        "form": form,
        "lines": lines_of(person),
        "sessions": len(sessions.open_sessions(person)),
    }
    status = 422 if form.errors else 200
    return render(request, "administration/deactivate.html", context, status=status)


def _deactivate(request: HttpRequest, person: User, form: DeactivationForm) -> None:
    colleague: User | None = form.cleaned_data.get("colleague")
    home = home_of(person)
    changes, taken = end_or_reassign(person, colleague)
    if form.cleaned_data.get("close"):
        closed = sum(
            ledger.resolve_write(write, Write.Resolution.CLOSED)
            for write in ledger.open_unresolved(person)
        )
        changes |= _noted("Not sure, closed", closed)
    changes |= {**actions.set_active(person, active=False), **actions.remove_keys(person)}
    acting = signed_in(request)
    message = "Saved. History shows what was closed or handed over."
    if "Active" in changes:
        security_log.record_event("account deactivated", person=person.pk, by=acting.pk)
        message = f"{person.display_name} can no longer sign in."
    notices.record_and_notify(request, changes, person, workspace=home)
    if colleague:
        notices.record_and_notify(request, taken, colleague, workspace=home)
    messages.success(request, message)
