"""One person gets a bounded number of pages and forms in a minute."""

import pytest
from django.core.cache import caches

from dashboard.core import rate_limit
from dashboard.gateway import CONTACTS
from dashboard.writes.models import Draft
from tests.helpers import text
from tests.page_forms import fields

NOON = "2026-03-14 12:00:20Z"
HX = {"HX-Request": "true"}


@pytest.fixture
def bounded(settings, time_machine):
    """bounded(most): so many requests a minute, from now on."""

    def at(most: int) -> None:
        time_machine.move_to(NOON, tick=False)
        settings.REQUESTS_PER_MINUTE = most

    return at


def test_pages_beyond_the_bound_wait_for_the_next_minute(desk, bounded, time_machine, security_log):
    bounded(3)
    answers = [desk.get("/help/") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 3
    assert answers[-1]["Retry-After"] == "40"
    assert "Wait 40 seconds, then try again." in text(answers[-1])
    [line] = [line for line in security_log() if line["event"] == "rate_limited"]  # once
    assert (line["what"], line["most"], bool(line["person"])) == ("requests", 3, True)
    time_machine.move_to("2026-03-14 12:01:00Z", tick=False)
    assert desk.get("/help/").status_code == 200


def test_others_are_not_bounded_with_them(desk, bounded, client_of, editor, client):
    bounded(1)
    assert [desk.get("/help/").status_code for _ in range(2)] == [200, 429]
    assert client_of(editor).get("/help/").status_code == 200
    assert [client.get("/accounts/login/").status_code for _ in range(3)] == [200] * 3
    assert desk.post("/accounts/logout/").status_code == 302


def test_htmx_gets_the_status_alone(desk, bounded):
    bounded(0)
    answer = desk.get("/contacts/", headers=HX)
    assert (answer.status_code, answer.content) == (429, b"")
    assert int(answer["Retry-After"]) > 0


def test_a_form_beyond_the_bound_is_kept_and_not_sent(desk, bounded, gateway, settings):
    given = fields(desk.get("/contacts/new/")) | {"cstname": "Zebra Ltd"}
    bounded(0)
    answer = desk.post("/contacts/new/", given)
    assert answer.status_code == 429
    assert "What you typed is kept" in text(answer)
    assert not gateway.list(CONTACTS, search="Zebra").records
    again = f"/contacts/new/?draft={Draft.objects.get().pk}"
    assert f'href="{again}"' in answer.content.decode()
    settings.REQUESTS_PER_MINUTE = 600
    assert fields(desk.get(again))["cstname"] == "Zebra Ltd"


def test_a_form_that_cannot_be_kept_is_sent_again_by_reloading(desk, bounded):
    bounded(0)
    answer = desk.post("/accounts/", {})
    assert answer.status_code == 429
    assert "then reload this page" in text(answer)


def test_a_page_costs_one_call_of_the_cache(desk, bounded, monkeypatch):
    bounded(600)
    rate_limit.exceeded("requests", 7, most=600)
    for name in ("add", "set", "get"):
        monkeypatch.setattr(type(caches["default"]), name, None)
    assert not rate_limit.exceeded("requests", 7, most=600)


def test_a_cache_that_keeps_nothing_bounds_nobody(settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    assert not any(rate_limit.exceeded("requests", 7, most=1) for _ in range(5))


def test_names_beyond_their_bound_are_logged(desk, monkeypatch, security_log):
    monkeypatch.setattr("dashboard.schema.titles.MAX_FRAGMENTS", 1)
    assert [desk.get("/titles/?contacts=1").status_code for _ in range(3)] == [200, 429, 429]
    assert [line["what"] for line in security_log() if line["event"] == "rate_limited"] == ["names"]


def test_what_is_refused_is_logged_with_person_and_view(client_of, viewer, security_log):
    client = client_of(viewer)
    client.handler.enforce_csrf_checks = True
    assert client.get("/staff/").status_code == 403
    assert client.post("/accounts/", {}).status_code == 403
    refused = [line for line in security_log() if line["event"].endswith("refused")]
    assert [(each["event"], each["person"]) for each in refused] == [
        ("permission refused", viewer.pk), ("form refused", viewer.pk),
    ]  # fmt: skip
    assert [each["view"] for each in refused] == ["staff:list", "account_home"]
