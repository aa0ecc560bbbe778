"""The administrator's settings page for documents: payment terms."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path

from dashboard.office.models import MAX_DAYS
from dashboard.people.context import RequestContext, page
from dashboard.people.models import Workspace
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required


class DocumentSettingsForm(forms.Form):
    due_days = forms.IntegerField(
        label="Days until an invoice is due",
        min_value=0,
        max_value=MAX_DAYS,
        help_text="A customer who was given other terms gets those again.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


@permission_required(MANAGE_SETTINGS)
@page
def settings(ctx: RequestContext) -> HttpResponse:
    initial = {"due_days": ctx.settings.due_days}
    form = DocumentSettingsForm(ctx.request.POST or None, initial=initial)
    if ctx.request.method == "POST" and form.is_valid():
        if Workspace.objects.filter(pk=ctx.workspace).update(**form.cleaned_data):
            messages.success(ctx.request, "Saved. It applies to everybody in this workspace.")
            return redirect("documents:settings")
        form.add_error(None, "Not saved. Connect your API keys first.")
    context = {"title": "Invoice defaults", "form": form}
    return ctx.render("office/settings.html", context)


app_name = "documents"
urlpatterns = [path("", settings, name="settings")]
