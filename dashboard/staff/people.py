"""The staff accounts that an administrator sees, and their sessions."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.db.models import Exists, OuterRef, Q, QuerySet

from dashboard.accounts.models import User
from dashboard.accounts.roles import ADMINISTRATOR, role_of

LAST = "This is the last administrator. Make somebody else an administrator first."
FIELDS = ("username", "first_name", "last_name", "email", "groups__name")


def visible_to(administrator: User) -> QuerySet[User]:
    """The accounts that a person may manage, those in use first, with `second_factor`: whether
    two-step sign-in is on, and `linked`: whether single sign-on knows them.

    Superusers are hidden from administrators, who could gain their rights by changing one.
    """
    factor = Exists(Authenticator.objects.filter(user=OuterRef("pk")))
    identity = Exists(SocialAccount.objects.filter(user=OuterRef("pk")))
    accounts = User.objects.prefetch_related("groups")
    people = accounts.annotate(second_factor=factor, linked=identity)
    shown = people if administrator.is_superuser else people.filter(is_superuser=False)
    return shown.order_by("-is_active", "username")


def search(people: QuerySet[User], text: str) -> QuerySet[User]:
    """Those whose name, email address or role contains the text."""
    wanted = Q()
    for name in FIELDS:
        wanted |= Q((f"{name}__icontains", text))
    return people.filter(wanted).distinct() if text else people


def role_in_words(person: User) -> str:
    """The name of the role."""
    return role_of(person) or ("Superuser" if person.is_superuser else "none")


def state_of(person: User) -> tuple[str, str]:
    """Whether the account is in use: words and the CSS name of the status."""
    if not person.is_active:
        return "Deactivated", "off"
    known = person.has_usable_password() or person.last_login  # by single sign-on
    return ("Active", "paid") if known else ("Invited", "soon")


def is_last_administrator(person: User) -> bool:
    """Whether no other active account is an administrator's.

    Call it in the transaction of the change: the lock keeps two administrators from removing each
    other at the same time.
    """
    role = Group.objects.select_for_update().get(name=ADMINISTRATOR)
    active = role.user_set.filter(is_active=True).values_list("pk", flat=True)
    return set(active) == {person.pk}


def open_sessions(person: User) -> int:
    """In how many browsers an active person is signed in."""
    return len(UserSession.objects.purge_and_list(person)) if person.is_active else 0


def end_sessions(person: User) -> None:
    """Sign a person out everywhere, also a deactivated one, whose sessions would come back."""
    get_adapter().end_sessions(UserSession.objects.filter(user=person))
