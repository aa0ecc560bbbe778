"""The permissions, the four roles that grant them (one per person), and the decorator that requires
one for a view:

    @permission_required(EDIT_RECORDS)
    def create(request): ...
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.text import get_text_list

from dashboard.people.models import User

VIEW_RECORDS = "people.view_records"
EDIT_RECORDS = "people.edit_records"
DELETE_RECORDS = "people.delete_records"
EXPORT_RECORDS = "people.export_records"
MANAGE_SETTINGS = "people.manage_settings"
CHANGE_STAFF = "people.change_user"  # Django's own

WORDS = {
    VIEW_RECORDS: "see business records",
    EDIT_RECORDS: "create or change business records",
    DELETE_RECORDS: "delete business records",
    EXPORT_RECORDS: "export or import business records",
    MANAGE_SETTINGS: "change settings that apply to everyone",
    CHANGE_STAFF: "manage staff accounts",
}

VIEWER = "Viewer"
EDITOR = "Editor"
MANAGER = "Manager"
ADMINISTRATOR = "Administrator"

_VIEW = frozenset({VIEW_RECORDS})
_EDIT = _VIEW | {EDIT_RECORDS}
_MANAGE = _EDIT | {DELETE_RECORDS, EXPORT_RECORDS}

ROLES: dict[str, frozenset[str]] = {
    VIEWER: _VIEW,
    EDITOR: _EDIT,
    MANAGER: _MANAGE,
    # No delete: a person who leaves is deactivated, as the history names them.
    ADMINISTRATOR: _MANAGE | {MANAGE_SETTINGS, CHANGE_STAFF},
}
"""Role name -> permissions, from the fewest to the most."""
NONE = frozenset[str]()
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def permission_required(permission: str) -> Callable[[View[P]], View[P]]:
    """Require `permission` for a view; raises PermissionDenied with a sentence for the 403 page."""
    refusal = f"Your role doesn't let you {WORDS[permission]}. Ask an administrator to change it."

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if permission not in permissions_of(signed_in(request)):
                raise PermissionDenied(refusal)
            return view(request, *args, **kwargs)

        return guarded

    return guard


def role_labels() -> dict[str, str]:
    """Return each role with what it can do beyond the one before, such as "Editor: can also create
    or change business records".
    """
    labels, before = dict[str, str](), NONE
    for role, granted in ROLES.items():
        more = [words for each, words in WORDS.items() if each in granted - before]
        labels[role] = f"{role}: can {'also ' if before else ''}{get_text_list(more, 'and')}"
        before = granted
    return labels


def signed_in(request: HttpRequest) -> User:
    return cast(User, request.user)


def permissions_of(user: User) -> frozenset[str]:
    if not user.is_active:
        return NONE
    return ROLES.get(ADMINISTRATOR if user.is_superuser else user.role, NONE)


def allowed(permission: str) -> QuerySet[User]:
    granting = [role for role, granted in ROLES.items() if permission in granted]
    return User.objects.filter(Q(role__in=granting) | Q(is_superuser=True), is_active=True)


def set_role(user: User, role: str) -> None:
    """Give a person this role; "" removes it. Raises ValueError for an unknown role."""
    if role and role not in ROLES:
        raise ValueError(f"no such role: {role}")
    user.role = role
    user.save(update_fields=["role"])
