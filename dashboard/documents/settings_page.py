"""The administrator's settings page for documents: payment terms and method of totals."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path

from dashboard.accounts.permissions import MANAGE_SETTINGS, permission_required
from dashboard.context import RequestContext, page
from dashboard.credentials import workspace_settings
from dashboard.documents.totals import METHOD_WORDS
from dashboard.preferences.models import MOST_DAYS
from dashboard.service_name import SERVICE


class DocumentSettingsForm(forms.Form):
    """The method of computing totals, and the default payment terms in days."""

    due_days = forms.IntegerField(
        label="Days until an invoice is due",
        min_value=0,
        max_value=MOST_DAYS,
        help_text="A customer who was given other terms gets those again.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    method = forms.ChoiceField(
        label="How totals are added up",
        choices=(("", "Automatic"), *METHOD_WORDS.items()),
        required=False,
        widget=forms.RadioSelect,
        help_text=f"For the total that you see while you type. The total of {SERVICE} counts.",
    )


@permission_required(MANAGE_SETTINGS)
@page
def settings(ctx: RequestContext) -> HttpResponse:
    """Show and save the settings of the workspace of the person's keys."""
    initial = {"due_days": ctx.settings.due_days, "method": ctx.settings.method}
    form = DocumentSettingsForm(ctx.request.POST or None, initial=initial)
    if ctx.request.method == "POST" and form.is_valid():
        workspace_settings.change_settings(ctx.workspace, **form.cleaned_data)
        messages.success(ctx.request, "Saved. It applies to everybody in this workspace.")
        return redirect("documents:settings")
    methods = [METHOD_WORDS[code] for code in ctx.settings.told if code in METHOD_WORDS]
    context = {"title": "Invoice defaults", "form": form, "told": methods}
    return ctx.render("resources/documents/settings.html", context)


urls = ([path("", settings, name="settings")], "documents")
