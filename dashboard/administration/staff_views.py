"""The pages of the staff accounts, for administrators."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from dashboard.administration import actions, deactivation, invitations, notices, staff_accounts
from dashboard.administration.access import for_administrators, post_only_from
from dashboard.administration.staff_forms import StaffForm
from dashboard.people import sessions
from dashboard.people.models import User
from dashboard.people.permissions import signed_in
from dashboard.people.sign_in import may_use_password
from dashboard.text.plain import typed_text
from dashboard.writes.sidebar import read_sidebar

PAGE_SIZE = 50
NO_LINK = "Links can only be sent to active accounts with an email address."


@for_administrators
@require_safe
def list_people(request: HttpRequest) -> HttpResponse:
    query = typed_text(request.GET, "q")
    listed = staff_accounts.search(staff_accounts.visible_to(signed_in(request)), query)
    page = Paginator(listed, PAGE_SIZE).get_page(request.GET.get("page"))
    rows = [(person, staff_accounts.state_of(person)) for person in page]
    return render(
        request, "administration/staff.html", {"rows": rows, "page": page, "query": query}
    )


@for_administrators
def show_person(request: HttpRequest, pk: int) -> HttpResponse:
    if request.method == "POST":
        return _change_person(request, pk)
    person = staff_accounts.changeable(pk, signed_in(request))
    form = StaffForm(instance=person, acting=signed_in(request))
    return render(request, "administration/person.html", {**_facts(request, person), "form": form})


@transaction.atomic
def _change_person(request: HttpRequest, pk: int) -> HttpResponse:
    person = staff_accounts.lock(pk, signed_in(request))
    context, former, workspace = _facts(request, person), person.email, person.workspace_id
    form = StaffForm(request.POST, instance=person, acting=signed_in(request))
    changes = _save(form)
    if changes is None:
        return render(request, "administration/person.html", {**context, "form": form}, status=422)
    if person.email != former and person != request.user:
        changes |= actions.revoke_access(person)
    notices.record_and_notify(request, changes, person, workspace=workspace)
    messages.success(request, f"{person.display_name} was saved.")
    return redirect("staff:person", pk)


@for_administrators
@post_only_from("staff:person")
@transaction.atomic
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Run the action of the pressed button (actions.py), or send an invitation."""
    person = staff_accounts.lock(pk, signed_in(request))
    name = request.POST.get("action", "")
    if person == request.user:
        messages.error(request, staff_accounts.OWN)
    elif name == "invite":
        _send_invitation(request, person)
    elif name in actions.ACTIONS:
        _carry_out(request, person, name)
    else:
        raise Http404("no such action")
    return redirect("staff:person", pk)


def _carry_out(request: HttpRequest, person: User, name: str) -> None:
    action, words = actions.ACTIONS[name]
    workspace, changes = person.workspace_id, action(person)
    notices.record_and_notify(request, changes, person, workspace=workspace)
    messages.success(request, words.format(person.display_name))


def _save(form: StaffForm) -> dict[str, tuple[str, str]] | None:
    """Store the account and return the changes; None if the form has errors, also where another
    request has just taken the address.
    """
    if not form.is_valid():
        return None
    try:
        with transaction.atomic():
            form.save()
    except IntegrityError:
        form.full_clean()
        if form.is_valid():
            raise
        return None
    return notices.changes_of(form)


def _send_invitation(request: HttpRequest, person: User) -> None:
    if not (person.is_active and person.email):
        messages.error(request, NO_LINK)
        return
    link = invitations.send_link(request, person)
    messages.success(request, f"We've emailed a {link[0].lower()}{link[1:]} to {person.email}.")


def _facts(request: HttpRequest, person: User) -> dict[str, Any]:
    return {
        "title": person.display_name,
        "person": person,
        "is_own": person == request.user,
        "state": staff_accounts.state_of(person),
        "may_use_password": may_use_password(person),
        "sessions": len(sessions.open_sessions(person)),
        "sidebar": read_sidebar(person, person.workspace_id),
    }


app_name = "staff"
urlpatterns = [
    path("", list_people, name="list"),
    path("invite/", invitations.invite_people, name="invite"),
    path("<int:pk>/", show_person, name="person"),
    path("<int:pk>/deactivate/", deactivation.show_deactivation, name="deactivate"),
    path("<int:pk>/act/", act, name="act"),
]
