"""The four roles, of which a person has one, and the permissions that each grants."""

from django.db.models import Q, QuerySet

from dashboard.people import permissions as may
from dashboard.people.models import User

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
_GRANTED = {"": frozenset[str]()} | {role: frozenset(granted) for role, granted in ROLES.items()}


def permissions_of(user: User) -> frozenset[str]:
    """What the role lets an active person do; a superuser may do all."""
    if not user.is_active:
        return frozenset()
    return _GRANTED[ADMINISTRATOR if user.is_superuser else user.role]


def allowed(permission: str) -> QuerySet[User]:
    granting = [role for role, granted in ROLES.items() if permission in granted]
    return User.objects.filter(Q(role__in=granting) | Q(is_superuser=True), is_active=True)


def set_role(user: User, role: str) -> None:
    """Give a person this role, or none for "". Raises ValueError for an unknown role."""
    if role and role not in ROLES:
        raise ValueError(f"no such role: {role}")
    user.role = role
    user.save(update_fields=["role"])
