"""The page Optional features, on which unpublished operations are turned on and off for the
workspace of the administrator's keys.
"""

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from dashboard.administration import notices
from dashboard.people import keys
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required, signed_in

WORDS = {
    "tasks.update": "Change a task",
    "tasks.delete": "Delete a task",
    "leads.get": "Read one lead",
    "leads.update": "Change a lead",
    "deals.deal_current_stage": "Move a deal to another stage",
}


class OperationsForm(forms.Form):
    on = forms.MultipleChoiceField(
        label="Features",
        choices=[(name, WORDS.get(name, name)) for name in keys.UNPUBLISHED],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


@permission_required(MANAGE_SETTINGS)
def operations(request: HttpRequest) -> HttpResponse:
    workspace = keys.own_workspace(signed_in(request))
    data = request.POST if request.method == "POST" else None
    form = OperationsForm(data, initial={"on": sorted(keys.switched_on(workspace))})
    if form.is_valid():
        with transaction.atomic():
            changes = keys.switch(workspace, frozenset(form.cleaned_data["on"]))
            words = {WORDS.get(name, name): change for name, change in changes.items()}
            notices.record(request, words, workspace=workspace.pk)
        messages.success(request, f"Saved for everyone in {workspace}.")
        return redirect("service:operations")
    context = {"title": "Optional features", "workspace": workspace, "form": form}
    return render(request, "administration/service.html", context)


app_name = "service"
urlpatterns = [path("", operations, name="operations")]
