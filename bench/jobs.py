"""Times of one user's other requests: invoices, their lines, a picker.

One at a time, each beside the raw call that it needs at least, the API at LATENCY.
"""

import http.client
import json
import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from html import unescape
from statistics import median
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from tests.resources.forms import submitted

from . import servers, usage
from .budgets import Verdict
from .servers import PATIENCE, Server
from .site import API, PAGE, Site

LATENCY = 0.1  # seconds
LINES = 100
LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}
DOCUMENT = {"customer_id": 1001, "template_id": 11, "items": [LINE] * LINES}
MOST_LINES = 300
LONGEST_DOCUMENT = DOCUMENT | {"items": [LINE] * MOST_LINES}
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
LATE = re.compile(rb'hx-get="([^"]+)" hx-trigger="load"')
LIMITS = {"cold": 1.3, "complete": 2.2, "warm": 1.3}  # of the raw call, for a list
PICK, SEARCH = "/contacts/pick/?q=acorn", "/v1/contacts?search=acorn&pageSize=10"


@dataclass(frozen=True)
class Job:
    """Medians in ms; `raw` is the time of the API call that the job needs, 0 for none, and `cpu`
    the server's CPU time where that is what counts.
    """

    name: str
    waited: float
    raw: float
    cpu: float = 0.0


