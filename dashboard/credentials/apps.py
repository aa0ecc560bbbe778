"""The credentials room: API key pairs, kept encrypted."""

from django.apps import AppConfig


class CredentialsConfig(AppConfig):
    """API key pairs, kept encrypted."""

    name = "dashboard.credentials"

    def ready(self) -> None:
        """Register the project's system checks, most of which are about keys."""
        from dashboard import checks  # noqa: F401
