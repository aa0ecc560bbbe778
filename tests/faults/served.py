"""The dashboard as people have it: under gunicorn, in processes of its own, asked over HTTP."""

import html
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings

from tests.bench import servers
from tests.resources.forms import submitted

from . import house
from .house import House, Person

PATIENCE = 60.0  # seconds for any page
AT_WORK = "at-work"  # a file of the folder: the process that works on the request to be killed


@dataclass
class Site:
    """A house whose dashboard is served at `url`; `folder` is shared with its processes."""

    home: House
    url: str
    folder: Path

    def browser(self, person: Person) -> "Browser":
        """The person's browser, signed in."""
        cookie = person.client.cookies[settings.SESSION_COOKIE_NAME].value
        return Browser(self.url, {settings.SESSION_COOKIE_NAME: cookie})

    def log(self) -> str:
        """What the served dashboard has logged so far."""
        path = self.folder / "log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


class Browser:
    """Asks for pages and sends forms; follows nothing by itself. Threads may share one."""

    def __init__(self, url: str, cookies: dict[str, str]) -> None:
        self.http = httpx.Client(base_url=url, cookies=cookies, timeout=PATIENCE, trust_env=False)

    def get(self, path: str) -> httpx.Response:
        """A page."""
        return self.http.get(path)

    def post(self, path: str, data: dict[str, Any], **headers: str) -> httpx.Response:
        """The answer to a form; raises httpx.TransportError where none comes."""
        return self.http.post(path, data=data, headers=headers)

    def form(self, path: str, **typed: Any) -> dict[str, Any]:
        """What a page's form sends, with some typed over."""
        page: Any = self.get(path)
        return submitted(page, **typed)


def text_of(page: httpx.Response) -> str:
    """What a page says, and what stands in its fields."""
    return html.unescape(page.text)


def links(page: httpx.Response, pattern: str) -> list[str]:
    """The addresses on a page that match, without repetition."""
    found = re.findall(r'href="([^"]+)"', page.text)
    return list(dict.fromkeys(html.unescape(url) for url in found if re.fullmatch(pattern, url)))


@contextmanager
def opened(profile: str, *, workers: int, broken: str = "") -> Iterator[Site]:
    """A house with a database file, and its dashboard under gunicorn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "dashboard.sqlite3"
        with house.database(path), house.opened(profile) as home:
            environment = dict(os.environ) | {
                "DJANGO_SETTINGS_MODULE": "tests.faults.site_settings",
                "TEST_DATABASE_URL": f"sqlite:///{path}",
                "FAULTS_API": home.standin.url,
                "FAULTS_CACHE": str(folder / "cache"),
                "FAULTS_LOG": str(folder / "log"),
                "FAULTS_AT_WORK": str(folder / AT_WORK),
                "FAULTS_BROKEN": broken,
            }
            quiet = ("--log-level", "critical")  # that workers are killed is no news here
            with servers.gunicorn(
                "tests.faults.wsgi", environment, *quiet, workers=workers
            ) as server:
                yield Site(home, f"http://127.0.0.1:{server.port}", folder)
