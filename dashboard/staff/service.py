"""The page Settings, Service, on which unpublished operations are switched on and off."""

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from dashboard.accounts.permissions import MANAGE_SETTINGS, permission_required, signed_in
from dashboard.audit import services as audit
from dashboard.credentials import offered
from dashboard.records.pages.history_words import details_of
from dashboard.staff import notices

NEWEST = 20
WORDS = {
    "tasks.update": "Change a task",
    "tasks.delete": "Delete a task",
    "leads.get": "Read one lead",
    "leads.update": "Change a lead",
}


class OperationsForm(forms.Form):
    """One checkbox for each operation."""

    on = forms.MultipleChoiceField(
        label="Try these",
        choices=[(name, WORDS.get(name, name)) for name in offered.UNPUBLISHED],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


@permission_required(MANAGE_SETTINGS)
@require_http_methods(["GET", "HEAD", "POST"])
def operations(request: HttpRequest) -> HttpResponse:
    """Show the operations and their latest changes; POST switches them."""
    data = request.POST if request.method == "POST" else None
    form = OperationsForm(data, initial={"on": sorted(offered.switched_on())})
    if form.is_valid():
        with transaction.atomic():
            changes = offered.switch(frozenset(form.cleaned_data["on"]), by=signed_in(request))
            words = {WORDS.get(name, name): change for name, change in changes.items()}
            notices.note(request, words)
        messages.success(request, "Saved. It holds for everybody from now on.")
        return redirect("service:operations")
    entries = audit.of_office(audit.SERVICE)[:NEWEST]
    history = [(entry, details_of(entry)[1]) for entry in entries]
    context = {"title": "Service", "form": form, "history": history}
    return render(request, "staff/service.html", context)


urls = ([path("", operations, name="operations")], "service")
