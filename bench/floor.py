"""CPU of pages beside the floor: the plainest Django view that sends the same bytes.

    python -m bench.floor --turns 30

The floor has the session and the user of django.contrib, Django's own seven middlewares, the same
calls of the gateway one after the other, and Jinja2 for the rows of a list; what else the page has
is sent as it is. It alternates with the page in one process, which runs with the dashboard's
settings and database. What each page spends is told by layers, the floor's own among them.
"""

import argparse
import html
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from io import BytesIO
from statistics import median
from types import FrameType
from typing import Any

import django
from django.urls import clear_url_caches

from .budgets import Verdict
from .servers import ROOT
from .site import BROWSER, PAGE, PATHS, Site

ROWS = (25, 100)
AT_A_TIME = 5  # pages between two readings of the clock
LIMIT = 1.8
LIMIT_OF_OTHERS = 2.2
SAMPLED = 600  # pages
SAMPLED_ONCE = 30  # pages of a run of one turn: many ticks, also of a timer that ticks each 10 ms
EVERY = 0.001  # seconds of CPU between two looks at the stack
# A moment belongs to the first of its frames, from the innermost, that a text here is part of.
LAYERS = {
    "dashboard/gateway/": "the calls: arguments, HTTP, records of the answers",
    "dashboard/core/sealed.py": "decryption of what is kept",
    "dashboard/writes/sidebar.py": "the side's counts and starred records",
    "dashboard/lists/saved_lists.py": "named views of the list",
    "contrib/auth/": "who asks: session, person, keys",
    "dashboard/people/": "who asks: session, person, keys",
    "dashboard/writes/draft": "drafts of the form",
    "dashboard/records/form_drafts.py": "drafts of the form",
    "dashboard/writes/": "the history",
    "dashboard/reader/": "names that are kept",
    "dashboard/lists/table.py": "values and addresses in words",
    "dashboard/schema/cells.py": "values and addresses in words",
    "dashboard/schema/money.py": "values and addresses in words",
    "dashboard/schema/values.py": "values and addresses in words",
    "dashboard/text/": "values and addresses in words",
    "dashboard/core/templates.py": "values and addresses in words",
    "dashboard/schema/charts.py": "sums and pictures",
    "dashboard/overviews/figure": "sums and pictures",
    "dashboard/overviews/today": "sums and pictures",
    "templates/lists/_table.html": "templates: the rows",
    "templates/schema/": "templates: the fields, with Django's widgets",
    "templates/": "templates: all else, with the menu",
    "dashboard/schema/": "the form: fields, choices, first values",
    "dashboard/core/": "log and metrics",
    "dashboard/site/": "middleware of the house",
    "dashboard/": "the view: query, filters, permissions",
}
REST = "Django's middleware and addresses"
LONGEST = 2000  # characters of a failure
NEARLY_EQUAL = 0.05  # of the bytes of the list
PERSON = "person1"
FLOOR_BACKEND = "bench.floor_backend.NoPermissions"
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
Layers = dict[str, dict[str, float]]  # by page: CPU in ms by layer

urlpatterns: list[Any] = []  # of the dashboard, and the floor's before them


def measured(site: Site, *, turns: int) -> tuple[list[Verdict], Layers]:
    """The verdicts, and the layers of each page, measured in a process of its own."""
    site.standin.ask("/latency", {"seconds": 0})
    command = [sys.executable, "-m", "bench.floor", "--turns", str(turns)]
    done = subprocess.run(command, env=site.environment, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode()[-LONGEST:])
    found = json.loads(done.stdout.splitlines()[-1])
    return [Verdict(**each) for each in found["verdicts"]], found["layers"]


def main(turns: int) -> tuple[list[Verdict], Layers]:
    from django.conf import settings

    from dashboard import urls

    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, FLOOR_BACKEND]
    (own_backend, _) = settings.AUTHENTICATION_BACKENDS
    lists = {PATHS[PAGE, rows]: rows for rows in ROWS}
    calls = calls_of_others()
    asks = {each: asker(settings.MIDDLEWARE, each, own_backend) for each in (*lists, *calls)}
    pages = {each: ask() for each, ask in asks.items()}
    floors = [
        floor_of_list(page, lists[each]) if each in lists else floor_of(each, page, calls[each])
        for each, page in pages.items()
    ]
    urlpatterns[:] = [*floors, *urls.urlpatterns]
    settings.ROOT_URLCONF = "bench.floor"
    clear_url_caches()
    found, spent = [], {}
    for each, ask in asks.items():
        own = f"{each.partition('?')[0]}{lists[each]}/" if each in lists else each
        floor = asker(MIDDLEWARE, f"/floor{own}", FLOOR_BACKEND)
        if abs(len(floor()) - len(pages[each])) > NEARLY_EQUAL * len(pages[each]):
            raise RuntimeError("the floor draws another page")
        cpu = alternated(ask, floor, turns)
        sampled = SAMPLED if turns > 1 else SAMPLED_ONCE
        spent[each] = layers(ask, cpu[0], pages=sampled)
        name = f"CPU of {each} / the floor's with its calls ({cpu[0]:.1f} and {cpu[1]:.1f} ms)"
        limit = LIMIT if each in lists else LIMIT_OF_OTHERS
        found.append(Verdict(name, cpu[0] / cpu[1], limit, "x"))
    return found, spent


