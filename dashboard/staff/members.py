"""The page Settings, Workspace: who belongs to the workspace of an administrator's own keys."""

from collections.abc import Mapping
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from dashboard.accounts import permissions as may
from dashboard.accounts.models import User
from dashboard.accounts.permissions import signed_in
from dashboard.credentials import members, workspace_matching
from dashboard.credentials.models import Membership, Workspace
from dashboard.credentials.services import pair_of
from dashboard.staff import notices, people
from dashboard.staff.access import View, for_administrators, for_buttons_of

State = Membership.State
WORDS: Mapping[str, tuple[str, str]] = {
    State.MEMBER: ("member", "paid"),
    State.INVITED: ("invited", "open"),
    State.UNMATCHED: ("out: the API keys did not match", "late"),
    State.REMOVED: ("removed", "off"),
}
"""What the page says about a state, and the CSS name of its chip."""
BACK = "{person.display_name} is back."
INVITED = (
    "{person.display_name} may join by a button on the page Connection, and was mailed about it."
    " Nothing changes until then."
)


class AddForm(forms.Form):
    """Names an account by what people know of it."""

    use_required_attribute = False

    person = forms.CharField(
        label="Email or username",
        max_length=254,
        error_messages={"required": "Say whom to add."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, data: Any, *, acting: User) -> None:
        super().__init__(data)
        self.acting = acting

    def clean_person(self) -> User:
        """The active account with this email or username."""
        text = self.cleaned_data["person"].strip()
        candidates = (
            people.visible_to(self.acting).filter(is_active=True).exclude(pk=self.acting.pk)
        )
        person = candidates.filter(Q(email__iexact=text) | Q(username__iexact=text)).first()
        if person is None:
            raise forms.ValidationError("No other active account has this email or username.")
        return person


def of_own_workspace(view: View[[Workspace]]) -> View[[]]:
    """A page about the workspace of the administrator's own keys; without keys it says so."""

    @wraps(view)
    def page(request: HttpRequest) -> HttpResponse:
        pair = pair_of(signed_in(request))
        if pair is None:
            return render(request, "staff/workspace.html", {"workspace": None})
        return view(request, pair.workspace)

    return for_administrators(may.CHANGE_STAFF)(page)


@of_own_workspace
@require_safe
def show(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """The members, who was invited, and who was put out."""
    return _page(request, workspace, AddForm(None, acting=signed_in(request)))


@of_own_workspace
@for_buttons_of("workspace:members")
def add(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Invite somebody, whose keys need then prove nothing."""
    form = AddForm(request.POST, acting=signed_in(request))
    if not form.is_valid():
        return _page(request, workspace, form, status=422)
    _invite(request, workspace, form.cleaned_data["person"])
    return redirect("workspace:members")


@of_own_workspace
@for_buttons_of("workspace:members")
def change(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Let somebody in again, or remove them: a button of their row."""
    name, _, number = request.POST.get("change", "").partition(":")
    row = get_object_or_404(
        members.of_workspace(workspace).exclude(user=signed_in(request)),
        user=int(number) if number.isdecimal() and len(number) < 19 else 0,
    )
    if name == "let_in" and row.state in members.OUT:
        _invite(request, workspace, row.user)
    elif name == "remove" and row.state not in members.OUT:
        with transaction.atomic():
            members.put_out(row.user, workspace, State.REMOVED, by=signed_in(request))
            _note(request, workspace, row.user, row.state, State.REMOVED)
        messages.success(request, f"{row.user.display_name} is out of {workspace}.")
    elif name in ("let_in", "remove"):  # pressed twice
        now = f"out of {workspace}" if row.state in members.OUT else "a member or invited"
        messages.info(request, f"{row.user.display_name} is {now} already.")
    else:
        raise Http404("no such change")
    return redirect("workspace:members")


def _invite(request: HttpRequest, workspace: Workspace, person: User) -> None:
    row = members.of_workspace(workspace).filter(user=person).first()
    if row is not None and row.state == State.MEMBER:
        messages.info(request, f"{person.display_name} is a member already.")
        return
    at_once = workspace_matching.is_back_at_once(person, workspace)
    with transaction.atomic():
        now = members.let_in(person, workspace, by=signed_in(request), at_once=at_once)
        _note(request, workspace, person, row.state if row else "", now)
    messages.success(request, (BACK if now == State.MEMBER else INVITED).format(person=person))


def _note(request: HttpRequest, workspace: Workspace, person: User, old: str, new: str) -> None:
    """Add it to the workspace's history, and mail the person."""
    before = WORDS[old][0] if old else ""
    changes = {f"Workspace {workspace}": (before, WORDS[new][0])}
    notices.note(request, changes, person, workspace=workspace.pk)
    acting = signed_in(request).display_name
    notices.tell_of_workspace(person, workspace, new, by=f"The administrator {acting}")


def _page(
    request: HttpRequest, workspace: Workspace, form: AddForm, *, status: int = 200
) -> HttpResponse:
    rows = [
        {"membership": row, "words": WORDS[row.state], "own": row.user == request.user,
         "out": row.state in members.OUT, "why": _why(row)}
        for row in members.of_workspace(workspace)
    ]  # fmt: skip
    context = {"workspace": workspace, "rows": rows, "form": form}
    return render(request, "staff/workspace.html", context, status=status)


def _why(row: Membership) -> str:
    """Who let the person in or out, or that their keys did; "" where the state says it."""
    by = row.changed_by.display_name if row.changed_by else "the operator"
    if row.by_word:
        return f"{by} vouches"
    if row.state in (State.INVITED, State.REMOVED):
        return f"By {by}"
    return "By their API keys" if row.state == State.MEMBER else ""


urls = (
    [
        path("", show, name="members"),
        path("add/", add, name="add"),
        path("change/", change, name="change"),
    ],
    "workspace",
)
