"""The page of a person who leaves: what is theirs, who takes it over, and what ends it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard.administration import leaving, notices, staff_accounts
from dashboard.administration.access import for_administrators
from dashboard.core.service_name import SERVICE
from dashboard.people import permissions as may
from dashboard.people.models import User
from dashboard.people.permissions import signed_in
from dashboard.writes import ledger


class Colleague(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic when run
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.display_name)


class LeavingForm(forms.Form):
    colleague = Colleague(
        queryset=User.objects.none(), required=False, label="Who takes over", empty_label="Nobody"
    )
    close = forms.BooleanField(
        required=False,
        label=f"I have looked in {SERVICE}: close what is Not sure",
        help_text="The history then says that it was left as it is.",
    )

    def __init__(self, data: Any, *, person: User, acting: User) -> None:
        super().__init__(data)
        colleagues = leaving.may_take_over(person, staff_accounts.visible_to(acting))
        field: Any = self.fields["colleague"]
        field.queryset = colleagues
        if not colleagues.exists():
            del self.fields["colleague"]
        if not ledger.open_unresolved(person).exists():
            del self.fields["close"]


@for_administrators(may.CHANGE_STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def show_leaving(request: HttpRequest, pk: int) -> HttpResponse:
    find = staff_accounts.lock if request.method == "POST" else staff_accounts.changeable
    person = find(pk, signed_in(request))
    if person == request.user:
        messages.error(request, staff_accounts.OWN)
        return redirect("staff:person", pk)
    posted = request.POST if request.method == "POST" else None
    form = LeavingForm(posted, person=person, acting=signed_in(request))
    if form.is_valid():
        return _leave(request, person, form)
    context = {
        "title": f"{person.display_name} leaves",
        "person": person,
        "form": form,
        "lines": leaving.lines_of(person),
        "sessions": staff_accounts.open_sessions(person),
    }
    return render(request, "administration/leave.html", context, status=422 if form.errors else 200)


def _leave(request: HttpRequest, person: User, form: LeavingForm) -> HttpResponse:
    colleague: User | None = form.cleaned_data.get("colleague")
    close = form.cleaned_data.get("close", False)
    home = leaving.home_of(person)
    try:
        changes, taken = leaving.leave(person, colleague, by=signed_in(request), close=close)
    except ValidationError as refused:
        messages.error(request, refused.message)
        return redirect("staff:person", person.pk)
    notices.note(request, changes, person, workspace=home)
    notices.tell(request, person, changes)
    if colleague:
        notices.note(request, taken, colleague, workspace=home)
        notices.tell(request, colleague, taken)
    messages.success(request, f"{person.display_name} has left: what this ended is in the history.")
    return redirect("staff:person", person.pk)
