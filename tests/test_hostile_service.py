"""No answer of the service makes an error page of ours, is carried out, or stops a page for long.

Pages and their forms are opened while the service answers in a mode of `hostile_service`. The
normal suite takes every fifth page in one mode each; HOSTILE_SERVICE=all takes every page in every
mode, HOSTILE_SERVICE=texts,ids in these.
"""

import os
import resource
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from time import monotonic
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dashboard.gateway.client import Breaker
from dashboard.jobs import export_views
from dashboard.office import reference_lists
from dashboard.people import keys, members, permissions
from dashboard.people.models import User
from dashboard.schema.registry import RESOURCES
from dashboard.standin import StandIn
from tests import hostile_service
from tests.conftest import PASSWORD, person
from tests.every_page import Forms, every_path
from tests.hostile_service import MODES
from tests.jobs.conftest import work
from tests.page_forms import PageForm, page_forms
from tests.test_hostile_strings import cells_of, check, check_cells

pytestmark = pytest.mark.slow

CHOSEN = os.environ.get("HOSTILE_SERVICE", "")
EVERY = [one for one in MODES if CHOSEN == "all" or one in CHOSEN.split(",")]
SECONDS = 12.0  # for a page, on a busy machine; a call may take 10
MEGABYTES = 600  # that the process may grow by: eight answers of 8 MB side by side, as objects
LEFT_OUT = ("account", "mfa_", "socialaccount", "openid", "usersessions", "recovery", "staff:",
            "workspace:", "second_step", "help", "theme", "healthz",
            "readyz")  # fmt: skip


@pytest.fixture
def user(standin: StandIn, db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    """An administrator with keys, whom no breaker and no pause keeps from the service."""
    monkeypatch.setattr("dashboard.gateway.client.sleep", lambda _seconds: None)
    monkeypatch.setattr(Breaker, "is_open_for", lambda *_: False)
    monkeypatch.setattr(Breaker, "allow_request", lambda *_: True)
    made = person("ann", permissions.ADMINISTRATOR)
    access, secret = standin.keys["acme"][0]
    keys.connect(made, access=access, secret=secret, workspace=members.create_workspace("Acme"))
    return made


@pytest.fixture
def client(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.fixture
def records(gateway: Any) -> dict[str, int]:
    """The id of a record of each resource."""
    listed = {each.name: gateway.list(each.endpoint, page_size=1) for each in RESOURCES.values()}
    return {name: page.records[0].id for name, page in listed.items()}


@pytest.fixture
def hostile(standin: StandIn) -> Iterator[Callable[[str], None]]:
    """hostile(mode): the service answers so from now on, and nothing of before is remembered."""

    def begin(mode: str) -> None:
        cache.clear()
        reference_lists.forget()
        hostile_service.put(standin, MODES[mode])

    yield begin
    hostile_service.take_back(standin)


class Visit:
    """Asks for pages while the service is hostile, and notes what is wrong with an answer."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.wrong: list[str] = []
        self.sent = 0

    def page(self, mode: str, path: str, forms: list[PageForm]) -> None:
        """The page, its part for htmx, and its forms as they were shown."""
        opened = self.ask(mode, "get", path, {})
        if opened.status_code == 200:
            self.ask(mode, "get", path, {}, {"HX-Request": "true"})
        for form in forms:
            self.ask(mode, form.method, form.action, {**form.data(), **dict(form.buttons[:1])})

    def ask(self, mode: str, method: str, path: str, data: Any, headers: Any = None) -> Any:
        self.sent += 1
        begun = monotonic()
        answer = getattr(self.client, method)(path, data, headers=headers or {})
        answer.whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
        seconds, about = monotonic() - begun, f"{mode}: {method} {path}"
        try:
            check(answer)
        except AssertionError as error:
            self.wrong.append(f"{about}: {error.args[0]}"[:400])
        if seconds > SECONDS and not answer.streaming:
            self.wrong.append(f"{about}: {seconds:.0f} s")
        if "evil" in f"{answer.headers}{answer.cookies}":
            self.wrong.append(f"{about}: {answer.headers} {answer.cookies}")
        return answer


def test_no_answer_of_the_service_breaks_a_page(client, user, hostile, standin):
    addresses, shown = every_path(user), Forms(client)
    modes, visit, before = cycle(MODES), Visit(client), memory()
    chosen = [path for name, path in addresses.items() if not name.startswith(LEFT_OUT)]
    for path in chosen if EVERY else chosen[::5]:
        hostile_service.take_back(standin)
        forms = list(shown.of(path))
        for mode in EVERY or islice(modes, 1):
            hostile(mode)
            visit.page(mode, path, forms)
    assert visit.wrong == []
    assert visit.sent > 50
    assert memory() - before < MEGABYTES


def memory() -> float:
    """Megabytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("path", ["/", "/contacts/", "/contacts/{}/edit/", "/invoices/new/"])
def test_an_answer_that_drips_is_waited_for_no_longer_than_set(
    client, records, standin, settings, path
):
    settings.API_TIMEOUT = 0.5
    standin.fault("drip:0.05")
    begun = monotonic()
    check(client.get(path.format(records["contacts"])))
    assert monotonic() - begun < 6


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    """Jobs are carried out by this thread, and every export is one."""
    monkeypatch.setattr(export_views, "MAX_DIRECT_ROWS", 0)
    monkeypatch.setattr(export_views, "MAX_DIRECT_READS", 0)


JOB_MODES = ("texts", "values", "counts", "more keys", "other shapes", "refusals", "duplicates")


@pytest.mark.parametrize("mode", EVERY or JOB_MODES)
def test_no_answer_of_the_service_breaks_a_job(client, hostile, at_once, mode):
    hostile(mode)
    visit = Visit(client)
    for name, content in (("contacts", "all"), ("invoices", "lines")):
        begun = visit.ask(mode, "post", f"/{name}/export/", {"content": content, "form": "csv"})
        if begun.status_code != 302:
            continue
        work(most=60)
        visit.ask(mode, "get", begun["Location"], {})
        file = visit.ask(mode, "get", f"{begun['Location']}file/", {})
        if file.status_code == 200:
            check_cells(cells_of(file.whole))
    assert visit.wrong == []


@pytest.mark.parametrize("mode", EVERY or JOB_MODES)
def test_no_answer_of_the_service_breaks_an_import(client, standin, hostile, at_once, mode):
    content = b"Company;Mail;Kind\n<zz-hit>;a@b.example;firm\nZebra;c@d.example;person\n"
    for name in ("contacts", "invoices"):
        hostile_service.take_back(standin)
        file = SimpleUploadedFile("list.csv", content)
        begun = client.post(f"/{name}/import/", {"file": file})
        hostile(mode)
        visit = Visit(client)
        page = visit.ask(mode, "get", begun["Location"], {})
        for form in page_forms(page.content.decode(), begun["Location"]):
            if form.action == begun["Location"]:
                sent = visit.ask(mode, "post", form.action, {**form.data(), "do": "send"})
                work(most=60)
                visit.ask(mode, "get", sent.headers.get("Location", form.action), {})
        assert visit.wrong == []
