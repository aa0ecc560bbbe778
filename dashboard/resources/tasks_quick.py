"""The task list with its quick-add line, and the task form filled from that line."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from dashboard.gateway import CONTACTS, whole_number
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.forms import pickers
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages import form_flow, views
from dashboard.records.parsing.dates import spoken_date
from dashboard.records.references import titles
from dashboard.records.resource import Resource

from .quickadd import PRIORITIES, read_line


def list_tasks(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The list with the quick-add line above it."""
    return views.list_records(request, resource, template="resources/tasks/list.html")


def create_task(request: StaffRequest, resource: Resource) -> form_flow.Answer:
    """The form of a new task; if a quick-add line filled it, with how the line was parsed."""
    return form_flow.create_record(request, resource, FLOW)


def _context(request: StaffRequest, resource: Resource, form: RecordForm) -> dict[str, Any]:
    line = request.form_input.params.get("line", "").strip()
    if not line:
        return {}
    about = str(form["cstid"].value() or "")
    return {"line": line, "understood": understood(line, context_of(request), about)}


FLOW = form_flow.FormFlow(template="resources/tasks/form.html", context=_context)


def understood(line: str, ctx: RequestContext, about: str) -> list[tuple[str, str]]:
    """How a line was parsed, as labels and texts. `about`: a contact's id, or TYPED and a text."""
    read = read_line(line, timezone.localtime().replace(tzinfo=None), ctx.style)
    day = spoken_date(read.start.date())
    when = f"{day}, {read.start:%H:%M}"
    if "time" not in read.given:
        when += " (no time was given)"
    priority = "Medium (none was given)" if read.priority is None else ""
    return [
        ("Title", read.title or "nothing: please give it one"),
        ("Start", when),
        ("Priority", priority or PRIORITIES[read.priority or 0].capitalize()),
        ("Contact", _contact(about, ctx)),
    ]


def _contact(about: str, ctx: RequestContext) -> str:
    if number := whole_number(about):
        return titles.title(ctx.gateway, CONTACTS, number)
    typed = about.removeprefix(pickers.TYPED)
    return f"“{typed}” may be several: choose one below" if typed else "none: choose one below"
