"""The task list with its quick-add line."""

from django.http import HttpResponse

from dashboard.records.context import StaffRequest
from dashboard.records.pages import views
from dashboard.records.resource import Resource


def list_tasks(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The list with a line above it that begins a task."""
    return views.list_records(request, resource, template="resources/tasks/list.html")
