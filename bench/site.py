"""The measured site: running servers, signed-in users, and prepared requests."""

import gzip
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import load, servers
from .servers import PATIENCE, ROOT, Server, StandInServer

API, PAGE, ADMIN = "API", "page", "admin"
FLOOR = "floor"  # the plainest view of the same bytes (floor.py)
RECORDS = 2000  # of all kinds; 700 of them contacts
BROWSER = {  # the headers of Chromium, as servers must parse them
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate, br",
    "Accept-Language": "en-GB,en;q=0.9",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-User": "?1",
    "Upgrade-Insecure-Requests": "1",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/140.0.0.0 Safari/537.36",
}
PATHS = {
    (API, 25): "/v1/contacts?pageSize=25&pageIndex=0",
    (API, 100): "/v1/contacts?pageSize=100&pageIndex=0",
    (PAGE, 25): "/contacts/",
    (PAGE, 100): "/contacts/?size=100",
    (FLOOR, 25): "/floor/contacts/",
    (ADMIN, 25): "/admin/admin_site/contact/",
    (ADMIN, 100): "/admin/admin_site/hundredcontacts/",
}
ROW = b'<th scope="row" class="name"><span'
MARK_OF_A_ROW = {API: b'"cstid"', PAGE: ROW, FLOOR: ROW, ADMIN: b'class="action-checkbox"'}


@dataclass
class Site:
    """The three servers by name, the headers of all people, the dashboard's environment and the
    folder of its files.
    """

    standin: StandInServer
    servers: dict[str, Server]
    headers: dict[str, list[dict[str, str]]]
    environment: dict[str, str]
    folder: Path

    def requests(self, target: str, rows: int) -> list[bytes]:
        path = PATHS[target, rows]
        return [load.request(path, headers) for headers in self.headers[target]]

    def origin(self, target: str) -> str:
        return f"http://127.0.0.1:{self.servers[target].port}"

    def url(self, target: str, rows: int) -> str:
        return self.origin(target) + PATHS[target, rows]

    def fetch(self, target: str, rows: int, *, swap: bool = False) -> tuple[bytes, bool]:
        """A list's body, decompressed, and whether the server had compressed it. swap: only what
        htmx swaps.
        """
        headers = self.headers[target][0] | ({"HX-Request": "true"} if swap else {})
        request = urllib.request.Request(self.url(target, rows), headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            body: bytes = answer.read()
            packed = answer.headers.get("Content-Encoding") == "gzip"
        return (gzip.decompress(body) if packed else body), packed

    def check(self) -> None:
        for target, rows in PATHS:
            body, _ = self.fetch(target, rows)
            found = body.count(MARK_OF_A_ROW[target])
            if found != rows:
                raise RuntimeError(f"{target} shows {found} rows instead of {rows}")


@contextmanager
def opened(folder: Path, *, staff: int, shared: bool) -> Iterator[Site]:
    """Start all servers and request each list once. shared: with PostgreSQL and Redis."""
    with servers.standin(size=RECORDS) as standin, servers.stores(shared=shared) as kept_in:
        keys = standin.ask("/keys")["working"]["acme"]
        key_headers = [
            {"x-service-access-key": access, "x-service-secret-key": secret}
            for access, secret in keys
        ]
        ours = servers.dashboard_environment(folder, standin.port, kept_in)
        theirs = servers.admin_environment(folder)
        people = _run(ours, "bench.people", str(staff), given=keys)
        contacts = _contacts(standin, key_headers[0])
        admin = _run(theirs, "bench.admin_site.fill", given=contacts)
        with (
            servers.gunicorn("dashboard.wsgi", ours, servers.SPREAD) as page_server,
            servers.gunicorn(
                "bench.admin_site.wsgi", theirs, servers.SPREAD, settings=servers.LIKEWISE
            ) as admin_server,
            ExitStack() as others,
        ):
            site = Site(
                standin,
                {API: standin, PAGE: page_server, ADMIN: admin_server},
                {
                    API: [{"Accept-Encoding": "gzip", **pair} for pair in key_headers],
                    PAGE: [{**BROWSER, "Cookie": cookie} for cookie in people],
                    ADMIN: [{**BROWSER, "Cookie": cookie} for cookie in admin],
                },
                ours,
                folder,
            )
            _add_floor(site, others, staff)
            site.check()
            yield site


def _add_floor(site: Site, others: ExitStack, staff: int) -> None:
    """Start the floor with the dashboard's page as it is, for the same people."""
    page, _ = site.fetch(PAGE, 25)
    file = site.folder / "floor.html"
    file.write_bytes(page)
    settings = {"DJANGO_SETTINGS_MODULE": "bench.floor_site", "FLOOR_PAGE": str(file)}
    environment = site.environment | settings
    cookies = _run(environment, "bench.floor_site", str(staff), given=None)
    served = servers.gunicorn("dashboard.wsgi", environment, servers.SPREAD)
    site.servers[FLOOR] = others.enter_context(served)
    site.headers[FLOOR] = [{**BROWSER, "Cookie": cookie} for cookie in cookies]


def _run(environment: dict[str, str], *command: str, given: Any) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**environment, "LOG_LEVEL": "WARNING"},
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=10 * PATIENCE,
    )
    return json.loads(done.stdout)


def _contacts(standin: StandInServer, headers: dict[str, str]) -> list[Any]:
    contacts: list[Any] = []
    pages = 1
    while len(contacts) < pages * 100:
        path = f"/v1/contacts?pageSize=100&pageIndex={len(contacts) // 100}"
        url = f"http://127.0.0.1:{standin.port}{path}"
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            data = json.load(answer)["data"]
        contacts += data["data"]
        pages = int(data["total_pages"])
        if not data["data"] or len(contacts) % 100:
            break
    return contacts
