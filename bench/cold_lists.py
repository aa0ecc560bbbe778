"""How long a list of invoices takes whose names are not known, beside the raw call of its rows, for
one person, the API at LATENCY.
"""

import http.client
import re
import time
from contextlib import AbstractContextManager
from html import unescape
from statistics import median

from . import servers
from .budgets import Verdict
from .servers import PATIENCE, Server
from .site import API, PAGE, Site

LATENCY = 0.1  # seconds
ROWS = "/v1/invoices?pageSize=25&pageIndex=0"
LATE = re.compile(rb'hx-get="([^"]+)" hx-trigger="load"')


class Connection:
    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.wire = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.headers = {**headers, "Accept-Encoding": "identity"}

    def request(self, path: str) -> tuple[float, bytes]:
        begun = time.perf_counter()
        self.wire.request("GET", path, headers=self.headers)
        answer = self.wire.getresponse()
        content = answer.read()
        spent = time.perf_counter() - begun
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        return spent, content


def measured(site: Site, *, times: int) -> list[Verdict]:
    if not times:
        return []
    site.standin.ask("/latency", {"seconds": LATENCY})
    with without_cache(site) as server:
        cold, complete, raw = first_lists(site, server, times)
    return [
        Verdict("25 invoices, cold / raw call", cold / raw, 1.3, "x"),
        Verdict("25 invoices, complete / raw call", complete / raw, 2.2, "x"),
    ]


def first_lists(site: Site, server: Server, times: int) -> tuple[float, ...]:
    """Medians in s of a list whose names are not known: until its rows are shown, until the names
    that follow it are there, and of the API call of its rows. As a browser does, both are asked for
    over one connection, so that they come to the worker that has begun to look the names up.
    """
    api = Connection(site.servers[API].port, site.headers[API][0])
    pages = Connection(server.port, site.headers[PAGE][0])
    htmx = Connection(server.port, site.headers[PAGE][0] | {"HX-Request": "true"})
    htmx.wire = pages.wire
    turns = []
    for _ in range(times):
        shown, body = pages.request("/invoices/")
        [late] = LATE.findall(body)
        names, filled = htmx.request(unescape(late.decode()))
        if LATE.search(filled):
            raise RuntimeError("names of the list came later still")
        turns.append((shown, shown + names, api.request(ROWS)[0]))
    return tuple(median(each) for each in zip(*turns, strict=True))


def without_cache(site: Site) -> AbstractContextManager[Server]:
    """A dashboard without a cache, which reads every title from the API again."""
    return servers.gunicorn("dashboard.wsgi", site.environment | {"CACHE_URL": "dummycache://"})
