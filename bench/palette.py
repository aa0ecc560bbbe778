"""The palette's search beside the slowest of the API calls that it needs, for one person."""

from statistics import quantiles

from .budgets import Verdict
from .jobs import LATENCY, Connection
from .site import API, PAGE, Site

SEARCH = "/search/?q=acorn&hits=1"
RESOURCES = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")
RAW = "/v1/{}?search=acorn&pageSize=8&pageIndex=0"
WARM_UP = 10  # searches
TIMES, LIMIT, REST = 4, 1.2, 20.0  # turns for each of a job's; of the slowest call; ms beyond it


def measured(site: Site, *, times: int) -> Verdict:
    """The p95 of the palette's hits, in ms; at most LIMIT times that of the slowest call and REST.

    The raw calls of a turn are made one after the other, so that none slows the others down.
    """
    site.standin.ask("/latency", {"seconds": LATENCY})
    api = Connection(site.servers[API].port, site.headers[API][0])
    pages = Connection(site.servers[PAGE].port, site.headers[PAGE][0])
    for _ in range(WARM_UP):  # the workers open their connections
        pages.request(SEARCH)
    ours, slowest = [], []
    for _ in range(times * TIMES):
        ours.append(pages.request(SEARCH)[0])
        slowest.append(max(api.request(RAW.format(name))[0] for name in RESOURCES))
    raw = p95(slowest)
    name = f"palette p95, slowest of its calls {raw:.1f} ms, API {LATENCY * 1000:.0f} ms"
    return Verdict(name, p95(ours), LIMIT * raw + REST, "ms")


def p95(waits: list[float]) -> float:
    """The 95th percentile in ms of waits in seconds."""
    return quantiles(waits, n=20, method="inclusive")[-1] * 1000
