"""The drafts room."""

from django.apps import AppConfig


class DraftsConfig(AppConfig):
    """What was typed and not yet sent."""

    name = "dashboard.drafts"
