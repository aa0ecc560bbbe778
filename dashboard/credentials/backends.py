"""Loads the signed-in person of each request."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from dashboard.accounts import second_step
from dashboard.accounts.models import User


class StaffBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """allauth's backend with two queries less on every page."""

    def get_user(self, user_id: int) -> User | None:
        """The person, their key pair and `lacks_second_step` in one query; None for nobody or a
        deactivated account.
        """
        people = second_step.with_state(User.objects.select_related("key_pair"))
        user = people.filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None

    def get_user_permissions(
        self, user_obj: AbstractBaseUser | AnonymousUser, obj: Model | None = None
    ) -> set[str]:
        """None: only roles (groups) grant permissions, and only superusers need no role."""
        return set()
