"""The app of workspace settings and remembered choices."""

from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    """Settings of a workspace and remembered choices."""

    name = "dashboard.preferences"
