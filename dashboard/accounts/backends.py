"""Who is asking, and what they may do: two prepared queries, made afresh for every request.

Nothing is kept between requests, so that a deactivation, a change of role or of keys counts from
the very next one.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import AnonymousUser, Permission
from django.db.models import Count, DateTimeField, OuterRef, QuerySet, Subquery

from dashboard.accounts.models import User
from dashboard.accounts.prepared import Prepared

# Every field but the dates, whose conversion would cost more than all else (fetched if asked for).
_PERSON = tuple(f.attname for f in User._meta.concrete_fields if not isinstance(f, DateTimeField))
_PAIR = ("id", "user_id", "ciphertext", "workspace", "refused")  # in the order of the model


def _count(relation: str, **which: Any) -> Subquery:
    """How many of its rows belong to the person, of those `which` says."""
    model: Any = User._meta.get_field(relation).related_model
    mine = model.objects.filter(person=OuterRef("pk"), **which).order_by().values("person")
    return Subquery(mine.annotate(count=Count("pk")).values("count"))


def _person_and_more() -> QuerySet[User, tuple[Any, ...]]:
    """The person, their key pair, and how much of theirs is open."""
    counts = {
        "unfinished": _count(
            "drafts", workspace=OuterRef("key_pair__workspace"), state="open", sent_with=""
        ),
        "held": _count("deletions", workspace=OuterRef("key_pair__workspace"), state="held"),
        "unsure": _count("submissions", state__in=["not sure", "sending"], settled=""),
    }
    pair = (f"key_pair__{name}" for name in _PAIR)
    return User.objects.filter(pk=0).annotate(**counts).values_list(*_PERSON, *pair, *counts)


_PERSON_AND_PAIR = Prepared(_person_and_more)
_PERMISSIONS = Prepared(
    lambda: (
        Permission.objects.filter(group__user=0)
        .order_by()
        .values_list("content_type__app_label", "codename")
    )
)


class StaffBackend(AuthenticationBackend):  # type: ignore[misc]
    """allauth's sign-in by username or email; permissions from roles alone."""

    def get_user(self, user_id: int) -> User | None:
        """The active person of a session, their key pair (if any) already at `user.key_pair`."""
        rows = _PERSON_AND_PAIR.rows(user_id)
        if not rows:
            return None
        split = len(_PERSON)
        user = User.from_db("default", _PERSON, rows[0][:split])
        pair_ends = split + len(_PAIR)
        _attach_pair(user, rows[0][split:pair_ends])
        drafts, held, user.unsure = (count or 0 for count in rows[0][pair_ends:])
        user.unfinished = drafts + held
        return user if user.is_active else None

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        """Every "app.codename" that the person's roles grant; for a superuser, all there are."""
        if isinstance(user_obj, AnonymousUser) or not user_obj.is_active or obj is not None:
            return set()
        if user_obj.is_superuser:
            return set(super().get_all_permissions(user_obj))
        if user_obj.granted is None:
            rows = _PERMISSIONS.rows(user_obj.pk)
            user_obj.granted = {f"{app}.{codename}" for app, codename in rows}
        return user_obj.granted


def _attach_pair(user: User, row: tuple[Any, ...]) -> None:
    """Fill the caches that `user.key_pair` and `key_pair.user` read."""
    relation: Any = User._meta.get_field("key_pair")
    pair = relation.related_model.from_db("default", _PAIR, row) if row[0] is not None else None
    relation.set_cached_value(user, pair)
    if pair is not None:
        relation.field.set_cached_value(pair, user)
