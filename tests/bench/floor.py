"""CPU of a list beside the floor: the plainest Django view that sends the same bytes.

    python -m tests.bench.floor --turns 30

The floor has the session and the user of django.contrib, Django's own seven middlewares, one call
of the gateway, and Jinja2 for the rows. It alternates with the list in one process, which runs with
the dashboard's settings and database.
"""

import argparse
import html
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO
from statistics import median
from typing import Any

import django
from django.urls import clear_url_caches

from .budgets import Verdict
from .site import BROWSER, PAGE, PATHS, Site

ROWS = (25, 100)
AT_A_TIME = 5  # pages between two readings of the clock
LIMIT = 1.8
LONGEST = 2000  # characters of a failure
NEARLY_EQUAL = 0.05  # of the bytes of the list
PERSON = "person1"
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
Ask = Callable[[], bytes]

urlpatterns: list[Any] = []  # of the dashboard, and the floor's before them


def measured(site: Site, *, turns: int) -> list[Verdict]:
    """The verdicts, measured in a process of its own."""
    site.standin.ask("/latency", {"seconds": 0})
    command = [sys.executable, "-m", "tests.bench.floor", "--turns", str(turns)]
    done = subprocess.run(command, env=site.environment, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[-LONGEST:])
    return [Verdict(**each) for each in json.loads(done.stdout)]


def main(turns: int) -> list[Verdict]:
    """Alternate the list and its floor `turns` times for each number of rows."""
    from django.conf import settings

    from dashboard import urls

    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, MODEL_BACKEND]
    (own_backend, _) = settings.AUTHENTICATION_BACKENDS
    lists = [asker(settings.MIDDLEWARE, PATHS[PAGE, rows], own_backend) for rows in ROWS]
    pages = [ours() for ours in lists]
    floors = [floor_of(page, rows) for page, rows in zip(pages, ROWS, strict=True)]
    urlpatterns[:] = [*floors, *urls.urlpatterns]
    settings.ROOT_URLCONF = "tests.bench.floor"
    clear_url_caches()
    found = []
    for ours, page, rows in zip(lists, pages, ROWS, strict=True):
        floor = asker(MIDDLEWARE, f"/floor/{rows}/", MODEL_BACKEND)
        if abs(len(floor()) - len(page)) > NEARLY_EQUAL * len(page):
            raise RuntimeError("the floor draws another page")
        cpu = alternated(ours, floor, turns)
        name = f"CPU per page / the floor's, {rows} rows ({cpu[0]:.1f} and {cpu[1]:.1f} ms)"
        found.append(Verdict(name, cpu[0] / cpu[1], LIMIT, "x"))
    return found


def asker(middleware: list[str], path: str, backend: str) -> Ask:
    """Asks an application with these layers for a page, as a person signed in by a backend."""
    from django.contrib.auth import get_user_model
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import Client, override_settings

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username=PERSON), backend=backend)
    cookie = "; ".join(f"{key}={each.value}" for key, each in client.cookies.items())
    with override_settings(MIDDLEWARE=middleware):
        application = WSGIHandler()
    path_info, _, query = path.partition("?")
    environ = {f"HTTP_{name.upper().replace('-', '_')}": BROWSER[name] for name in BROWSER}
    environ |= {"REQUEST_METHOD": "GET", "PATH_INFO": path_info, "QUERY_STRING": query}
    environ |= {"SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80", "HTTP_COOKIE": cookie}

    def ask() -> bytes:
        request = {**environ, "wsgi.input": BytesIO(), "wsgi.url_scheme": "http"}
        answer = application(request, _check_status)
        body = b"".join(answer)
        answer.close()
        return body

    return ask


def _check_status(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
    if not status.startswith("200"):
        raise RuntimeError(status)


def floor_of(page: bytes, rows: int) -> Any:
    """The address of the view that draws such a page: what is around the rows as text, and each row
    from a template in which the values of the first record are names.
    """
    from django.contrib.auth import get_user_model
    from django.contrib.auth.decorators import login_required
    from django.http import HttpRequest, HttpResponse
    from django.urls import path
    from jinja2 import Environment

    from dashboard.credentials.services import gateway_for
    from dashboard.gateway import CONTACTS

    gateway = gateway_for(get_user_model().objects.get(username=PERSON))
    before, _, rest = page.decode().partition("<tbody>")
    drawn, _, after = rest.partition("</tbody>")
    row = drawn[: drawn.index("</tr>") + len("</tr>")]
    first = gateway.list(CONTACTS, page_size=rows).records[0].raw
    texts = {html.escape(str(value)): name for name, value in first.items() if value}
    for text in sorted(texts, key=len, reverse=True):
        if len(text) > 1:
            row = row.replace(text, f"{{{{ one.{texts[text]} }}}}")
    source = "{{ before }}<tbody>{% for one in rows %}" + row + "{% endfor %}</tbody>{{ after }}"
    template = Environment(autoescape=False).from_string(source)

    @login_required
    def show(request: HttpRequest) -> HttpResponse:
        records = gateway.list(CONTACTS, page_size=rows).records
        raw = [record.raw for record in records]
        return HttpResponse(template.render(before=before, after=after, rows=raw))

    return path(f"floor/{rows}/", show)


def alternated(ours: Ask, floor: Ask, turns: int) -> tuple[float, float]:
    """The medians of the CPU in ms of each."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(turns):
        for ask, times in zip((ours, floor), spent, strict=True):
            began = time.process_time()
            for _ in range(AT_A_TIME):
                ask()
            times.append((time.process_time() - began) * 1000 / AT_A_TIME)
    return median(spent[0]), median(spent[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.floor", description=__doc__)
    parser.add_argument("--turns", type=int, default=30)
    wanted = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from tests.bench import floor as module  # the module of the addresses, not __main__

    sys.stdout.write(json.dumps(list(map(asdict, module.main(wanted.turns)))))
