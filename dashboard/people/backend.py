"""Loads the signed-in person of each request, and what their role lets them do."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from dashboard.people.models import User
from dashboard.people.permissions import permissions_of


class StaffBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """allauth's backend with one query on every page."""

    def get_user(self, user_id: int) -> User | None:
        """The person with key pair, its workspace, and choices; None for nobody or a deactivated
        account.
        """
        people = User.objects.select_related("key_pair__workspace", "choices")
        try:
            user = people.get(pk=user_id)  # `first` would take a third more CPU, to build an order
        except User.DoesNotExist:
            return None
        return user if self.user_can_authenticate(user) else None

    def get_all_permissions(
        self, user_obj: AbstractBaseUser | AnonymousUser, obj: Model | None = None
    ) -> set[str]:
        return set(permissions_of(user_obj)) if isinstance(user_obj, User) else set()
