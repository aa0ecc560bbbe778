"""Tasks: things to do for a contact or a deal (reference, section 2, "Task")."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.utils import timezone

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import address
from dashboard.gateway import CONTACTS, DEALS, Record
from dashboard.gateway import TASKS as ENDPOINT
from dashboard.gateway.api import COMPLETED, TASK_PRIORITIES, TASK_STATUSES
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people import permissions as may
from dashboard.people.context import RequestContext
from dashboard.schema import cells, values
from dashboard.schema.cells import Names
from dashboard.schema.fields import ChoiceField, TextField
from dashboard.schema.filters import ME, BuiltInView, Days, filters
from dashboard.schema.inputs import MomentField
from dashboard.schema.pickers import PickerField
from dashboard.schema.resource import (
    Column,
    Detail,
    DuplicateSearch,
    Resource,
    Section,
    columns,
    details,
)
from dashboard.schema.values import DisplayValue, RowAction
from dashboard.text.dates import time_span, write_datetime
from dashboard.writes.history import CREATED_BY_ME, EnteredHere
from dashboard.writes.ledger import new_token

from .quick_entry import OneLineForm, picked
from .quick_entry_grammar import EntryPart, start_of

STATUSES = {int(code): word for code, word in TASK_STATUSES}
PRIORITIES = {int(code): word for code, word in TASK_PRIORITIES}
OPEN, MEDIUM = 0, 2
OPEN_STATUSES = (OPEN, 1)  # Open, In Progress
STATUS_TONES = {0: "open", 1: "soon", 2: "paid", 3: "off", 4: "late"}
PRIORITY_TONES = {3: "soon", 4: "late"}
STATUS = cells.status("status", {code: (STATUSES[code], STATUS_TONES[code]) for code in STATUSES})
START = cells.day("start_datetime")
ASSIGNED_TO = cells.person(cells.reference(Kind.USER, "assigned_user_id"))
PRIORITY = cells.status(
    "priority", {code: (word, PRIORITY_TONES.get(code, "")) for code, word in PRIORITIES.items()}
)
NEEDS_ONE = "Choose a contact, a deal or both."
TIME_HELP = "For example tom 15:00, fri 9:30. No time: 09:00"
HOW_TO_SWITCH = "An administrator can turn it on in Settings > Optional features."


def _priority_in_words(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
    priority = PRIORITY(record, ctx, names)
    return (
        priority._replace(text=f"{priority.text} priority") if record["priority"] else values.EMPTY
    )


def done_action(record: Record, ctx: RequestContext, back: str) -> RowAction | None:
    """Return the action that completes the task as it was read; None without permission, or if the
    service or the task's status rules it out. back: the URL to return to.
    """
    status = record["status"]
    if status == COMPLETED:
        return RowAction("Done", "", "")
    is_offered = ctx.may(may.EDIT_RECORDS) and ctx.gateway.supports(ENDPOINT, "update")
    if not is_offered or status not in OPEN_STATUSES:
        return None
    fields = (("token", new_token()), ("seen", str(status)), ("back", back))
    return RowAction("Done", "d", address("tasks", record.id, "done"), fields)


class TaskForm(OneLineForm):
    """Form of a new task. The service requires a contact or a deal, or both."""

    entry = "task"
    parts: ClassVar[Mapping[str, str]] = {
        "title": "title",
        "priority": "priority",
        "contact": "cstid",
    }

    title = TextField(label="Title", max_length=150)
    start_datetime = MomentField(label="Start", help_text=TIME_HELP)
    assigned_user_id = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    cstid = PickerField(
        CONTACTS,
        creates=True,
        label="Contact",
        required=False,
        help_text="A task needs a contact or a deal, or both.",
    )
    deal_id = PickerField(DEALS, label="Deal", required=False)
    priority = ChoiceField(
        label="Priority", choices=tuple(PRIORITIES.items()), coerce=int, initial=MEDIUM
    )
    end_datetime = MomentField(label="End", required=False, help_text="When it is due.")
    status = ChoiceField(label="Status", choices=tuple(STATUSES.items()), coerce=int, initial=OPEN)
    tags = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    description = TextField(
        label="Description", required=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    more: ClassVar[tuple[str, ...]] = ("end_datetime", "status", "tags", "description")
    half_width: ClassVar[tuple[str, ...]] = (
        "start_datetime",
        "assigned_user_id",
        "priority",
        "end_datetime",
        "status",
    )
    links: ClassVar[Mapping[str, str]] = {"contact": "cstid", "deal": "deal_id"}
    remembered: ClassVar[tuple[str, ...]] = ("assigned_user_id",)
    defaults_to_self: ClassVar[tuple[str, ...]] = ("assigned_user_id",)

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        if self.opened_with is None and str(self["status"].value()) == str(COMPLETED):
            self.fields["title"].help_text = "Saved as done"

    @classmethod
    def linked_to(cls, params: Mapping[str, str], ctx: RequestContext) -> dict[str, Any]:
        """Start a new task today; one with ?done= now."""
        values = super().linked_to(params, ctx)
        now = timezone.localtime().replace(tzinfo=None)
        if params.get("done"):
            moment = now.replace(second=0, microsecond=0)
            return {"start_datetime": moment, "status": COMPLETED, **values}
        return {"start_datetime": start_of([], now), **values}

    @classmethod
    def from_parts(cls, parts: list[EntryPart], ctx: RequestContext) -> dict[str, Any]:
        """Add the start, and the contact named at the end of the title."""
        values = super().from_parts(parts, ctx)
        now = timezone.localtime().replace(tzinfo=None)
        values["start_datetime"] = start_of(parts, now)
        if "cstid" not in values and (whom := _named_in(values.get("title", ""))):
            field = cast(PickerField, cls.base_fields["cstid"])
            values["cstid"] = picked(field, whom, ctx, sure=False)
        return values

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        about = {"cstid", "deal_id"}
        if not about & set(self.errors) and not any(data.get(name) for name in about):
            self.add_error("cstid", NEEDS_ONE)
        start, end = data.get("start_datetime"), data.get("end_datetime")
        if start and end and end < start:
            self.add_error("end_datetime", f"Must be after the start, {write_datetime(start)}.")
        return data


class TaskEditForm(TaskForm):
    """Form of an existing task, if the service offers updates."""

    ask_before_emptying = {"tags": "Yes, remove every tag from this task"}


def _named_in(title: str) -> str:
    """Return the capitalised words that end a title: "Acme Trading" of "call Acme Trading"."""
    words: list[str] = []
    for word in reversed(title.split()[1:]):
        if not word[:1].isupper():
            break
        words.insert(0, word)
    return " ".join(words)


def _ask(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"search": body.get("title") or ""}


def _start_and_end(record: Record, ctx: RequestContext, names: Names) -> DisplayValue:
    shown, end = START(record, ctx, names), record["end_datetime"]
    is_span = time_span(record["start_datetime"], end)
    return shown._replace(text=f"{shown.text}\N{EN DASH}{end:%H:%M}") if is_span else shown


TASKS: Resource = Resource(
    endpoint=ENDPOINT,
    identity_fields=("title", "cstid", "start_datetime"),
    icon="square-check",
    key="t",
    search_hint="Title",
    columns=columns(
        "title",
        Column("status", cell=STATUS),
        Column("priority", cell=PRIORITY),
        Column("start_datetime", cell=_start_and_end),
        Column("assigned_user_id", cell=ASSIGNED_TO, from_record=True),
        "cstid",
    ),
    default_sort="start_datetime",
    complete_action=done_action,
    views=(
        BuiltInView("open", "Open", {"status": str(OPEN)}),
        BuiltInView("mine", "My open tasks", {"status": str(OPEN), "assigned_user_id": ME}),
        BuiltInView("late", "Overdue", {"status": str(OPEN), "due": "past"}),
        CREATED_BY_ME,
    ),
    first_view="open",
    filters=filters(
        "status",
        "priority",
        "assigned_user_id",
        Days("due", label="Due", sent=("due_date_from", "due_date_to")),
        EnteredHere(resource="tasks"),
    ),
    badges=details(Detail("status", cell=STATUS), Detail("priority", cell=_priority_in_words)),
    subtitle=details("start_datetime", "end_datetime"),
    sections=(
        Section("Task", details("cstid", "deal_id", "assigned_user_id", "tags", "description")),
    ),
    duplicate_search=DuplicateSearch(ask=_ask, same={"title": "title"}),
    repeats=("start_datetime", "end_datetime"),
    reset_on_copy=("status",),
    create_form=TaskForm,
    edit_form=TaskEditForm,
    list_pages=(("Agenda", "agenda", "w"),),
    not_offered={
        "update": f"{SERVICE_AT_START} doesn't let other apps edit tasks. "
        "Copy it as a new one instead. " + HOW_TO_SWITCH,
        "delete": f"{SERVICE_AT_START} doesn't let other apps delete tasks. " + HOW_TO_SWITCH,
    },
)
