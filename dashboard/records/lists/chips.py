"""The chips above a list: what filters it, each with the address that removes it."""

from dashboard.records.context import RequestContext
from dashboard.records.lists.filters import value_in_words
from dashboard.records.lists.links import Link
from dashboard.records.lists.query import ListQuery


def chips(query: ListQuery, ctx: RequestContext) -> list[Link]:
    """One link for the search and for each filter; it leads to the list without it."""
    found = [Link(f"“{query.search}”", query.url(search="", page=1))] if query.search else []
    for item in query.resource.filters:
        if value := query.filters.get(item.name):
            word = value_in_words(item, value, ctx)
            found.append(Link(f"{item.label}: {word}", query.without(item.name)))
    return found
