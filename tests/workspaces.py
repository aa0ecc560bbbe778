"""Key pairs and reference lists for tests, in workspaces whose id is their name."""

from copy import copy
from typing import Any

from dashboard.office import reference_lists
from dashboard.office.list_import import load_reference_lists
from dashboard.office.models import ListEntry
from dashboard.people import keys
from dashboard.people.models import KeyPair, User, Workspace


def of_name(name: str) -> Workspace:
    """The workspace with this id, which is made if need be."""
    return Workspace.objects.get_or_create(pk=name, defaults={"name": name})[0]


def connect(user: User, *, access: str, secret: str, workspace: str) -> KeyPair:
    """Connect keys as a member of the workspace with this id; no keys are compared."""
    return keys.connect(user, access=access, secret=secret, workspace=of_name(workspace))


_filled: dict[str, list[ListEntry]] = {}


def fill_lists(workspace: str, data: Any) -> None:
    """Fill the empty lists of a workspace. What was filled in once is copied from then on."""
    kept = _filled.setdefault(f"{workspace}{data}", [])
    if kept:
        ListEntry.objects.bulk_create([copy(entry) for entry in kept])
        reference_lists.begin_version(workspace)
        return
    load_reference_lists(workspace, data)
    for entry in ListEntry.objects.filter(workspace=workspace):
        entry.pk = None
        kept.append(entry)
