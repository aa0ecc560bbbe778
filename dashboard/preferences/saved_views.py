"""Stores lists under a name, and which one a person's list opens with."""

from django.db.models import Q, QuerySet

from dashboard.accounts.models import User

from . import services
from .models import SavedView

MOST = 100  # of one person in one workspace

Views = QuerySet[SavedView, SavedView]


def visible(person: User, workspace: str) -> Views:
    """The person's own views in a workspace and those that are shared there."""
    found = SavedView.objects.filter(Q(user=person) | Q(shared=True), workspace=workspace)
    return found if workspace else found.none()


def has_room(person: User, workspace: str) -> bool:
    """Whether the person may save one more view."""
    return SavedView.objects.filter(user=person, workspace=workspace).count() < MOST


def first_view(person: User, workspace: str, resource: str) -> str:
    """The key of the view that the person's list opens with; "" if none was chosen."""
    field = _field(resource)
    return services.last_used(person, workspace, [field]).get(field, "")


def set_first_view(person: User, workspace: str, resource: str, key: str) -> None:
    """Choose the view that the person's list opens with."""
    services.remember_used(user=person.pk, workspace=workspace, values={_field(resource): key})


def _field(resource: str) -> str:
    return f"view.{resource}"
