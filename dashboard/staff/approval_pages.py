"""Asking for a change of an account, and the buttons by which a second administrator answers."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from dashboard.accounts import permissions as may
from dashboard.accounts.invitations import invite
from dashboard.accounts.models import AccountRequest, User
from dashboard.accounts.permissions import signed_in
from dashboard.staff import approvals, notices, people
from dashboard.staff.access import for_administrators

Kind = AccountRequest.Kind
NO_LINK = "A link goes to active accounts with an email address only."
DROPPED = "The request was dropped. Nothing has changed."
TAKEN = "Somebody else already has this email address, so the request was dropped."
ASKED = "This waits for {}. Nothing has changed yet."
ANOTHER = "another administrator of the workspace to approve it"
SUPERUSER = "a superuser to approve it, as no other administrator of the workspace can"


def can_get_link(request: HttpRequest, person: User) -> bool:
    """Whether a link for choosing a password can be mailed to a person; says so if not."""
    if person.is_active and person.email:
        return True
    messages.error(request, NO_LINK)
    return False


def ask(request: HttpRequest, person: User, kind: Kind, new_address: str = "") -> None:
    """Ask for a change of an account, which is locked, and say who has to approve it."""
    if kind == Kind.LINK and not can_get_link(request, person):
        return
    try:
        asked, words = approvals.ask(signed_in(request), person, kind, new_address)
    except ValidationError as refused:
        messages.info(request, refused.message)
        return
    notices.note(request, words, person)
    notices.tell_request(request, asked)
    messages.info(request, ASKED.format(_who_approves(asked)))


@for_administrators(may.CHANGE_STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve or decline a request. A second press on the page of the password only opens it."""
    if request.method != "POST":
        return redirect("staff:list")
    asked = approvals.find(pk, signed_in(request))
    name = request.POST.get("answer")
    if asked is None:
        messages.error(request, approvals.GONE)
        return redirect("staff:list")
    if name == "approve":
        _approve(request, asked)
    elif name == "decline":
        _decline(request, asked)
        messages.success(request, DROPPED)
    else:
        raise Http404("no such answer")
    return redirect("staff:person", asked.person_id)


def waiting_rows(request: HttpRequest, person: User | None = None) -> list[dict[str, Any]]:
    """What staff/_waiting.html shows of the requests, of all accounts or of one."""
    acting = signed_in(request)
    return [
        {
            "asked": asked,
            "words": approvals.words_of(asked),
            "until": approvals.ends_at(asked),
            "is_own": asked.asked_by == acting,
            "why_not": approvals.why_not(acting, asked),
        }
        for asked in approvals.waiting_for(acting, person)
    ]


def _approve(request: HttpRequest, asked: AccountRequest) -> None:
    person = asked.person
    if refusal := approvals.why_not(signed_in(request), asked):
        messages.error(request, refusal)
        return
    if asked.kind == Kind.LINK and not can_get_link(request, person):
        return
    try:
        with transaction.atomic():
            changes = approvals.approve(asked)
    except IntegrityError:
        messages.error(request, TAKEN)
        person.refresh_from_db()
        _decline(request, asked)
        return
    if asked.kind == Kind.LINK:
        invite(request, person)
    notices.note(request, changes, person)
    notices.tell(request, person, changes, to_administrators=True)
    messages.success(request, f"Approved: {approvals.words_of(asked)}.")


def _decline(request: HttpRequest, asked: AccountRequest) -> None:
    changes = approvals.decline(asked)
    notices.note(request, changes, asked.person)
    notices.tell(request, asked.person, changes, to_administrators=True)


def _who_approves(asked: AccountRequest) -> str:
    others = people.administrators_of(asked.person)
    able = [each for each in others if not each.is_superuser and not approvals.why_not(each, asked)]
    return ANOTHER if able else SUPERUSER
