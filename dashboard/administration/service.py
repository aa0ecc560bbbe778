"""The page Optional features, on which unpublished operations are turned on and off for the
workspace of the administrator's keys. A superuser may choose another one.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path

from dashboard.administration import notices
from dashboard.people import keys
from dashboard.people.models import User, Workspace
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
    person = signed_in(request)
    workspace = _workspace_of(person, request.GET.get("workspace", ""))
    others = Workspace.objects.order_by("name", "pk") if person.is_superuser else ()
    context: dict[str, Any] = {
        "title": "Optional features",
        "workspace": workspace,
        "others": others,
    }
    if workspace is None and not others:
        raise keys.NoKeys
    if workspace is None:
        return render(request, "administration/service.html", context)
    data = request.POST if request.method == "POST" else None
    form = OperationsForm(data, initial={"on": sorted(keys.switched_on(workspace))})
    if form.is_valid():
        with transaction.atomic():
            changes = keys.switch(workspace, frozenset(form.cleaned_data["on"]))
            words = {WORDS.get(name, name): change for name, change in changes.items()}
            notices.record(request, words, workspace=workspace.pk)
        messages.success(request, f"Saved for everyone in {workspace}.")
        return redirect(request.get_full_path())
    return render(request, "administration/service.html", {**context, "form": form})


def _workspace_of(person: User, workspace_id: str) -> Workspace | None:
    """Return the workspace of one's own keys, or for a superuser the one with the requested id.
    None without either.
    """
    if workspace_id and person.is_superuser:
        return get_object_or_404(Workspace, pk=workspace_id)
    return person.pair.workspace if person.pair else None


app_name = "service"
urlpatterns = [path("", operations, name="operations")]
