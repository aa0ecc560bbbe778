"""Reads a few pages of every resource side by side, for what their records refer to."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from time import monotonic

from dashboard import resources
from dashboard.gateway import Gateway, GatewayError, NotAllowed, Record
from dashboard.records.resource import Resource

PAGES, PAGE_SIZE = 2, 100  # of the list of each resource
DETAILS = 15  # records of each resource that are read whole, for what lists do not show
WORKERS = 8
SECONDS = 20.0  # for everything together

Found = list[tuple[Resource, Record]]
Call = Callable[[], Iterable[Record]]


@dataclass
class Reading:
    """What was read. `closed`: resources that the plan lacks; `errors`: the first error by name."""

    found: Found = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    errors: dict[str, GatewayError] = field(default_factory=dict)
    late: bool = False


def read_records(gateway: Gateway, *, seconds: float = SECONDS) -> Reading:
    """The first pages of every resource, and the details of their first records."""
    reading, end = Reading(), monotonic() + seconds
    whole = [each for each in resources.ALL if gateway.offers(each.endpoint, "get")]
    pages = [(each, _list_page(gateway, each, n)) for each in resources.ALL for n in range(PAGES)]
    _run(reading, pages, end)
    listed: dict[Resource, list[int]] = {each: [] for each in whole}
    for resource, record in reading.found:
        if len(listed.get(resource, range(DETAILS))) < DETAILS:
            listed[resource].append(record.id)
    details = [(each, _detail(gateway, each, number)) for each in whole for number in listed[each]]
    _run(reading, details, end)
    return reading


def _list_page(gateway: Gateway, resource: Resource, index: int) -> Call:
    return lambda: gateway.list(resource.endpoint, page_index=index, page_size=PAGE_SIZE).records


def _detail(gateway: Gateway, resource: Resource, number: int) -> Call:
    return lambda: [gateway.get(resource.endpoint, number)]


def _run(reading: Reading, calls: list[tuple[Resource, Call]], end: float) -> None:
    """Carry out the calls side by side; what is not there at the `end` is left out."""
    pool = ThreadPoolExecutor(max_workers=WORKERS)
    futures = [(resource, pool.submit(call)) for resource, call in calls]
    _, waiting = wait((future for _, future in futures), timeout=max(0.0, end - monotonic()))
    pool.shutdown(wait=False, cancel_futures=True)
    reading.late |= bool(waiting)
    for resource, future in futures:
        if future not in waiting:
            _keep(reading, resource, future)


def _keep(reading: Reading, resource: Resource, future: "Future[Iterable[Record]]") -> None:
    try:
        reading.found += [(resource, record) for record in future.result()]
        reading.opened.add(resource.name)
    except NotAllowed:
        reading.closed.add(resource.name)
    except GatewayError as error:
        reading.errors.setdefault(resource.name, error)