def calls_of_others() -> dict[str, list[Callable[[], object]]]:
    """Other pages of the day by their address, each with the calls that it makes."""
    from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, LEADS, TASKS

    gateway = gateway_of_person()
    contact, invoice = (
        gateway.list(each, page_size=1).records[0].id for each in (CONTACTS, INVOICES)
    )
    of_contact = [
        partial(gateway.list, each, filters={"cstid": contact}, page_size=100)
        for each in (INVOICES, DEALS, ESTIMATES)
    ]
    tasks = [
        partial(gateway.list, TASKS, filters={"status": status}, page_size=100) for status in (0, 1)
    ]
    of_today = [  # the open invoices that it shows are at most a minute old
        partial(gateway.list, DEALS, page_size=100),
        partial(gateway.list, LEADS, filters={"lead_status": "New"}, page_size=8),
    ]
    return {
        "/": [*tasks, *of_today],
        f"/contacts/{contact}/": [partial(gateway.get, CONTACTS, contact), *of_contact, *tasks],
        f"/invoices/{invoice}/": [partial(gateway.get, INVOICES, invoice)],
        "/contacts/new/": [],
        "/invoices/new/": [],
    }


def gateway_of_person() -> Any:
    from django.contrib.auth import get_user_model

    from dashboard.people.keys import gateway_for

    return gateway_for(get_user_model().objects.get(username=PERSON))


def layers(ask: Ask, spent: float, *, pages: int) -> dict[str, float]:
    """The CPU of a page in ms by the layers of the house, largest first: shares of the moments at
    which the stack was looked at, of `spent` ms.
    """
    moments: Counter[str] = Counter()

    def look(number: int, frame: FrameType | None) -> None:
        layer = REST
        while frame and layer == REST:
            file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
            layer = next((words for part, words in LAYERS.items() if part in file), REST)
            frame = frame.f_back
        moments[layer] += 1

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    for _ in range(pages):
        ask()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return {layer: spent * count / moments.total() for layer, count in moments.most_common()}


def asker(middleware: list[str], path: str, backend: str) -> Ask:
    """Asks an application with these layers for a page, as a person signed in by a backend."""
    from django.contrib.auth import get_user_model
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import override_settings

    cookie = cookie_of(get_user_model().objects.get(username=PERSON), backend)
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


def cookie_of(person: Any, backend: str) -> str:
    """The header of somebody signed in by a backend, with the cookies of an earlier page."""
    from django.conf import settings
    from django.middleware.csrf import get_token
    from django.test import Client, RequestFactory

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person, backend=backend)
    earlier = RequestFactory().get("/")
    get_token(earlier)
    client.cookies[settings.CSRF_COOKIE_NAME] = earlier.META["CSRF_COOKIE"]
    return "; ".join(f"{key}={each.value}" for key, each in client.cookies.items())


def _check_status(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
    if not status.startswith("200"):
        raise RuntimeError(status)


def floor_of_list(page: bytes, rows: int) -> Any:
    """The address of the view that draws such a list: what is around the rows as text, and each row
    from a template in which the values of the first record are names.
    """
    from jinja2 import Environment

    from dashboard.gateway import CONTACTS

    gateway = gateway_of_person()
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

    def drawn_page() -> str:
        records = gateway.list(CONTACTS, page_size=rows).records
        raw = [record.raw for record in records]
        return str(template.render(before=before, after=after, rows=raw))

    return _view_at(PATHS[PAGE, rows].partition("?")[0] + f"{rows}/", drawn_page)


def floor_of(path: str, page: bytes, calls: list[Callable[[], object]]) -> Any:
    """The address of the view that makes these calls and sends this page."""
    text = page.decode()

    def sent_page() -> str:
        for call in calls:
            call()
        return text

    return _view_at(path, sent_page)


def _view_at(path: str, text: Callable[[], str]) -> Any:
    from django.contrib.auth.decorators import login_required
    from django.http import HttpRequest, HttpResponse
    from django.urls import path as url_of

    @login_required
    def show(request: HttpRequest) -> HttpResponse:
        return HttpResponse(text())

    return url_of(f"floor{path}", show)


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
    parser = argparse.ArgumentParser(prog="python -m bench.floor", description=__doc__)
    parser.add_argument("--turns", type=int, default=30)
    wanted = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from bench import floor as module  # the module of the addresses, not __main__

    verdicts, by_layer = module.main(wanted.turns)
    sys.stdout.write(json.dumps({"verdicts": list(map(asdict, verdicts)), "layers": by_layer}))
