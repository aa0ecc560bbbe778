"""The pages of the staff accounts, for administrators."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.accounts import permissions as may
from dashboard.accounts.invitations import invite
from dashboard.accounts.models import User
from dashboard.accounts.permissions import signed_in
from dashboard.accounts.ways_in import may_use_password
from dashboard.audit import services as audit
from dashboard.drafts.services import count_unfinished
from dashboard.outbox.services import count_unresolved
from dashboard.records.context import workspace_of
from dashboard.records.pages.history import entry_line, office_of
from dashboard.staff import notices, people
from dashboard.staff.actions import ACTIONS
from dashboard.staff.forms import StaffForm

ON_A_PAGE = 50
LATEST = 8
NOTHING_TO_CONFIRM_WITH = "Add a passkey first: changes of accounts ask for it."
OWN = "Another administrator has to do this to your own account."

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def for_administrators(permission: str) -> Callable[[View[P]], View[P]]:
    """A page for those with the permission. What is posted waits until they have given their
    password again.
    """

    def guard(view: View[P]) -> View[P]:
        confirmed = reauthentication_required(view, enabled=lambda asked: asked.method == "POST")

        @wraps(view)
        def confirmable(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method == "POST" and not _can_confirm(request):
                messages.error(request, NOTHING_TO_CONFIRM_WITH)
                return redirect("mfa_index")
            return cast(HttpResponse, confirmed(request, *args, **kwargs))

        return cast("View[P]", never_cache(may.permission_required(permission)(confirmable)))

    return guard


def for_buttons_of(page: str) -> Callable[[View[P]], View[P]]:
    """A view for the buttons of a page, to which it leads when it is only opened: as by a second
    press on the page that asks for the password, after the first has carried out what was posted.
    """

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        @require_http_methods(["GET", "HEAD", "POST"])
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method != "POST":
                return redirect(reverse(page, kwargs=kwargs))
            return view(request, *args, **kwargs)

        return guarded

    return guard


def _can_confirm(request: HttpRequest) -> bool:
    """Whether the person has a password or a second step; after single sign-on one may lack both,
    and allauth then asks for nothing.
    """
    return bool(get_adapter(request).get_reauthentication_methods(request.user))


@for_administrators(may.CHANGE_STAFF)
@require_safe
def list_people(request: HttpRequest) -> HttpResponse:
    """The accounts, those in use first; ?q= searches."""
    query = request.GET.get("q", "").replace("\0", "").strip()
    found = people.search(people.visible_to(signed_in(request)), query)
    page = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(person, people.role_in_words(person), people.state_of(person)) for person in page]
    return render(request, "staff/list.html", {"rows": rows, "page": page, "query": query})


@for_administrators(may.ADD_STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def invite_person(request: HttpRequest) -> HttpResponse:
    """A form for a new account, whose owner is mailed a link for choosing a password."""
    posted = request.POST if request.method == "POST" else None
    form = StaffForm(posted, acting=signed_in(request))
    if _save(request, form, "create") is not None:
        _send_invitation(request, form.instance)
        return redirect("staff:person", form.instance.pk)
    status = 422 if posted is not None else 200
    return render(request, "staff/invite.html", {"form": form}, status=status)


@for_administrators(may.CHANGE_STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def show_person(request: HttpRequest, pk: int) -> HttpResponse:
    """One account: a form for name, address and role, what can be done to it, and its history."""
    person = get_object_or_404(people.visible_to(signed_in(request)), pk=pk)
    context = _facts(request, person)
    posted = request.POST if request.method == "POST" else None
    with transaction.atomic():
        form = StaffForm(posted, instance=person, acting=signed_in(request))
        changes = _save(request, form, "update")
    if changes is None:
        status = 422 if posted is not None else 200
        return render(request, "staff/person.html", {**context, "form": form}, status=status)
    notices.tell(request, person, changes, form.initial["email"])
    messages.success(request, f"{person.display_name} was saved.")
    return redirect("staff:person", pk)


@for_administrators(may.CHANGE_STAFF)
@require_safe
def confirm_deactivation(request: HttpRequest, pk: int) -> HttpResponse:
    """What deactivating an account does, and the button for it."""
    person = get_object_or_404(people.visible_to(signed_in(request)), pk=pk, is_active=True)
    if person == request.user:
        messages.error(request, OWN)
        return redirect("staff:person", pk)
    facts = {
        "title": f"Deactivate {person.display_name}?",
        "name": person.display_name,
        "person": person,
    }
    return render(request, "staff/deactivate.html", facts | _left_open(person))


@for_administrators(may.CHANGE_STAFF)
@for_buttons_of("staff:person")
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Carry out the action of the button that was pressed (actions.py), or send an invitation."""
    person = get_object_or_404(people.visible_to(signed_in(request)), pk=pk)
    name = request.POST.get("action", "")
    if person == request.user:
        messages.error(request, OWN)
    elif name == "invite":
        _send_invitation(request, person)
    elif name in ACTIONS:
        _carry_out(request, person, name)
    else:
        raise Http404("no such action")
    return redirect("staff:person", pk)


def _carry_out(request: HttpRequest, person: User, name: str) -> None:
    action, words = ACTIONS[name]
    try:
        with transaction.atomic():
            changes = action(person)
            notices.note(request, changes, person)
    except ValidationError as refused:
        messages.error(request, refused.message)
        return
    notices.tell(request, person, changes)
    messages.success(request, words.format(person.display_name))


def _save(
    request: HttpRequest, form: StaffForm, operation: str
) -> dict[str, tuple[str, str]] | None:
    """Store the account and note in the history what changed; returns that.

    None if the form has errors, also where another request has just taken the address.
    """
    if not form.is_valid():
        return None
    try:
        with transaction.atomic():
            person, changes = form.save(), notices.changes_of(form)
            notices.note(request, changes, person, operation)
            return changes
    except IntegrityError:
        form.full_clean()
        if form.is_valid():
            raise
        return None


def _send_invitation(request: HttpRequest, person: User) -> None:
    """Mail an active person a link for choosing a (new) password."""
    if not person.is_active or not person.email:
        messages.error(request, "A link goes to active accounts with an email address only.")
    else:
        link = invite(request, person)
        change = {link: ("", person.email)}
        notices.note(request, change, person)
        notices.tell_administrators(request, person, change)
        words = f"A {link[0].lower()}{link[1:]} is on its way to {person.email}."
        messages.success(request, words)


def _facts(request: HttpRequest, person: User) -> dict[str, Any]:
    """What the page shows beside the form."""
    entries = audit.of_office(audit.STAFF, person.pk, office=office_of(signed_in(request)))
    return {
        "title": person.display_name,
        "person": person,
        "is_own": person == request.user,
        "state": people.state_of(person),
        "may_use_password": may_use_password(person),
        "entries": [entry_line(entry, {}) for entry in entries[:LATEST]],
        **_left_open(person),
    }


def _left_open(person: User) -> dict[str, int]:
    """How many sessions and forms a person has open, and how many unresolved writes."""
    return {
        "sessions": people.open_sessions(person),
        "unfinished": count_unfinished(person, workspace_of(person)).total,
        "unresolved": count_unresolved(person),
    }


urls = (
    [
        path("", list_people, name="list"),
        path("invite/", invite_person, name="invite"),
        path("<int:pk>/", show_person, name="person"),
        path("<int:pk>/deactivate/", confirm_deactivation, name="deactivate"),
        path("<int:pk>/act/", act, name="act"),
    ],
    "staff",
)
