"""Reads a few pages of every resource side by side, for what their records refer to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from time import monotonic

from dashboard import resources
from dashboard.declare.resource import Resource
from dashboard.gateway import Gateway, GatewayError, NotAllowed, Record, side_by_side
from dashboard.gateway.errors import Slow
from dashboard.reader import listing

PAGES = 2  # of the list of each resource
DETAILS = 15  # records of each resource that are read whole, for what lists do not show
SECONDS = 20.0  # after which no call begins, and no list is waited for


@dataclass
class SeenRecords:
    """What was read. `closed`: resources that the plan lacks; `errors`: the first error by name."""

    found: list[tuple[Resource, Record]] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    errors: dict[str, GatewayError] = field(default_factory=dict)
    late: bool = False

    def add(self, resource: Resource, records: Iterable[Record]) -> None:
        """Add records of a resource as they are read, or why they could not be."""
        try:
            for record in records:
                self.found.append((resource, record))
            self.opened.add(resource.name)
        except Slow:
            self.late = True
        except NotAllowed:
            self.closed.add(resource.name)
        except GatewayError as error:
            self.errors.setdefault(resource.name, error)


def read_records(gateway: Gateway, *, seconds: float = SECONDS) -> SeenRecords:
    """The first pages of every resource, and the details of their first records."""
    reading, end = SeenRecords(), monotonic() + seconds
    for resource, pages in [(each, _pages(gateway, each, end)) for each in resources.ALL]:
        reading.add(resource, (record for page in pages for record in page.records))
    details = list(_details(gateway, reading))
    calls = (partial(gateway.get, resource.endpoint, number) for resource, number in details)
    in_time = takewhile(lambda call: monotonic() < end, calls)
    answers = list(side_by_side.stream(in_time, listing.AT_ONCE))
    for (resource, _), answer in zip(details, answers, strict=False):
        reading.add(resource, _record(answer))
    reading.late |= len(answers) < len(details)
    return reading


def _pages(gateway: Gateway, resource: Resource, end: float) -> listing.Pages:
    read = partial(gateway.list, resource.endpoint, page_size=listing.PAGE_SIZE)
    return listing.Pages(read, expected=PAGES, most=PAGES, until=end)


def _details(gateway: Gateway, reading: SeenRecords) -> Iterator[tuple[Resource, int]]:
    """The first records of each resource whose details can be read."""
    for resource in resources.ALL:
        ids = [record.id for each, record in reading.found if each is resource]
        if gateway.offers(resource.endpoint, "get"):
            yield from ((resource, number) for number in ids[:DETAILS])


def _record(answer: Record | GatewayError) -> Iterator[Record]:
    yield listing.result_of(answer)
