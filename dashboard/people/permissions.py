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
SEE_WHO_HAS_KEYS = "people.see_who_has_keys"
MANAGE_SETTINGS = "people.manage_settings"

# Django's own permissions on the staff accounts themselves.
ADD_STAFF = "people.add_user"
CHANGE_STAFF = "people.change_user"

WORDS = {
    VIEW_RECORDS: "see business records",
    EDIT_RECORDS: "create or change business records",
    DELETE_RECORDS: "delete business records",
    EXPORT_RECORDS: "export or import business records",
    SEE_WHO_HAS_KEYS: "see who has connected API keys",
    MANAGE_SETTINGS: "change settings that apply to everyone",
    ADD_STAFF: "invite people",
    CHANGE_STAFF: "manage staff accounts",
}

VIEWER = "Viewer"
EDITOR = "Editor"
MANAGER = "Manager"
ADMINISTRATOR = "Administrator"

_VIEW = (VIEW_RECORDS,)
_EDIT = (*_VIEW, EDIT_RECORDS)
_MANAGE = (*_EDIT, DELETE_RECORDS, EXPORT_RECORDS)
_ADMINISTER = (
    *_MANAGE,
    SEE_WHO_HAS_KEYS,
    MANAGE_SETTINGS,
    ADD_STAFF,
    CHANGE_STAFF,  # no delete: a person who leaves is deactivated, as the history names them
)

ROLES: dict[str, tuple[str, ...]] = {
    VIEWER: _VIEW,
    EDITOR: _EDIT,
    MANAGER: _MANAGE,
    ADMINISTRATOR: _ADMINISTER,
}
"""Role name -> permissions, from the fewest to the most."""
NONE = frozenset[str]()
_GRANTED = {role: frozenset(permissions) for role, permissions in ROLES.items()}
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
        more = [WORDS[each] for each in granted if each in WORDS and each not in before]
        labels[role] = f"{role}: can {'also ' if before else ''}{get_text_list(more, 'and')}"
        before = _GRANTED[role]
    return labels


def signed_in(request: HttpRequest) -> User:
    return cast(User, request.user)


def permissions_of(user: User) -> frozenset[str]:
    if not user.is_active:
        return NONE
    return _GRANTED.get(ADMINISTRATOR if user.is_superuser else user.role, NONE)


def allowed(permission: str) -> QuerySet[User]:
    granting = [role for role, granted in ROLES.items() if permission in granted]
    return User.objects.filter(Q(role__in=granting) | Q(is_superuser=True), is_active=True)


def set_role(user: User, role: str) -> None:
    """Give a person this role; "" removes it. Raises ValueError for an unknown role."""
    if role and role not in ROLES:
        raise ValueError(f"no such role: {role}")
    user.role = role
    user.save(update_fields=["role"])
