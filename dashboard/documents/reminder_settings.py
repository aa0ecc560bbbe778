"""The administrator's settings page for the texts of reminders."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path

from dashboard.documents.reminders import FIELDS, TONES, texts_of, unknown_fields
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required
from dashboard.schema.fields import TextField

LONGEST_SUBJECT, LONGEST_TEXT = 200, 3000
PARTS = ("subject", "text")


def _check_fields(value: str) -> None:
    if unknown := unknown_fields(value):
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise ValidationError(f"Nothing fills {unknown[0]}. The fields are {known}.")


class ReminderTextsForm(forms.Form):
    """A subject and a text for each tone, in fields such as `second_text`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for tone, word in TONES.items():
            self.fields[f"{tone}_subject"] = TextField(
                label=f"{word}: subject",
                max_length=LONGEST_SUBJECT,
                validators=[_check_fields],
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )
            self.fields[f"{tone}_text"] = TextField(
                label=f"{word}: text",
                max_length=LONGEST_TEXT,
                validators=[_check_fields],
                widget=forms.Textarea(attrs={"rows": 12}),
            )

    def texts(self) -> dict[str, dict[str, str]]:
        """Subject and text by tone, of a valid form."""
        typed = self.cleaned_data
        return {tone: {part: typed[f"{tone}_{part}"] for part in PARTS} for tone in TONES}


@permission_required(MANAGE_SETTINGS)
@page
def settings(ctx: RequestContext) -> HttpResponse:
    """Show and save the texts of the workspace of the person's keys."""
    texts = texts_of(ctx.workspace)
    initial = {f"{tone}_{part}": getattr(texts[tone], part) for tone in TONES for part in PARTS}
    form = ReminderTextsForm(ctx.request.POST or None, initial=initial)
    if ctx.request.method == "POST" and form.is_valid():
        preferences.change_reminder_texts(ctx.workspace, form.texts())
        messages.success(ctx.request, "Saved. It applies to everybody in this workspace.")
        return redirect("reminders:settings")
    context = {"title": "Texts of reminders", "form": form, "fields": FIELDS}
    return ctx.render("documents/reminders.html", context)


app_name = "reminders"
urlpatterns = [path("", settings, name="settings")]
