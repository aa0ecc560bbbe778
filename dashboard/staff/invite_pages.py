"""The page *Invite several*: a list of people, what it would do, and the invitations."""

from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard.accounts import permissions as may
from dashboard.accounts.permissions import signed_in
from dashboard.accounts.roles import ROLES
from dashboard.catalogue.planned_table import WRONG, TableForm
from dashboard.staff import people
from dashboard.staff.access import for_administrators
from dashboard.staff.forms import MAY
from dashboard.staff.invite_list import (
    INVITE,
    MOST,
    THERE,
    Changed,
    InvitePlan,
    carry_out,
    plan_of,
    state_in_words,
)


class ListForm(TableForm):
    """A list of people, and the role of those beside whom none stands."""

    field_order = ("text", "file", "role")

    role = forms.ChoiceField(
        label="Role of lines without one",
        required=False,
        choices=[
            ("", "None: each line names its own"),
            *((name, f"{name}: {MAY[name]}") for name in ROLES),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].label = "Names, email addresses and roles"
        self.fields["text"].widget.attrs["autofocus"] = not self.is_bound
        self.fields["file"].label = "Or choose a file"


def _invites(request: HttpRequest) -> bool:
    return request.method == "POST" and "invite" in request.POST


@for_administrators(may.ADD_STAFF, changes=_invites)
@require_http_methods(["GET", "HEAD", "POST"])
def invite_several(request: HttpRequest) -> HttpResponse:
    """The form, then what its list would do beside the list, which can be corrected; then the
    invitations, unless the list or the accounts have changed since that was shown.
    """
    if request.method != "POST":
        return _page(request, ListForm())
    form = ListForm(request.POST, request.FILES)
    plan = _plan(request, form)
    if plan is None:
        return _page(request, form, status=422)
    if not _invites(request):
        return _page(request, form, plan)
    if request.POST.get("fingerprint") != plan.fingerprint:
        return _page(request, form, plan, changed=True, status=409)
    return _invite(request, form, plan)


def _invite(request: HttpRequest, form: ListForm, plan: InvitePlan) -> HttpResponse:
    try:
        carry_out(request, plan, acting=signed_in(request))
    except Changed:
        return _page(request, form, _plan(request, form), changed=True, status=409)
    many = plan.counts[INVITE]
    if many:
        who = "1 person is" if many == 1 else f"{many} people are"
        messages.success(request, f"{who} invited. Each gets a mail with a link.")
    if plan.counts[WRONG]:  # they stay on the page, with all that was typed
        return _page(request, form, _plan(request, form))
    return redirect("staff:list")


def _plan(request: HttpRequest, form: ListForm) -> InvitePlan | None:
    acting = signed_in(request)
    read = partial(plan_of, acting=acting, visible=people.visible_to(acting))
    return form.plan(lambda text: read(text, default_role=form.cleaned_data["role"]))


def _page(
    request: HttpRequest,
    form: ListForm,
    plan: InvitePlan | None = None,
    *,
    changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    form.show_text_of_file()
    context: dict[str, Any] = {
        "form": form,
        "plan": plan,
        "note": form.note,
        "changed": changed,
        "most": MOST,
    }
    if plan:
        tally = {INVITE: "Invite", THERE: "Here already", WRONG: "Needs fixing"}
        context |= {
            "tally": [(words, plan.counts[action]) for action, words in tally.items()],
            "many": plan.counts[INVITE],
            "wrong": plan.of(WRONG),
            "others": [*plan.of(INVITE), *plan.of(THERE)],
            "state_in_words": state_in_words,
        }
    return render(request, "staff/invite_several.html", context, status=status)
