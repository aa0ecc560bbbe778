"""The unpublished operations: those that the API reference lacks and the service may have.

An administrator switches each on or off for their workspace. API_UNPUBLISHED is the default.
"""

from django.conf import settings
from django.db import transaction

from dashboard.gateway import ENDPOINTS
from dashboard.people.models import Workspace

UNPUBLISHED = tuple(
    f"{endpoint.name}.{name}"
    for endpoint in ENDPOINTS
    for name in ("get", "update", "delete", *sorted(endpoint.unpublished_fields))
    if name in endpoint.unpublished | endpoint.unpublished_fields
)
"""Their names, such as "tasks.update", and "deals.deal_current_stage" for a field of an update."""


def switched_on(workspace: Workspace | None) -> frozenset[str]:
    """The names of the operations that are on in the workspace; without one, the default."""
    decided = workspace.switches if workspace else {}
    default: frozenset[str] = settings.API_UNPUBLISHED
    return frozenset(name for name in UNPUBLISHED if decided.get(name, name in default))


@transaction.atomic
def switch(workspace: Workspace, wanted: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Switch exactly these operations on in a workspace; returns "on" or "off" before and after of
    each change.
    """
    stored = Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    before, changes = switched_on(stored), {}
    for name in UNPUBLISHED:
        if (name in wanted) == (name in before):
            continue
        stored.switches[name] = name in wanted
        changes[name] = ("off", "on") if name in wanted else ("on", "off")
    stored.save(update_fields=["switches"])
    return changes
