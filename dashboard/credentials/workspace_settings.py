"""Reads and writes the settings that the people of a workspace share."""

from collections.abc import Collection, Sequence
from typing import Any

from .models import Workspace


def change_settings(workspace: str, **values: Any) -> None:
    """Store these settings of a workspace, and leave the others as they are stored."""
    Workspace.objects.filter(pk=workspace).update(**values)


def agreeing_methods(
    settings: Workspace, codes: Collection[str], all_codes: Collection[str]
) -> list[str]:
    """The methods that agree with every total of the service so far, and with one more, with which
    `codes` agree. A total that agrees with every method is ignored. If none of the methods before
    is among `codes`, `codes` replace them.
    """
    if not codes or len(codes) == len(all_codes):
        return list(settings.told)
    return sorted(set(settings.told) & set(codes)) or sorted(codes)


def method_code(settings: Workspace, codes: Sequence[str]) -> str:
    """The code of the method for totals: the chosen, else the first that agrees, else the first."""
    if settings.method in codes:
        return settings.method
    return next((code for code in codes if code in settings.told), codes[0])
