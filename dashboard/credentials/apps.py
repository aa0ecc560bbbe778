"""The app of API key pairs, which are stored encrypted."""

from django.apps import AppConfig


class CredentialsConfig(AppConfig):
    """API key pairs, stored encrypted."""

    name = "dashboard.credentials"
