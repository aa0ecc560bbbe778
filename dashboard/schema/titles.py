"""Titles of related records. Known titles are rendered with the page, the others in one late
fragment.
"""

from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path, reverse

from dashboard.core import rate_limit
from dashboard.gateway import ENDPOINTS, Record, whole_number
from dashboard.people.context import RequestContext, StaffRequest
from dashboard.people.permissions import VIEW_RECORDS, permission_required
from dashboard.reader import lookups
from dashboard.reader.lookups import Pointer
from dashboard.schema.cells import Names
from dashboard.schema.resource import Detail

PAGE_WAIT = 0.0  # seconds that a page waits for names; those looked up meanwhile are begun
LATE_WAIT = 8.0  # of a fragment, while the page is already there
MAX_FRAGMENTS = 60  # fragments that one person gets in a minute

_ENDPOINTS = {endpoint.name: endpoint for endpoint in ENDPOINTS}


def names_around(
    ctx: RequestContext,
    parts: Iterable[Detail],
    records: Iterable[Record],
    *,
    seconds: float | None = None,
) -> Names:
    return names_of(ctx, pointers(parts, records), seconds=seconds)


def names_of(
    ctx: RequestContext, pointers: Iterable[Pointer], *, seconds: float | None = None
) -> Names:
    """Return the titles of these records that arrive within `seconds` (PAGE_WAIT); `late_url` asks
    for the others.
    """
    seconds = PAGE_WAIT if seconds is None else seconds  # read now, as tests change it
    asked = list(dict.fromkeys(pointers))
    titles = lookups.load_titles(ctx.gateway, asked, seconds=seconds) if asked else {}
    missing = [pointer for pointer in asked if (pointer[0].name, pointer[1]) not in titles]
    return Names(titles=titles, late_url=late_url(missing))


def pointers(parts: Iterable[Detail], records: Iterable[Record]) -> Iterator[Pointer]:
    """Yield the records that these parts of the records refer to."""
    pointing = [(part.points_to, part.name) for part in parts if part.points_to]
    for record in records if pointing else ():
        for endpoint, name in pointing:
            value = record.get(name)
            if isinstance(value, int) and value > 0:
                yield endpoint, value


def late_url(missing: list[Pointer]) -> str:
    """Return the URL of the fragment with these titles; "" if none is missing."""
    by_endpoint: dict[str, list[str]] = {}
    for endpoint, number in missing[: lookups.MAX_LOOKUPS]:
        by_endpoint.setdefault(endpoint.name, []).append(str(number))
    query = {name: ",".join(numbers) for name, numbers in by_endpoint.items()}
    return f"{reverse('titles')}?{urlencode(query, safe=',')}" if query else ""


@permission_required(VIEW_RECORDS)
def late(request: HttpRequest) -> HttpResponse:
    """Render the late titles of a page, as a fragment for htmx.

    A title that is still not known is left out: the page keeps the record's number as a link. The
    same holds after more than MAX_FRAGMENTS requests in a minute (429).
    """
    if rate_limit.exceeded("names", cast(StaffRequest, request).user.pk, most=MAX_FRAGMENTS):
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS)
    pointers = list(_asked(request.GET))[: lookups.MAX_LOOKUPS]
    gateway = cast(StaffRequest, request).gateway
    titles = lookups.load_titles(gateway, pointers, seconds=LATE_WAIT)
    names = [(f"{kind}-{number}", title) for (kind, number), title in titles.items() if title]
    return render(request, "schema/_late_names.html", {"names": names})


def _asked(params: QueryDict) -> Iterator[Pointer]:
    for kind, numbers in params.items():
        for number in str(numbers).split(",") if kind in _ENDPOINTS else ():
            if record_id := whole_number(number):
                yield _ENDPOINTS[kind], record_id


urlpatterns = [path("", late, name="titles")]
