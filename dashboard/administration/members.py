"""The page Members: the members of the workspace of an administrator's own keys."""

from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from dashboard.administration import notices, staff_accounts
from dashboard.administration.access import for_administrators, post_only_from
from dashboard.people import members
from dashboard.people.keys import own_workspace
from dashboard.people.models import User, Workspace
from dashboard.people.permissions import View, signed_in

INVITED = (
    "{person.display_name} was invited by email. They join by connecting API keys, or with a button"
    " under Connection."
)


class AddForm(forms.Form):
    use_required_attribute = False

    person = forms.CharField(
        label="Email or username",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, data: Any, *, acting: User) -> None:
        super().__init__(data)
        self.acting = acting

    def clean_person(self) -> User:
        text = self.cleaned_data["person"].strip()
        candidates = (
            staff_accounts.visible_to(self.acting).filter(is_active=True).exclude(pk=self.acting.pk)
        )
        person = candidates.filter(Q(email__iexact=text) | Q(username__iexact=text)).first()
        if person is None:
            raise forms.ValidationError("No other active account has this email or username.")
        return person


def of_own_workspace(view: View[[Workspace]]) -> View[[]]:
    """Give the view the workspace of the administrator's own keys. Raises NoKeys."""

    @wraps(view)
    def page(request: HttpRequest) -> HttpResponseBase:
        return view(request, own_workspace(signed_in(request)))

    return for_administrators(page)


@of_own_workspace
@require_safe
def show_members(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    return _page(request, workspace, AddForm(None, acting=signed_in(request)))


@of_own_workspace
@post_only_from("workspace:members")
def add_member(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    acting = signed_in(request)
    form = AddForm(request.POST, acting=acting)
    if not form.is_valid():
        return _page(request, workspace, form, status=422)
    person = form.cleaned_data["person"]
    with transaction.atomic():
        is_new = members.invite(person, workspace, by=acting)
        if is_new:
            _record(request, workspace, person, "", "invited")
    if is_new:
        messages.success(request, INVITED.format(person=person))
    else:
        messages.info(request, f"{person.display_name} is already a member or invited.")
    return redirect("workspace:members")


@of_own_workspace
@post_only_from("workspace:members")
def remove_member(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    number = request.POST.get("person", "")
    rows = members.of_workspace(workspace).exclude(user=signed_in(request))
    row = rows.filter(user=int(number) if number.isdecimal() and len(number) < 19 else 0).first()
    if row is None:
        messages.info(request, "This person is not a member.")
        return redirect("workspace:members")
    with transaction.atomic():
        members.remove(row)
        former = "member" if row.joined_at else "invited"
        _record(request, workspace, row.user, former, "removed")
    messages.success(request, f"{row.user.display_name} was removed from {workspace}.")
    return redirect("workspace:members")


def _record(request: HttpRequest, workspace: Workspace, person: User, old: str, new: str) -> None:
    notices.record(request, {f"Workspace {workspace}": (old, new)}, person, workspace=workspace.pk)
    acting = signed_in(request).display_name
    notices.notify_of_workspace(person, workspace, new, by=f"The administrator {acting}")


def _page(
    request: HttpRequest, workspace: Workspace, form: AddForm, *, status: int = 200
) -> HttpResponse:
    rows = members.of_workspace(workspace)
    context = {"workspace": workspace, "rows": rows, "form": form}
    return render(request, "administration/workspace.html", context, status=status)


app_name = "workspace"
urlpatterns = [
    path("", show_members, name="members"),
    path("add/", add_member, name="add"),
    path("remove/", remove_member, name="remove"),
]
