"""The unpublished operations: those that the API reference lacks and the service may have.

An administrator switches each on or off. API_UNPUBLISHED is the default.
"""

import logging

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType

from dashboard.accounts.models import User
from dashboard.credentials.models import Switch
from dashboard.gateway import ENDPOINTS

NEWEST = 20

logger = logging.getLogger(__name__)

UNPUBLISHED = tuple(
    f"{endpoint.name}.{operation}"
    for endpoint in ENDPOINTS
    for operation in ("get", "update", "delete")
    if operation in endpoint.unpublished
)
"""Their names, such as "tasks.update"."""


def switched_on() -> frozenset[str]:
    """The names of the operations that are on. One query."""
    decided = dict(Switch.objects.values_list("operation", "is_on"))
    default: frozenset[str] = settings.API_UNPUBLISHED
    return frozenset(name for name in UNPUBLISHED if decided.get(name, name in default))


def switch(wanted: frozenset[str], *, by: User) -> None:
    """Switch exactly these operations on. Each change is stored with its author in a LogEntry."""
    before = switched_on()
    kind = ContentType.objects.get_for_model(Switch)
    for name in UNPUBLISHED:
        if (name in wanted) == (name in before):
            continue
        Switch.objects.update_or_create(operation=name, defaults={"is_on": name in wanted})
        state = "on" if name in wanted else "off"
        LogEntry.objects.create(
            user=by,
            content_type=kind,
            object_id=name,
            object_repr=name,
            action_flag=CHANGE,
            change_message=f"switched {state}",
        )
        logger.warning("unpublished operation %s switched %s by person %s", name, state, by.pk)


def changes() -> list[LogEntry]:
    """The latest changes of the switches, newest first."""
    kind = ContentType.objects.get_for_model(Switch)
    entries = LogEntry.objects.filter(content_type=kind).select_related("user")
    return list(entries.order_by("-action_time", "-pk")[:NEWEST])
