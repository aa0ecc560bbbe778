"""The sign-in of the floor."""

from typing import Any

from django.contrib.auth.backends import ModelBackend


class NoPermissions(ModelBackend):
    """Reads the person as Django does. The pages beside it ask every backend for permissions, and
    this one costs them no statement.
    """

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        return set()

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        return False
