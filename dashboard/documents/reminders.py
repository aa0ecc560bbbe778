"""Texts that remind a customer of overdue invoices, and when they were opened.

Nothing is sent from here: the person's own mail program does. What is kept is an event of the
customer's history that says who opened which reminder of which invoices.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import NamedTuple

from django.utils import timezone

from dashboard.core.sealed import DecryptionError
from dashboard.gateway import CONTACTS
from dashboard.office import choices as preferences
from dashboard.people.context import RequestContext
from dashboard.reader.sealed_cache import owner_of
from dashboard.text.dates import days_until
from dashboard.writes import history
from dashboard.writes.models import Event

FRIENDLY, SECOND, LAST = "friendly", "second", "last"
TONES = {FRIENDLY: "Friendly", SECOND: "Second", LAST: "Last"}  # in the order in which they follow
FIELDS = {
    "customer": "the name of the customer",
    "number": "the numbers of the invoices",
    "amount": "what is due in all",
    "days": "how long the oldest is overdue, such as 12 days",
    "invoices": "a line for each invoice",
    "name": "your name",
}
FIELD = re.compile(r"\{(\w*)\}")
MOST_READ = 100  # reminders of the customers of one page
BETWEEN = ", "  # the numbers of invoices in an event

_CLOSING = """\
If you have paid meanwhile, thank you, and please ignore this.

Kind regards
{name}"""
DEFAULTS = {
    FRIENDLY: (
        "Unpaid: {number}",
        f"""\
Hello {{customer}},

you may have overlooked this: we have not received a payment for

{{invoices}}

Due in all: {{amount}}

{_CLOSING}""",
    ),
    SECOND: (
        "Second reminder: {amount} overdue",
        f"""\
Hello {{customer}},

we wrote to you before, and these are still unpaid, the oldest for {{days}}:

{{invoices}}

Due in all: {{amount}}
Please pay within a week, or tell us if something is wrong.

{_CLOSING}""",
    ),
    LAST: (
        "Last reminder: {amount} overdue",
        f"""\
Hello {{customer}},

despite our reminders these are still unpaid, the oldest for {{days}}:

{{invoices}}

Due in all: {{amount}}
This is our last reminder. Please pay at once, or call us today.

{_CLOSING}""",
    ),
}


class Text(NamedTuple):
    """A subject and a text, with fields in braces or filled."""

    subject: str
    text: str

    def filled(self, values: Mapping[str, str]) -> "Text":
        """With the values in place of their fields; other braces stay as they are."""
        subject, text = (
            FIELD.sub(lambda field: values.get(field[1], field[0]), part) for part in self
        )
        return Text(subject, text)


class PreviousReminder(NamedTuple):
    """One reminder that was opened: in which tone, of which invoices (their numbers), in words,
    when, and by whom.
    """

    customer: int
    tone: str
    numbers: tuple[str, ...]
    words: str
    at: datetime
    who: str


def texts_of(workspace: str) -> dict[str, Text]:
    """The texts of all tones, those that the office did not write as they come."""
    stored = preferences.reminder_texts(workspace)
    return {
        tone: Text(**stored[tone]) if tone in stored else Text(*DEFAULTS[tone]) for tone in TONES
    }


def unknown_fields(text: str) -> list[str]:
    """The fields in braces that no reminder fills, as they were typed."""
    return [field[0] for field in FIELD.finditer(text) if field[1] not in FIELDS]


def note_opened(
    ctx: RequestContext, customer: int, *, label: str, tone: str, numbers: list[str], amount: str
) -> None:
    """Add to the history that a reminder was opened. Raises django.db.Error."""
    event = history.event_by(
        ctx.person,
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
    """The last reminders of these customers, newest first. One query; none without customers.

    The person's keys must have read the customers: see history.of_record.
    """
    ids = sorted(set(customers))
    if not ids:
        return []
    here = {"owner": owner_of(ctx.gateway), "workspace": ctx.workspace}
    rows = history.events_of(CONTACTS.name, ids, **here, operation=history.REMINDER)
    return [each for each in map(_reminded, rows[:MOST_READ]) if each]


def ago(reminder: PreviousReminder, today: date) -> str:
    """When a reminder was opened: today, 3 days ago."""
    return days_until(-(today - timezone.localdate(reminder.at)).days)


def next_tone(reminders: Iterable[PreviousReminder], numbers: Iterable[str]) -> str:
    """The tone after the sternest one in which somebody was reminded of any of these invoices."""
    order, wanted = list(TONES), set(numbers)
    before = [order.index(each.tone) for each in reminders if wanted.intersection(each.numbers)]
    return order[min(max(before) + 1, len(order) - 1)] if before else FRIENDLY


def _reminded(event: Event) -> PreviousReminder | None:
    """None for an event that no configured key opens."""
    try:
        changes = history.details(event).changes
    except DecryptionError:
        return None
    values = {name: new for name, (_, new) in changes.items()}
    tone = next((code for code, word in TONES.items() if word == values.get("tone")), FRIENDLY)
    words = BETWEEN.join(filter(None, values.values()))
    numbers, by = tuple(values.get("invoices", "").split(BETWEEN)), history.by_whom(event)
    return PreviousReminder(event.record_id or 0, tone, numbers, words, event.at, by)
