"""How many records the named lists have, as they were read in the last ten minutes.

The numbers on the tabs of a list: no call is made for one. They are kept for each person, as "me"
in a filter is that person.
"""

from collections.abc import Mapping

from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.lists.query import ListQuery
from dashboard.reader import sealed_cache

KEPT = 10 * 60  # seconds


def known_counts(
    ctx: RequestContext, lists: Mapping[str, ListQuery], shown: ListQuery, total: int | None
) -> dict[str, int]:
    """The counts of the named lists that are known, by the key of the list. Those with the records
    of the list `shown` have `total`, which is kept; None if that is not known.
    """
    conditions = {key: query.condition() for key, query in lists.items()}
    key = _key(ctx, shown)
    kept = _kept(key)
    if total is not None and shown.condition() in conditions.values():
        kept[shown.condition()] = (total, int(timezone.now().timestamp()))
        sealed_cache.write(key, kept, KEPT)
    return {name: kept[each][0] for name, each in conditions.items() if each in kept}


def known_count(ctx: RequestContext, query: ListQuery) -> int | None:
    """How many records a list has; None if that is not known."""
    count, _ = _kept(_key(ctx, query)).get(query.condition(), (None, 0))
    return count


def _kept(key: str) -> dict[str, tuple[int, int]]:
    """The counts and the times that they were read at, by the condition of their list."""
    oldest = timezone.now().timestamp() - KEPT
    entries = (sealed_cache.read(key) or {}).items()
    return {condition: (count, at) for condition, (count, at) in entries if at >= oldest}


def _key(ctx: RequestContext, query: ListQuery) -> str:
    person = ctx.person.pk if ctx.person else 0
    return sealed_cache.keys_of(ctx.gateway)("counts", query.resource.endpoint, person)
