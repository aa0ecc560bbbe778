"""The staff accounts that an administrator may see, and their sessions."""

import re
from collections.abc import Container
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.core.exceptions import PermissionDenied
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404

from dashboard.people import mails, members
from dashboard.people.models import Membership, User, Workspace
from dashboard.people.permissions import ADMINISTRATOR

OWN = "You can't do this to your own account. Ask another administrator."
LAST = "This is the only administrator. Give someone else that role first."
OTHER_WORKSPACE = (
    "This account belongs to another workspace. Only a superuser or an administrator of that "
    "workspace can change it."
)
NOT_IN_USERNAMES = re.compile(r"[^\w.@+-]")
FIELDS = ("username", "first_name", "last_name", "email")


def visible_to(administrator: User) -> QuerySet[User]:
    """Return the accounts of the staff list, active ones first, annotated with `second_factor`
    (two-step sign-in is on), `linked` (to single sign-on), `may_change` (by this administrator) and
    `has_unsent_invitation`.

    Superusers are hidden from administrators, who could gain their rights by changing one.
    """
    factor = Exists(Authenticator.objects.filter(user=OuterRef("pk")))
    identity = Exists(SocialAccount.objects.filter(user=OuterRef("pk")))
    may_change = ExpressionWrapper(_changeable_by(administrator), output_field=BooleanField())
    unsent = Exists(mails.unsent_invitations().filter(person=OuterRef("pk")))
    people = User.objects.annotate(
        second_factor=factor,
        linked=identity,
        may_change=may_change,
        has_unsent_invitation=unsent,
    )
    visible = people if administrator.is_superuser else people.filter(is_superuser=False)
    return visible.order_by("-is_active", "username")


def _changeable_by(administrator: User) -> Q:
    """Return the accounts of no workspace and of the administrator's own, no superusers; for a
    superuser, all.

    The workspace of an account is that of its key pair. Without one it is each that the account is
    a member of or invited to, as a new pair can join it.
    """
    if administrator.is_superuser:
        return Q(pk__isnull=False)
    own = administrator.workspace_id
    elsewhere = Membership.objects.filter(user=OuterRef("pk"))
    without_pair = Q(key_pair__isnull=True) & ~Exists(elsewhere.exclude(workspace=own))
    return Q(is_superuser=False) & (without_pair | Q(key_pair__workspace=own))


def may_change(administrator: User, person: User) -> bool:
    """Return whether an administrator may change this account, as it is stored now."""
    return User.objects.filter(_changeable_by(administrator), pk=person.pk).exists()


def lock(pk: int, administrator: User) -> User:
    """Lock the account for a change by this administrator until the transaction ends. Raises
    Http404, and PermissionDenied for an account of another workspace.
    """
    _lock_with_administrators(pk)
    return changeable(pk, administrator)


def changeable(pk: int, administrator: User) -> User:
    """Return an account that this administrator may change. Raises Http404, and PermissionDenied
    for an account of another workspace.
    """
    person = get_object_or_404(visible_to(administrator), pk=pk)
    if not may_change(administrator, person):
        raise PermissionDenied(OTHER_WORKSPACE)
    return person


def workspace_of_new(acting: User | None) -> Workspace | None:
    """Return the workspace that new accounts of this administrator, or of the operator (None), are
    invited to. The operator and superusers without keys invite to the only one.
    """
    if acting and acting.pair:
        return acting.pair.workspace
    return members.only_workspace() if acting is None or acting.is_superuser else None


def administrators_of(person: User) -> QuerySet[User]:
    """Return the active administrators who may change an account, and all active superusers, as far
    as they have an email address. See `_changeable_by`.
    """
    theirs = Q(role=ADMINISTRATOR)
    joined = Membership.objects.filter(user=person).values_list("workspace", flat=True)
    workspaces = {person.workspace_id} if person.pair else {*joined}
    if person.is_superuser or len(workspaces) > 1:
        theirs = Q(pk__in=())
    elif workspaces:
        theirs &= Q(key_pair__workspace__in=workspaces)
    people = User.objects.filter(theirs | Q(is_superuser=True), is_active=True)
    return people.exclude(email="")


def search(people: QuerySet[User], text: str) -> QuerySet[User]:
    """Filter by name, email address or role; the role counts only if the list shows it."""
    condition = Q(("role__icontains", text), ("may_change", True))
    for name in FIELDS:
        condition |= Q((f"{name}__icontains", text))
    return people.filter(condition) if text else people


def state_of(person: Any) -> tuple[str, str]:
    """Return the label and the CSS name of the status of an account of `visible_to`."""
    if not person.is_active:
        return "Deactivated", "off"
    known = person.has_usable_password() or person.last_login  # by single sign-on
    if known:
        return "Active", "paid"
    return "Invited, email not sent" if person.has_unsent_invitation else "Invited", "soon"


def is_last_administrator(person: User) -> bool:
    """Return whether no other active account is an administrator's.

    Call it in the transaction of the change: the lock keeps two administrators from removing each
    other at the same time.
    """
    _lock_with_administrators(person.pk)
    active = User.objects.filter(role=ADMINISTRATOR, is_active=True).values_list("pk", flat=True)
    return set(active) == {person.pk}


def _lock_with_administrators(pk: int) -> None:
    """Lock in one order for every change, so that no two of them wait for each other."""
    rows = User.objects.filter(Q(pk=pk) | Q(role=ADMINISTRATOR)).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def end_sessions(person: User) -> None:
    """Sign a person out everywhere, also a deactivated one, whose sessions would otherwise
    return.
    """
    get_adapter().end_sessions(UserSession.objects.filter(user=person))


def free_username(address: str, taken: Container[str] = ()) -> str:
    """Return the part of the address before the @, or all of it if that username is in use.
    `taken`: other reserved usernames, in lower case.
    """
    usable = NOT_IN_USERNAMES.sub("", address.lower())
    short = usable.partition("@")[0]
    if short in taken or User.objects.filter(username__iexact=short).exists():
        return usable
    return short
