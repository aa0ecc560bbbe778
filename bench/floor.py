"""CPU of pages beside the floor: the plainest Django view that sends the same bytes.

    python -m bench.floor --turns 30

The floor has the session and the user of django.contrib, Django's own seven middlewares, the same
calls of the gateway one after the other, Jinja2 for the rows of a list and a plain Django form with
the same controls for a form; what else the page has is sent as it is. It alternates with the page
in one process, which runs with the dashboard's settings and database. The report splits the CPU of
each page by layers.
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
from html.parser import HTMLParser
from io import BytesIO
from statistics import median
from types import FrameType
from typing import Any

import django
from django.urls import clear_url_caches

from .budgets import Verdict
from .servers import ROOT
from .site import BROWSER, Site

AT_A_TIME = 5  # pages between two readings of the clock
LISTS = {  # the limits of lists by their address
    "/contacts/": 2.3,
    "/contacts/?size=100": 2.4,
    "/leads/": 2.9,
    "/deals/": 2.9,
    "/tasks/": 2.9,
    "/estimates/": 2.9,
    "/invoices/": 2.9,
}
FORMS = {"/contacts/new/": 1.3, "/invoices/new/": 1.3}
LIMIT_OF_A_FIRST_PAGE = 1.5  # times a later one
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
    from dashboard.core.templates import prepare_templates

    prepare_templates()  # as gunicorn does before it forks
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, FLOOR_BACKEND]
    (own_backend, _) = settings.AUTHENTICATION_BACKENDS
    first = asker(settings.MIDDLEWARE, "/contacts/", own_backend)
    verdicts = [first_page(first)]
    limits, floors = LISTS | FORMS, {}
    others = other_pages()
    limits |= {path: limit for path, (limit, _) in others.items()}
    asks = {path: asker(settings.MIDDLEWARE, path, own_backend) for path in limits}
    for ask in asks.values():
        ask()  # the names of other records are known from then on
    pages = {path: ask() for path, ask in asks.items()}
    for path, page in pages.items():
        if path in LISTS:
            floors[path] = floor_of_list(path, page)
        elif path in FORMS:
            floors[path] = floor_of_form(path, page)
        else:
            floors[path] = floor_of(path, page, others[path][1])
    urlpatterns[:] = [*floors.values(), *urls.urlpatterns]
    settings.ROOT_URLCONF = "bench.floor"
    clear_url_caches()
    spent = {}
    for path, ask in asks.items():
        floor = asker(MIDDLEWARE, floor_path(path), FLOOR_BACKEND)
        if abs(len(floor()) - len(pages[path])) > NEARLY_EQUAL * len(pages[path]):
            raise RuntimeError(f"the floor of {path} draws another page")
        cpu = alternated(ask, floor, turns)
        spent[path] = layers(ask, cpu[0], pages=SAMPLED if turns > 1 else SAMPLED_ONCE)
        name = f"CPU of {path} / the floor's ({cpu[0]:.1f} and {cpu[1]:.1f} ms)"
        verdicts.append(Verdict(name, cpu[0] / cpu[1], limits[path], "x"))
    return verdicts, spent


def first_page(ask: Ask) -> Verdict:
    """The verdict on the CPU of the first page of this process."""
    times = []
    for _ in range(1 + 2 * AT_A_TIME):
        began = time.process_time()
        ask()
        times.append(time.process_time() - began)
    name = "CPU of a first page / later ones"
    return Verdict(name, times[0] / median(times[1:]), LIMIT_OF_A_FIRST_PAGE, "x")


def other_pages() -> dict[str, tuple[float, list[Callable[[], object]]]]:
    """Other pages of the day by their address: the limit and the calls that each makes."""
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
        "/": (2.5, [*tasks, *of_today]),
        f"/contacts/{contact}/": (
            1.9,
            [partial(gateway.get, CONTACTS, contact), *of_contact, *tasks],
        ),
        f"/invoices/{invoice}/": (2.4, [partial(gateway.get, INVOICES, invoice)]),
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


def _check_status(
    status: str, headers: list[tuple[str, str]], exc_info: object = None, /
) -> Callable[[bytes], object]:
    if not status.startswith("200"):
        raise RuntimeError(status)
    return bytes  # nobody writes


def floor_path(path: str) -> str:
    return f"/floor{path.replace('?size=', '')}"


def floor_of_list(path: str, page: bytes) -> Any:
    """The address of the view that draws such a list: what is around the rows as text, and each row
    from a template in which the values of a record are names: that whose row is of median length.
    """
    from jinja2 import Environment

    from dashboard.gateway.api import ENDPOINTS

    gateway = gateway_of_person()
    address, _, size = path.partition("?size=")
    (endpoint,) = (each for each in ENDPOINTS if each.name == address.strip("/"))
    read = partial(gateway.list, endpoint, page_size=int(size or 25))
    before, _, rest = page.decode().partition("<tbody>")
    drawn, _, after = rest.partition("</tbody>")
    rows = drawn.split("</tr>")[:-1]
    place = sorted(range(len(rows)), key=lambda each: len(rows[each]))[len(rows) // 2]
    row, record = rows[place] + "</tr>", read().records[place].raw
    texts = {html.escape(str(value)): name for name, value in record.items() if value}
    for text in sorted(texts, key=len, reverse=True):
        if len(text) > 1:
            row = row.replace(text, f"{{{{ one.{texts[text]} }}}}")
    source = "{{ before }}<tbody>{% for one in rows %}" + row + "{% endfor %}</tbody>{{ after }}"
    template = Environment(autoescape=False).from_string(source)

    def drawn_page() -> str:
        raw = [record.raw for record in read().records]
        return str(template.render(before=before, after=after, rows=raw))

    return _view_at(path, drawn_page)


class Controls(HTMLParser):
    """The controls of a page by their names, as fields of a plain Django form."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, Any] = {}
        self._choices: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        from django import forms

        given = {name: value or "" for name, value in attrs}
        name, kind = given.get("name", ""), given.get("type", "text")
        if tag == "option":
            self._choices.append((given.get("value", ""), given.get("value", "")))
        elif tag == "select" and name:
            self._choices = []
            self.fields[name] = forms.ChoiceField(choices=partial(list, self._choices))
        elif tag == "textarea" and name:
            self.fields[name] = forms.CharField(widget=forms.Textarea)
        elif tag == "input" and name:
            widgets = {"hidden": forms.HiddenInput(), "checkbox": forms.CheckboxInput()}
            self.fields[name] = forms.CharField(widget=widgets.get(kind))


def floor_of_form(path: str, page: bytes) -> Any:
    """The address of the view that draws as many controls with a plain Django form."""
    from django import forms
    from django.forms.renderers import DjangoTemplates

    text = page.decode()
    before, opening, rest = text.partition("<main")
    plain = type("PlainForm", (forms.Form,), Controls(rest).fields)
    renderer = DjangoTemplates()

    def drawn_page() -> str:
        drawn = str(plain(renderer=renderer))
        return before + opening + drawn + rest[len(drawn) :]

    return _view_at(path, drawn_page)


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

    return url_of(floor_path(path).removeprefix("/"), show)


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
