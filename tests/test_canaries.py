"""No secret is found where it does not belong: each secret is a text, and every sink is searched.

A story uses all secrets: sign-in with a second step, a reset, an invitation, keys, records, a job,
and pages that fail. The texts that a story makes by itself, such as recovery codes, are read from
the one place that shows them.
"""

import json
import re
import sys
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as configured
from django.core import mail
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.views.debug import ExceptionReporter
from prometheus_client import REGISTRY, Counter, generate_latest

from dashboard.core import security_log
from dashboard.core.logs import scrubbed
from dashboard.gateway import CONTACTS, GatewayError
from dashboard.people import keys
from dashboard.people.keys import gateway_for
from dashboard.people.models import User
from dashboard.standin import StandIn
from tests.conftest import PASSWORD, person
from tests.helpers import run_worker
from tests.jobs.conftest import work
from tests.page_forms import fields
from tests.people.test_mfa import CODES, set_up
from tests.sinks import NotingClient, Sinks, sinks

__all__ = ["sinks"]  # a fixture

TYPED = {
    "wrong password": "CanaryWrongPassword1",
    "new password": "CanaryNewPassword-22",
    "password of a stranger": "CanaryStranger-333",
    "typed code": "CanaryCode4",
    "typed keys": "CanaryTypedAccessKey5",
    "typed secret": "CanaryTypedSecretKey6",
    "search": "CanarySearch7",
    "record": "CanaryRecord8",
    "draft": "CanaryDraft9",
    "number": "+493098765123",
}
OF_SETTINGS = {
    "mail password": ("EMAIL_HOST_PASSWORD", "CanaryMail10"),
    "Sentry DSN": ("SENTRY_DSN", "http://CanarySentry11@127.0.0.1:9/1"),
}
OF_DICTS = {
    "database password": ("DATABASES", "PASSWORD", "CanaryDatabase12"),
    "cache password": ("CACHES", "LOCATION", "redis://:CanaryRedis13@127.0.0.1:9/0"),
}
CLIENT_SECRET = "CanaryClientSecret14"
PROVIDER = {"provider_id": "office", "name": "ID", "client_id": "desk", "secret": CLIENT_SECRET,
            "settings": {"server_url": "http://127.0.0.1:9"}}  # fmt: skip