class Connection:
    """One keep-alive connection to a server, with the headers of one user."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.wire = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.headers = {**headers, "Accept-Encoding": "identity"}

    def request(self, path: str, body: str = "", kind: str = FORM) -> tuple[float, bytes, str]:
        """Send GET, or POST with a body; returns seconds, the answer and its Location."""
        headers = {**self.headers, "Content-Type": kind} if body else self.headers
        begun = time.perf_counter()
        self.wire.request("POST" if body else "GET", path, body or None, headers)
        answer = self.wire.getresponse()
        content = answer.read()
        spent = time.perf_counter() - begun
        if answer.status not in (200, 201, 302):
            raise RuntimeError(f"{path} answered {answer.status}")
        return spent, content, answer.getheader("Location", "")


def measured(site: Site, *, times: int) -> list[Job]:
    """Measure every job `times` times."""
    site.standin.ask("/latency", {"seconds": LATENCY})
    api = Connection(site.servers[API].port, site.headers[API][0])
    pages = Connection(site.servers[PAGE].port, site.headers[PAGE][0])
    rows = "/v1/invoices?pageSize=25&pageIndex=0"
    with without_cache(site) as server:
        cold, complete, raw = first_lists(site, server, api, rows, times)
    pages.request("/invoices/")  # one connection, so one worker, which now has the titles
    return [
        Job("25 invoices, cold", cold, raw),
        Job("25 invoices, complete", complete, raw),
        Job("25 invoices, warm", *beside(pages, "/invoices/", api, rows, times)),
        *documents(api, pages, times),
        longest_form(site, api, pages, times),
        Job("contact picker", *beside(pages, PICK, api, SEARCH, times)),
    ]


def first_lists(
    site: Site, server: Server, api: Connection, raw: str, times: int
) -> tuple[float, ...]:
    """Medians in ms of a list whose names are not known: until its rows are shown, until the names
    that follow it are there, and of the API call of its rows. As a browser does, both are asked for
    over one connection, so that they come to the worker that has begun to look the names up.
    """
    pages = Connection(server.port, site.headers[PAGE][0])
    htmx = Connection(server.port, site.headers[PAGE][0] | {"HX-Request": "true"})
    htmx.wire = pages.wire
    turns = []
    for _ in range(times):
        shown, body, _ = pages.request("/invoices/")
        [late] = LATE.findall(body)
        names, filled, _ = htmx.request(unescape(late.decode()))
        if LATE.search(filled):
            raise RuntimeError("names of the list came later still")
        turns.append((shown, shown + names, api.request(raw)[0]))
    return tuple(median(each) * 1000 for each in zip(*turns, strict=True))


def documents(api: Connection, pages: Connection, times: int) -> Iterator[Job]:
    """An invoice of 100 lines: form, totals, save."""
    sent = json.dumps(DOCUMENT)
    _, made, _ = api.request("/v1/invoices", sent, JSON)
    number = json.loads(made)["data"]["inv_id"]
    address, raw = f"/invoices/new/?copy={number}", f"/v1/invoices/{number}"
    turns = [
        (
            *time_form(pages, address),
            api.request(raw)[0],
            api.request("/v1/invoices", sent, JSON)[0],
        )
        for _ in range(times)
    ]
    form, sums, save, read, create = (median(each) * 1000 for each in zip(*turns, strict=True))
    yield Job(f"{LINES} lines, form", form, read)
    yield Job(f"{LINES} lines, totals", sums, 0)
    yield Job(f"{LINES} lines, save", save, create)


def longest_form(site: Site, api: Connection, pages: Connection, times: int) -> Job:
    """The edit form of an invoice with as many lines as it may have."""
    _, made, _ = api.request("/v1/invoices", json.dumps(LONGEST_DOCUMENT), JSON)
    number = json.loads(made)["data"]["inv_id"]
    processes = site.servers[PAGE].processes
    turns = []
    for _ in range(times):
        before = usage.cpu_seconds(processes)
        waited, _, _ = pages.request(f"/invoices/{number}/edit/")
        cpu = usage.cpu_seconds(processes) - before
        turns.append((waited, api.request(f"/v1/invoices/{number}")[0], cpu))
    figures = (median(each) * 1000 for each in zip(*turns, strict=True))
    return Job(f"{MOST_LINES} lines, edit form", *figures)


def time_form(pages: Connection, address: str) -> tuple[float, float, float]:
    """Seconds for a form, for its totals, and for saving it."""
    rendered, page, _ = pages.request(address)
    typed: Any = submitted(SimpleNamespace(content=page))
    token = typed["csrfmiddlewaretoken"]
    pages.headers["X-CSRFToken"] = token[0] if isinstance(token, list) else token
    numbers = {"numbers": "\n".join(["2\t95.00\t\t20"] * LINES)}
    summed, _, _ = pages.request("/invoices/totals/", urlencode(numbers))
    body = urlencode(typed, doseq=True)
    saved, _, leads_to = pages.request("/invoices/new/", body)
    if not leads_to:
        raise RuntimeError("the invoice was not saved")
    return rendered, summed, saved


def beside(
    pages: Connection, path: str, api: Connection, raw: str, times: int
) -> tuple[float, float]:
    """The medians of a page and of the API call that it needs, alternately, in ms."""
    turns = [(pages.request(path)[0], api.request(raw)[0]) for _ in range(times)]
    waited, called = zip(*turns, strict=True)
    return median(waited) * 1000, median(called) * 1000


def without_cache(site: Site) -> AbstractContextManager[Server]:
    """A dashboard without a cache, which reads every title from the API again."""
    return servers.gunicorn("dashboard.wsgi", site.environment | {"CACHE_URL": "dummycache://"})


def table(jobs: list[Job]) -> str:
    """One line for each job."""
    head = f"One pages, the API at {LATENCY * 1000:.0f} ms: medians in ms, and of the raw call.\n"
    return head + "\n".join(f"{job.name:<22} {job.waited:>8.1f} {job.raw:>8.1f}" for job in jobs)


def budgets(jobs: list[Job]) -> list[Verdict]:
    """The verdicts: lists in round trips, the rest as time of the dashboard."""
    found = []
    for job in jobs:
        ours = job.waited - job.raw
        if "invoices" in job.name:
            limit = LIMITS[job.name.rpartition(" ")[2]]
            found.append(Verdict(f"{job.name} / raw call", job.waited / job.raw, limit, "x"))
        elif job.cpu:
            found.append(Verdict(f"{job.name}, CPU of the server", job.cpu / 1000, 0.3, "s"))
        else:
            limit = {"contact picker": 150.0}.get(job.name, 200.0)
            found.append(Verdict(f"{job.name}, without the API", ours, limit, "ms"))
    return found
