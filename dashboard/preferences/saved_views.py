"""Stores lists under a name, and which one a person's list opens with."""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from dashboard import rotation
from dashboard.accounts.models import User

from . import services
from .models import SavedView

MOST = 100  # of one person in one workspace
# `visible` for every list: the ORM takes five times as long to build it.
LISTED = "SELECT * FROM preferences_savedview WHERE workspace = %s AND (user_id = %s OR shared)"

Views = QuerySet[SavedView, SavedView]


def visible(person: User, workspace: str) -> Views:
    """The person's own views in a workspace and those that are shared there."""
    found = SavedView.objects.filter(Q(user=person) | Q(shared=True), workspace=workspace)
    return found if workspace else found.none()


def listed(person: User, workspace: str) -> list[SavedView]:
    """The views that a person sees, by name, without those that no configured key opens."""
    found = SavedView.objects.raw(LISTED, [workspace, person.pk]) if workspace else ()
    named = [(view.name, view.pk, view) for view in found]
    return [view for name, _, view in sorted(named, key=lambda row: row[:2]) if name]


@transaction.atomic
def store(view: SavedView, name: str, *, shared: bool) -> bool:
    """Store a new view, or the name of one that is there and who has it; false if the person has
    another view of this name.
    """
    User.objects.select_for_update().get(pk=view.user_id)  # not twice at the same time
    if _is_taken(view, name):
        return False
    view.name, view.shared = name, shared
    if view.pk is None:
        view.save(force_insert=True)
        return True
    return change(view, name=name, shared=shared)


@transaction.atomic
def change(view: SavedView, **values: Any) -> bool:
    """Change the stored `name`, `params` or `shared` of a view, and leave the rest of it as another
    request may have stored it meanwhile; false if it was deleted.
    """
    stored = SavedView.objects.select_for_update().filter(pk=view.pk).first()
    if stored is None:
        return False
    for name, value in values.items():
        setattr(stored, name, value)
    stored.save(update_fields=["sealed", "shared"])
    return True


def _is_taken(view: SavedView, name: str) -> bool:
    """Whether the person has another view of this name in the same workspace and resource."""
    same = {"user": view.user, "workspace": view.workspace, "resource": view.resource}
    return any(other.name == name for other in SavedView.objects.filter(**same).exclude(pk=view.pk))


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


def rotate() -> rotation.Report:
    """Re-encrypt the names and searches under the first key."""
    rows = SavedView.objects.all()
    return rotation.rotate(rows, "sealed", owner="user_id", purpose=SavedView.PURPOSE)


def _field(resource: str) -> str:
    return f"view.{resource}"
