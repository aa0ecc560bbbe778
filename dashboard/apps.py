"""The dashboard as an app of Django: the declarations of its resources are checked at the start."""

from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

TAG = "dashboard"  # the checks of this tag run when a server starts, too


class DashboardConfig(AppConfig):
    """Everything that belongs to no other app."""

    name = "dashboard"

    def ready(self) -> None:
        """Register the check of the declarations."""
        register(check_declarations, TAG)


def check_declarations(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """dashboard.E010: a resource declares what its endpoint or its forms do not have."""
    from dashboard import resources  # needs the apps loaded
    from dashboard.records.declaration_checks import problems

    hint = "Correct its module under dashboard/resources/, or its endpoint."
    return [Error(words, hint=hint, id="dashboard.E010") for words in problems(resources.ALL)]
