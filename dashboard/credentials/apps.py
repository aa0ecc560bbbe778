"""The credentials room: API key pairs, kept encrypted."""

from django.apps import AppConfig


class CredentialsConfig(AppConfig):
    """API key pairs, kept encrypted."""

    name = "dashboard.credentials"