PLANTED = "Canary-planted-15"  # put into those sinks that hold no secret
# Where a secret belongs, or where it is what people look at.
BELONGS = {
    *((sink, name) for sink in ("pages", "contexts") for name in (
        "csrf token", "search", "record", "draft",
        "TOTP secret", "recovery code",  # shown once
        "typed keys", "typed secret", "typed code",  # refused: shown to the one who typed them
    )),
    ("cookies", "session key"),
    ("database", "session key"), ("texts of objects", "session key"),  # of Django's own tables
    ("mails", "reset key"), ("mails", "invitation"),
    ("contexts", "reset key"), ("contexts", "invitation"),  # of those mails
    ("addresses", "search"), ("exception report", "search"), ("calls", "search"),
    *((sink, "number") for sink in ("pages", "contexts", "bodies", "history", "files", "calls")),
    ("bodies", "record"), ("history", "record"), ("files", "record"),
}  # fmt: skip

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def secrets(standin: StandIn, settings: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Name -> text of each secret that is known from the start."""
    access, secret = standin.keys["acme"][0]
    found = {**TYPED, "access key": access, "secret key": secret, "password": PASSWORD}
    for name, (setting, text) in OF_SETTINGS.items():
        setattr(settings, setting, text)
        found[name] = text
    for name, (setting, key, text) in OF_DICTS.items():
        monkeypatch.setitem(getattr(configured, setting)["default"], key, text)
        found[name] = text
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [PROVIDER]}}
    found["SECRET_KEY"] = settings.SECRET_KEY
    found["encryption key"] = settings.FIELD_ENCRYPTION_KEYS[0]
    found["client secret"] = CLIENT_SECRET
    return found


def browser() -> NotingClient:
    return NotingClient(raise_request_exception=False)


def sign_in(client: Client, password: str) -> None:
    client.post("/accounts/login/", {"login": "ada", "password": password})


def tell(client: NotingClient, user: User, standin: StandIn, secrets: dict[str, str]) -> None:
    """The story; what it makes is added to `secrets`."""
    sign_in(client, secrets["wrong password"])
    client.post(
        "/accounts/login/", {"login": "nobody", "password": TYPED["password of a stranger"]}
    )
    sign_in(client, PASSWORD)
    secrets["session key"] = client.session.session_key
    page = client.get("/settings/keys/").content.decode()
    secrets["csrf token"] = re.findall('name="csrfmiddlewaretoken" value="([^"]+)"', page)[0]
    typed = {"access": TYPED["typed keys"], "secret": TYPED["typed secret"]}
    client.post("/settings/keys/replace/", {**typed, "action": "save"})  # before it is confirmed
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    for action in ("test", "save"):
        client.post("/settings/keys/replace/", {**typed, "action": action})
    records(client, user)
    second_step(client, secrets)
    mails_of(client, secrets)
    failing(client)


def records(client: NotingClient, user: User) -> None:
    """A record created, listed, searched, edited by halves, exported, and looked up later."""
    form = fields(client.get("/contacts/new/"))
    client.post("/contacts/new/", {**form, "cstname": TYPED["record"], "contact_type": "1",
                                   "cstmobile": TYPED["number"]})  # fmt: skip
    client.get("/contacts/", {"search": TYPED["search"]})
    client.post("/search/", {"q": TYPED["search"]})
    client.post("/search/", {"q": TYPED["number"]})  # reads all contacts in a job
    typed = {"cstname": TYPED["draft"], "cstnotes": TYPED["draft"]}
    client.post("/unfinished/keep/", {**fields(client.get("/contacts/new/")), **typed})
    sent = client.post("/contacts/export/", {"content": "columns", "form": "csv"})
    work(most=60)
    client.post("/search/", {"q": TYPED["number"]})
    browser().get("/contacts/", {"search": TYPED["search"]})
    for path in ("/unfinished/", "/history/", "/jobs/", "/settings/operation/", "/staff/",
                 "/readyz", f"{sent['Location']}file/"):  # fmt: skip
        client.get(path)


def second_step(client: NotingClient, secrets: dict[str, str]) -> None:
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    secrets["TOTP secret"] = set_up(client)
    page = client.get(CODES).content.decode()
    secrets["recovery code"] = (re.findall(r"<code>([\w-]+)</code>", page) or ["-no code-"])[0]
    other = browser()
    sign_in(other, PASSWORD)
    other.post(reverse("mfa_authenticate"), {"code": TYPED["typed code"]})


def mails_of(client: NotingClient, secrets: dict[str, str]) -> None:
    """A password reset up to the new password, and somebody invited."""
    browser().post("/accounts/password/reset/", {"email": "vera@example.test"})
    client.post("/staff/invite/", {"addresses": "Ivo <ivo@example.test>", "role": "Viewer"})
    run_worker()
    links = {one.to[0]: re.findall(r"https?://\S+", one.body) for one in mail.outbox}
    for name, to in (("reset key", "vera@example.test"), ("invitation", "ivo@example.test")):
        [link] = links.get(to) or [""]
        secrets[name] = link.rstrip("/").rpartition("/")[2]
        other = browser()
        form = other.get(link, follow=True).request["PATH_INFO"]
        other.post(form, dict.fromkeys(("password1", "password2"), TYPED["new password"]))


def failing(client: NotingClient) -> None:
    """Pages whose view, database or service fails."""

    def fail(*_args: Any) -> None:
        raise OperationalError("the database is away")

    with connection.execute_wrapper(fail):
        client.get("/contacts/")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dashboard.people.context.context_without_keys", lambda _request: 1 / 0)
        client.get("/contacts/", headers={"X-Request-ID": PLANTED})
        client.post("/contacts/new/", {"cstname": TYPED["record"]})


def read_the_rest(sinks: Sinks, user: User, standin: StandIn) -> None:
    """The sinks that are read in the end: database, metrics, calls, mails, texts of objects."""
    for model in apps.get_models(include_auto_created=True):
        sinks.add("database", *map(repr, model._default_manager.values_list()))
        sinks.add("texts of objects", *map(repr, model._default_manager.all()))
    counter = Counter("canaries", "Texts that a metric may show", ("text",))
    counter.labels(PLANTED).inc()
    sinks.add("metrics", generate_latest().decode())
    REGISTRY.unregister(counter)
    sinks.add("calls", *(f"{one['path']}?{one['query']}" for one in standin.ledger()))
    sinks.add("bodies", *(one["body"] for one in standin.ledger()))
    for one in mail.outbox:
        sinks.add("mails", one.subject, one.body, *(str(part) for part in one.alternatives))
    gateway = gateway_for(user)
    sinks.add("texts of objects", repr(gateway), repr(keys.service()), repr(vars(gateway)))
    sinks.add("texts of objects", repr(user), repr(user.key_pair), str(user.key_pair))
    history = browser()
    history.force_login(user)
    page = history.get("/history/").content, history.get("/history/?format=csv").getvalue()
    sinks.add("history", *(one.decode() for one in page))


def report(sinks: Sinks, user: User) -> None:
    """What Django and Sentry tell of an exception, with the request that met it."""
    client = browser()
    client.force_login(user)
    client.post("/accounts/login/", {"password": TYPED["wrong password"]})
    asked = {"search": TYPED["search"]}
    request = client.get("/contacts/", asked, headers={"user-agent": PLANTED}).wsgi_request
    try:
        gateway_for(user).get(CONTACTS, 10**17)
    except GatewayError as error:
        told = ExceptionReporter(request, *sys.exc_info())
        sinks.add("texts of objects", repr(error), str(error), repr(error.__dict__))
        frames = [str(one["vars"]) for one in told.get_traceback_frames()]
        sinks.add("exception report", *frames)
    facts = {"url": request.build_absolute_uri(), "cookies": dict(request.COOKIES),
             "headers": dict(request.headers), "data": {"password": PASSWORD}}  # fmt: skip
    sinks.add("Sentry", json.dumps(scrubbed({"request": facts}, None)))


def test_no_secret_is_where_it_does_not_belong(
    administrator, viewer, with_keys, standin, sinks, secrets, monkeypatch
):
    monkeypatch.setattr("dashboard.jobs.export_views.MAX_DIRECT_ROWS", 0)
    monkeypatch.setattr("dashboard.jobs.export_views.MAX_DIRECT_READS", 0)
    tell(browser(), with_keys(administrator), standin, secrets)
    security_log.record_event("planted", text=PLANTED)
    cache.set("planted", PLANTED)
    person(PLANTED)
    read_the_rest(sinks, administrator, standin)
    report(sinks, administrator)
    found = sinks.found(secrets)
    assert found - BELONGS == set()
    # Each secret came into being, and each sink would have told of it.
    assert len(secrets) >= 20
    assert all(len(text) > 7 for text in secrets.values())
    holding = {sink for sink, _ in found | sinks.found({"planted": PLANTED})}
    assert holding == set(sinks.texts)
    assert len(holding) >= 14
    assert {name for _, name in BELONGS} <= {name for _, name in found}
