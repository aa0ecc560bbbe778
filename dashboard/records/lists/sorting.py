"""Which columns the service will not sort by, remembered so that they are no longer offered.

The reference does not name the values of `sortBy` (section 4), so every list field is offered
until the service refuses it or plainly ignores it.
"""

from django.core.cache import cache

from dashboard.gateway import Page
from dashboard.records.lists.query import ListQuery
from dashboard.records.resource import Resource

A_DAY = 24 * 60 * 60
ORDERED_KINDS = {"integer", "number", "date", "datetime", "timestamp"}


def unsortable(resource: Resource) -> frozenset[str]:
    """The names of the columns known not to sort."""
    known: frozenset[str] = cache.get(_key(resource), frozenset())
    return known


def remember(query: ListQuery) -> None:
    """Take note that the service does not sort by this query's column."""
    cache.set(_key(query.resource), unsortable(query.resource) | {query.sort}, A_DAY)


def ignored(query: ListQuery, page: Page) -> bool:
    """Whether the rows are plainly not in the order asked for.

    Only numbers and dates are judged: how a service orders text is its own affair.
    """
    kind = query.resource.endpoint.kinds.get(query.sort)
    values = [record[query.sort] for record in page.records]
    known = [value for value in values if value]  # neither empty nor unreadable
    if kind not in ORDERED_KINDS or len({type(value) for value in known}) != 1:
        return False
    return known != sorted(known, reverse=query.descending)


def _key(resource: Resource) -> str:
    return f"unsortable:{resource.name}"
