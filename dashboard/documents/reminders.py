"""Texts that remind a customer of overdue invoices, the page on which administrators edit them, and
when they were opened.

Nothing is sent from here: the person's own email app does that. An event of the customer's history
records who opened which reminder of which invoices.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils import timezone

from dashboard.core.sealed import DecryptionError
from dashboard.gateway import CONTACTS
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext, page
from dashboard.people.keys import owner_of
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required
from dashboard.schema.fields import TextField
from dashboard.text.dates import days_until
from dashboard.writes import history
from dashboard.writes.models import Event

FRIENDLY, SECOND, LAST = "friendly", "second", "last"
TONES = {FRIENDLY: "Friendly", SECOND: "Second", LAST: "Last"}  # in the order in which they follow
FIELDS = {
    "customer": "the name of the customer",
    "number": "the numbers of the invoices",
    "amount": "the total due",
    "days": "how long the oldest is overdue, for example 12 days",
    "invoices": "a line for each invoice",
    "name": "your name",
}
FIELD = re.compile(r"\{(\w*)\}")
PARTS = ("subject", "text")
MAX_SUBJECT, MAX_TEXT = 200, 3000
MAX_READ = 100  # reminders of the customers of one page
BETWEEN = ", "  # the numbers of invoices in an event

_TEXT = """\
Hello {{customer}},

{reason}

{{invoices}}

Total due: {{amount}}
{request}
If you have already paid, please ignore this message.

Kind regards
{{name}}"""
DEFAULTS = {
    FRIENDLY: (
        "Unpaid: {number}",
        _TEXT.format(
            reason="our records show that the following invoice is still unpaid:",
            request="",
        ),
    ),
    SECOND: (
        "Second reminder: {amount} overdue",
        _TEXT.format(
            reason="we wrote to you before, and these are still unpaid, the oldest for {days}:",
            request="Please pay within a week, or tell us if something is wrong.\n",
        ),
    ),
    LAST: (
        "Last reminder: {amount} overdue",
        _TEXT.format(
            reason="despite our reminders these are still unpaid, the oldest for {days}:",
            request="This is our last reminder. Please pay immediately, or call us today.\n",
        ),
    ),
}


@dataclass(frozen=True)
class Text:
    """A subject and a text, with fields in braces or filled."""

    subject: str
    text: str

    def filled(self, values: Mapping[str, str]) -> "Text":
        """Replace the fields by their values; other braces stay as they are."""

        def fill(part: str) -> str:
            return FIELD.sub(lambda field: values.get(field[1], field[0]), part)

        return Text(fill(self.subject), fill(self.text))


class PreviousReminder(NamedTuple):
    """One opened reminder: its tone, its invoices (their numbers), in words, when, and by whom."""

    customer: int
    tone: str
    numbers: tuple[str, ...]
    words: str
    at: datetime
    who: str


def texts_of(workspace: str) -> dict[str, Text]:
    """Return the texts of all tones, with the defaults for those that the office did not change."""
    stored = preferences.reminder_texts(workspace)
    return {
        tone: Text(**stored[tone]) if tone in stored else Text(*DEFAULTS[tone]) for tone in TONES
    }


def note_opened(
    ctx: RequestContext, customer: int, *, label: str, tone: str, numbers: list[str], amount: str
) -> None:
    event = Event(
        person=ctx.person,
        owner=owner_of(ctx.gateway),
        workspace=ctx.workspace,
        resource=CONTACTS.name,
        operation=history.REMINDER,
        record_id=customer,
    )
    values = {"tone": TONES[tone], "invoices": BETWEEN.join(numbers), "amount": amount}
    changes = {name: ("", value) for name, value in values.items()}
    history.add(event, label=label, changes=changes)


def opened_for(ctx: RequestContext, customers: Iterable[int]) -> list[PreviousReminder]:
    """Return the last reminders of these customers, newest first. One query; none without
    customers.

    The person's keys must have read the customers: see history.of_record.
    """
    ids = sorted(set(customers))
    if not ids:
        return []
    here = {"owner": owner_of(ctx.gateway), "workspace": ctx.workspace}
    rows = history.events_of(CONTACTS.name, ids, **here, operation=history.REMINDER)[:MAX_READ]
    history.add_people(rows, ctx.person)
    return [each for each in map(_reminded, rows) if each]


def ago(reminder: PreviousReminder, today: date) -> str:
    return days_until(-(today - timezone.localdate(reminder.at)).days)


def next_tone(reminders: Iterable[PreviousReminder], numbers: Iterable[str]) -> str:
    """Return the tone after the sternest one used in a reminder of any of these invoices."""
    order, wanted = list(TONES), set(numbers)
    before = [order.index(each.tone) for each in reminders if wanted.intersection(each.numbers)]
    return order[min(max(before) + 1, len(order) - 1)] if before else FRIENDLY


def _reminded(event: Event) -> PreviousReminder | None:
    try:
        changes = history.details(event).changes
    except DecryptionError:
        return None
    values = {name: new for name, (_, new) in changes.items()}
    tone = next((code for code, word in TONES.items() if word == values.get("tone")), FRIENDLY)
    words = BETWEEN.join(filter(None, values.values()))
    numbers, by = tuple(values.get("invoices", "").split(BETWEEN)), history.by_whom(event)
    return PreviousReminder(event.record_id or 0, tone, numbers, words, event.at, by)


def _check_fields(value: str) -> None:
    for field in FIELD.finditer(value):
        if field[1] not in FIELDS:
            known = ", ".join(f"{{{name}}}" for name in FIELDS)
            raise ValidationError(f"{field[0]} isn't a field. Use {known}.")


class ReminderTextsForm(forms.Form):
    """A subject and a text for each tone, in fields such as `second_text`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for tone, word in TONES.items():
            self.fields[f"{tone}_subject"] = TextField(
                label=f"{word} subject",
                max_length=MAX_SUBJECT,
                validators=[_check_fields],
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )
            self.fields[f"{tone}_text"] = TextField(
                label=f"{word} text",
                max_length=MAX_TEXT,
                validators=[_check_fields],
                widget=forms.Textarea(attrs={"rows": 12}),
            )

    def texts(self) -> dict[str, dict[str, str]]:
        typed = self.cleaned_data
        return {tone: {part: typed[f"{tone}_{part}"] for part in PARTS} for tone in TONES}


@permission_required(MANAGE_SETTINGS)
@page
def settings(ctx: RequestContext) -> HttpResponse:
    texts = texts_of(ctx.workspace)
    initial = {f"{tone}_{part}": getattr(texts[tone], part) for tone in TONES for part in PARTS}
    form = ReminderTextsForm(ctx.request.POST or None, initial=initial)
    if ctx.request.method == "POST" and form.is_valid():
        preferences.change_reminder_texts(ctx.workspace, form.texts())
        messages.success(ctx.request, "Saved for everyone in this workspace.")
        return redirect("reminders:settings")
    context = {"title": "Reminder templates", "form": form, "fields": FIELDS}
    return ctx.render("documents/reminders.html", context)


app_name = "reminders"
urlpatterns = [path("", settings, name="settings")]
