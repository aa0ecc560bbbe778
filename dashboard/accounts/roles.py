"""The four roles: Django groups whose permissions are defined here and set by every migrate."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.db.models import Q

from dashboard.accounts import permissions as may
from dashboard.accounts.models import User

VIEWER = "Viewer"
EDITOR = "Editor"
MANAGER = "Manager"
ADMINISTRATOR = "Administrator"

_VIEW = (may.VIEW_RECORDS,)
_EDIT = (*_VIEW, may.EDIT_RECORDS)
_MANAGE = (*_EDIT, may.DELETE_RECORDS, may.EXPORT_RECORDS)
_ADMINISTER = (
    *_MANAGE,
    may.SEE_WHO_HAS_KEYS,
    may.MANAGE_SETTINGS,
    may.VIEW_STAFF,
    may.ADD_STAFF,
    may.CHANGE_STAFF,  # no delete: a person who leaves is deactivated, as the history names them
)

ROLES: dict[str, tuple[str, ...]] = {
    VIEWER: _VIEW,
    EDITOR: _EDIT,
    MANAGER: _MANAGE,
    ADMINISTRATOR: _ADMINISTER,
}
"""Role name -> permissions, from the fewest to the most."""


def make_roles(app_config: AppConfig, using: str, **kwargs: Any) -> None:
    """Create the groups of ROLES and set their permissions (a post_migrate receiver)."""
    create_permissions(app_config, verbosity=0, using=using)  # auth's own receiver runs after ours
    for name, wanted in ROLES.items():
        group, _ = Group.objects.using(using).get_or_create(name=name)
        matching = Q()
        for permission in wanted:
            app_label, codename = permission.split(".")
            matching |= Q(content_type__app_label=app_label, codename=codename)
        group.permissions.set(Permission.objects.using(using).filter(matching))


def role_of(user: User) -> str:
    """The role with the most permissions; "" for none. Reads `user.groups` (prefetchable)."""
    held = {group.name for group in user.groups.all()}
    return next((name for name in reversed(ROLES) if name in held), "")


def set_role(user: User, role: str) -> None:
    """Replace the roles of a person by this one, or by none for "". Raises ValueError for an
    unknown role.
    """
    if role and role not in ROLES:
        raise ValueError(f"no such role: {role}")
    user.groups.set(Group.objects.filter(name=role))
