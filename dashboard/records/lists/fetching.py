"""Reads the page that a list's address asks for, or the nearest one that exists."""

from dataclasses import replace

from dashboard.gateway import Gateway, Page, Rejected
from dashboard.records.lists import sorting
from dashboard.records.lists.query import ListQuery


def fetch(gateway: Gateway, query: ListQuery) -> tuple[ListQuery, Page]:
    """The page, and the query that it answers: the last page where the address asks for one
    beyond it, and unsorted where the service does not sort by the column. Raises GatewayError.
    """
    query, page = _sorted_if_possible(gateway, query)
    if page.total_pages and query.page > page.total_pages:
        query, page = _sorted_if_possible(gateway, replace(query, page=page.total_pages))
    return query, page


def _sorted_if_possible(gateway: Gateway, query: ListQuery) -> tuple[ListQuery, Page]:
    """A sort is given up only where the same list without it succeeds: a service that refuses the
    search text refuses the unsorted list as well, and that says nothing about sorting.
    """
    unsorted = replace(query, sort="", descending=False)
    try:
        page = _read(gateway, query)
    except Rejected:
        if not query.sort:
            raise
        page = _read(gateway, unsorted)
        sorting.remember(gateway, query)
        return unsorted, page
    if query.sort and sorting.ignored(query, page):
        sorting.remember(gateway, query)
        return unsorted, page
    return query, page


def _read(gateway: Gateway, query: ListQuery) -> Page:
    return gateway.list(query.resource.endpoint, **query.arguments())
