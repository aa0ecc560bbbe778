"""Users of each role, their clients, and the stand-in of the API."""

# ruff: noqa: E402
import gc
import os
import sys

# Images of containers switch the cache of compiled modules off: then every process of the tests
# compiles each module again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
gc.disable()  # while modules are imported and tests collected, nothing becomes garbage

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.test.signals import template_rendered
from jinja2 import Template

from dashboard.gateway import CONTACTS, Gateway, Keys, Page, Service, protocol
from dashboard.office import reference_lists
from dashboard.people import permissions
from dashboard.people.models import User
from dashboard.schema import titles
from dashboard.standin import StandIn
from dashboard.standin.reference_data import reference_data
from dashboard.tables import workbooks
from tests import postgres, reading_here, workspaces
from tests.page import THOROUGH, InspectingClient
from tests.workspaces import connect

PASSWORD = "correct horse battery"
PATIENCE = 20  # seconds that a page waits for titles, so that a slow machine changes none
FULL = (pytest.mark.slow, pytest.mark.full)
# The everyday suite and .ci/run use the first one.
PROFILES = (
    "verbose", pytest.param("terse", marks=FULL), pytest.param("hostile", marks=FULL),
)  # fmt: skip
every_profile = pytest.mark.parametrize("standin", PROFILES, indirect=True)


def one_everyday(name: str, values: Iterable[Any]) -> pytest.MarkDecorator:
    """Parametrize a test: the first value is everyday, the others are slow."""
    first, *others = values
    cases = [first, *(pytest.param(other, marks=pytest.mark.slow) for other in others)]
    return pytest.mark.parametrize(name, cases, ids=lambda value: getattr(value, "name", None))


# No deadline for an example, as the machine may be busy.
hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    max_examples=200 if THOROUGH else 25,
    suppress_health_check=[
        hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture
    ],
)  # fmt: skip
hypothesis.settings.load_profile("suite")


SLOW_ROOMS = ("deploy", "faults", "outages")  # all of their tests are slow
LONG = (  # the other files of more than ten seconds of processor time
    "test_access_matrix", "test_account_pages", "test_backup", "test_bench",
    "test_database_fails_after_the_answer", "test_document_lines", "test_documents", "test_drafts",
    "test_every_order", "test_every_resource", "test_hostile_service",
    "test_hostile_strings", "test_in_place", "test_keys_between_pages",
    "test_lists", "test_long_history", "test_any_input", "test_sales",
    "test_sending_forms", "test_type_ahead", "test_workspaces_apart",
)  # fmt: skip


def turn_of(item: pytest.Item) -> int:
    """Slow rooms first, then other long files, so that no worker has one left at last."""
    return 0 if item.path.parent.name in SLOW_ROOMS else 1 if item.path.stem in LONG else 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=turn_of)
    for item in items:
        if item.path.parent.name in SLOW_ROOMS:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Collect garbage among what tests make: to look through all modules takes a quarter of the
    processor time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """The tables as the models are now (tests/settings.py), with every migration noted as run."""
    with django_db_blocker.unblock():
        call_command("migrate", fake=True, verbosity=0)


@pytest.fixture(autouse=True)
def _empty_caches() -> None:
    cache.clear()
    reference_lists.forget()


