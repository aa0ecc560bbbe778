"""The room of settled and remembered things."""

from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    """What the office has settled and what people did last."""

    name = "dashboard.preferences"
