"""Reads and writes the settings that the people of a workspace share."""

from typing import Any

from .models import Workspace


def change_settings(workspace: str, **values: Any) -> None:
    """Store these settings of a workspace, and leave the others as they are stored."""
    Workspace.objects.filter(pk=workspace).update(**values)