@pytest.fixture(autouse=True)
def _files_read_in_this_process(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of slow tests, and of those with `reading_process`, another process reads the files."""
    is_slow = request.node.get_closest_marker("slow")
    if not is_slow and "reading_process" not in request.fixturenames:
        monkeypatch.setattr(workbooks, "subprocess", SimpleNamespace(**reading_here.IN_PLACE))


@pytest.fixture
def reading_process() -> None:
    """A process of its own reads files, with its limits."""


@pytest.fixture(autouse=True)
def _contexts_of_jinja2_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send the signal from which Django's test client fills `response.context`; only Django's own
    template language sends it.
    """
    render = Template.render

    def send_and_render(self: Template, *args: Any, **kwargs: Any) -> str:
        template_rendered.send(sender=self, template=self, context=dict(*args, **kwargs))
        return render(self, *args, **kwargs)

    monkeypatch.setattr(Template, "render", send_and_render)


def person(name: str, role: str = "", **details: object) -> User:
    """A staff user with PASSWORD and at most one role."""
    user = User.objects.create_user(name, f"{name}@example.test", PASSWORD, **details)
    if role:
        permissions.set_role(user, role)
    return user


@pytest.fixture
def viewer(db: None) -> User:
    return person("vera", permissions.VIEWER)


@pytest.fixture
def editor(db: None) -> User:
    return person("edith", permissions.EDITOR)


@pytest.fixture
def manager(db: None) -> User:
    return person("max", permissions.MANAGER)


@pytest.fixture
def administrator(db: None) -> User:
    return person("ada", permissions.ADMINISTRATOR)


@pytest.fixture(scope="session")
def _standins() -> Iterator[Callable[[str], StandIn]]:
    running: dict[str, StandIn] = {}
    with ExitStack() as stack:

        def get(profile: str) -> StandIn:
            if profile not in running:
                new = StandIn(profile=profile, size="small", seed=1)
                running[profile] = stack.enter_context(new)
            return running[profile]

        yield get


@pytest.fixture
def standin(
    request: pytest.FixtureRequest, _standins: Callable[[str], StandIn], settings: Any
) -> StandIn:
    """The stand-in with its seed data, verbose; for `every_profile` in each profile. The
    dashboard's settings refer to it.
    """
    running = _standins(getattr(request, "param", "verbose"))
    running.reset()
    running.application.unpublished = False
    settings.API_BASE_URL = running.url
    return running


@pytest.fixture
def switch_on(standin: StandIn, settings: Any) -> Callable[..., None]:
    """switch_on("tasks.update"): the service and the dashboard have these unpublished operations
    and fields.
    """

    def switched_on(*operations: str) -> None:
        standin.application.unpublished = True
        settings.API_UNPUBLISHED = frozenset(operations)

    return switched_on


@pytest.fixture
def sent(standin: StandIn) -> Callable[..., list[Any]]:
    """sent("create", resource="tasks"): the bodies that the stand-in received, oldest first."""

    def bodies(operation: str, **wanted: str) -> list[Any]:
        return [entry["body"] for entry in standin.ledger(operation=operation, **wanted)]

    return bodies


@pytest.fixture
def tell_totals(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """tell_totals(total_records=…, total_pages=…): from now on each page of a list says this."""
    read = protocol.read_page

    def told(**totals: int | None) -> None:
        def page(*args: Any) -> Page:
            return replace(read(*args), **totals)

        monkeypatch.setattr(protocol, "read_page", page)

    return told


@pytest.fixture
def lists(db: None) -> None:
    """The reference lists of the stand-in's workspace acme."""
    workspaces.fill_lists("Acme", reference_data("acme"))


@pytest.fixture
def fresh_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reference lists count as fresh: on a slow machine their version would be read again."""
    monkeypatch.setattr(reference_lists, "FRESH", 3600)


@pytest.fixture
def with_keys(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Callable[[User], User]:
    """with_keys(user): stores a key pair of the stand-in's workspace acme; returns the user."""
    monkeypatch.setattr(titles, "PAGE_WAIT", PATIENCE)

    def connected(user: User) -> User:
        access, secret = standin.keys["acme"][0]
        connect(user, access=access, secret=secret, workspace="Acme")
        return user

    return connected


@pytest.fixture(params=["postgresql", "sqlite"])
def own_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database of the test's own, for processes that it starts."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'own.sqlite3'}"
        return
    postgres.need()
    with postgres.cluster() as url:
        yield url


@pytest.fixture
def client() -> Client:
    """An anonymous test client that inspects every HTML page."""
    return InspectingClient()


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """client_of(user): a test client that is signed in as the user."""

    def signed_in(user: User) -> Client:
        client = InspectingClient()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def desk(client_of: Callable, with_keys: Callable, manager: User) -> Client:
    """The test client of a manager with keys."""
    return client_of(with_keys(manager))


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs make their calls in this thread, as no other sees the transaction of a test."""
    monkeypatch.setattr("dashboard.jobs.rows.MAX_THREADS", 1)


@pytest.fixture
def security_log(caplog: pytest.LogCaptureFixture) -> Callable[[], list[Any]]:
    """security_log(): what it says so far."""
    caplog.set_level("INFO", "security")
    return lambda: [line.msg for line in caplog.records if line.name == "security"]


@pytest.fixture
def seeing_errors(with_keys: Callable, administrator: User) -> Client:
    """The client of an administrator; an exception of a view becomes a page with status 500."""
    client = Client(raise_request_exception=False)
    client.force_login(with_keys(administrator))
    return client


@pytest.fixture
def gateway_to(standin: StandIn) -> Iterator[Callable[[str], Gateway]]:
    """gateway_to(workspace): a gateway to the stand-in that does not pass the dashboard."""
    service = Service(standin.url)

    def gateway(workspace: str) -> Gateway:
        access, secret = standin.keys[workspace][0]
        return Gateway(service, Keys(access=access, secret=secret))

    yield gateway
    service.close()


@pytest.fixture
def gateway(gateway_to: Callable[[str], Gateway]) -> Gateway:
    """The gateway to the workspace that `desk` is connected to."""
    return gateway_to("acme")


@pytest.fixture
def zebra(gateway: Gateway) -> int:
    """The id of a business without any other records."""
    return gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
