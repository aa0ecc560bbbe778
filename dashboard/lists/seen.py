"""The pages of lists that were read, kept for when the service does not answer.

Each is kept for the key pair that read it, for a day's work, without what filters looked through
that the service lacks. First pages without a search alone, as each page takes 5 kB of a cache that
holds names, too, and people type other searches all day.
"""

from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from django.utils import timezone

from dashboard.gateway import Page
from dashboard.gateway.records import record_of
from dashboard.lists.fetch import FetchedPage
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.reader import sealed_cache

KIND = "seen"  # of cache keys; another one once what is kept changes its shape
KEPT = 12 * 60 * 60  # seconds


def keep(ctx: RequestContext, query: ListQuery, page: Page) -> None:
    """Keep the page that this query was answered with, if it is of those that are opened again."""
    if query.search or query.page > 1:
        return
    counts = {name: value for name, value in vars(page).items() if name != "records"}
    rows = [record.raw for record in page.records]
    value = {"rows": rows, "counts": counts, "at": timezone.now().isoformat()}
    sealed_cache.write(_key(ctx, query), value, KEPT)


def last_seen(ctx: RequestContext, query: ListQuery) -> FetchedPage:
    """The page that the same query was answered with the last time; an empty one where none is
    kept.
    """
    kept = sealed_cache.read(_key(ctx, query))
    if not kept:
        return FetchedPage(query, Page((), 0, 0, None, None, 0))
    endpoint = query.resource.endpoint
    records = tuple(filter(None, (record_of(endpoint, row) for row in kept["rows"])))
    page = Page(records, **kept["counts"])
    return FetchedPage(query, page, seen_at=datetime.fromisoformat(kept["at"]))


def _key(ctx: RequestContext, query: ListQuery) -> str:
    key = sealed_cache.keys_of(ctx.gateway)
    asked = sha256(replace(query, view="", columns=(), compact=False).url().encode()).hexdigest()
    return key(KIND, query.resource.endpoint, asked)
