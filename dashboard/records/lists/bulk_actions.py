"""What a list offers to do with many of its records at once; the room `bulk` does it."""

from typing import NamedTuple

from dashboard.gateway import Gateway
from dashboard.records.resource import Resource


class BulkAction(NamedTuple):
    """One button below a list: the value that it sends, its words and its key.

    do: "change", "delete", the resource of which each record gets one, or a name that the resource
    declares.
    """

    do: str
    label: str
    key: str


def offered(resource: Resource, gateway: Gateway) -> list[BulkAction]:
    """What the service can do with records of this resource, the usual first."""
    found = []
    if gateway.offers(resource.endpoint, "update"):
        found.append(BulkAction("change", "Change", "v"))
    for start in resource.starts:
        if start.each:
            found.append(BulkAction(start.target, f"{start.label} for each", start.key))
    found += [BulkAction(*action) for action in resource.bulk_actions]
    if gateway.offers(resource.endpoint, "delete"):
        found.append(BulkAction("delete", "Delete", "#"))
    return found
