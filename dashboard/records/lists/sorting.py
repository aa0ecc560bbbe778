"""Which columns the service does not sort by, kept for some minutes so that they are not offered.

The reference does not name the values of `sortBy` (section 4), so every list field is offered
until the service refuses it or ignores it. What one key pair learns applies to that pair alone.
"""

from django.core.cache import cache

from dashboard.gateway import Gateway, Page
from dashboard.records.lists.query import ListQuery
from dashboard.records.references.lookups import fingerprint
from dashboard.records.resource import Resource

KEPT = 10 * 60  # seconds
ORDERED_KINDS = {"integer", "number", "date", "datetime", "timestamp"}


def unsortable(gateway: Gateway, resource: Resource) -> frozenset[str]:
    """The names of the columns that the service did not sort by for this key pair."""
    owner = fingerprint(gateway)
    kept_for, names = cache.get(_key(owner, resource), ("", frozenset()))
    return names if kept_for == owner else frozenset()


def remember(gateway: Gateway, query: ListQuery) -> None:
    """Keep that the service does not sort by this query's column."""
    owner, known = fingerprint(gateway), unsortable(gateway, query.resource)
    cache.set(_key(owner, query.resource), (owner, known | {query.sort}), KEPT)


def ignored(query: ListQuery, page: Page) -> bool:
    """Whether the rows are certainly not in the order asked for.

    Only numbers and dates are compared: the service's order of texts is not known.
    """
    kind = query.resource.endpoint.kinds.get(query.sort)
    values = [record[query.sort] for record in page.records]
    known = [value for value in values if value]  # neither empty nor unreadable
    if kind not in ORDERED_KINDS or len({type(value) for value in known}) != 1:
        return False
    return known != sorted(known, reverse=query.descending)


def _key(owner: str, resource: Resource) -> str:
    return f"unsortable:{owner}:{resource.name}"
