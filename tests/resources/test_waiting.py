"""The round trips of a list: one for its rows, after which it is shown, and one for all titles at
the same time.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from threading import Barrier, Event

import pytest

from dashboard.gateway import CONTACTS, INVOICES, Gateway, concurrency
from dashboard.schema import titles
from dashboard.schema.registry import RESOURCES
from tests.conftest import one_everyday
from tests.helpers import text
from tests.page_forms import fields

from .test_every_resource import typed_into

POOLS = ("dashboard.gateway.concurrency._pool", "dashboard.reader.lookups._pool")


@pytest.fixture(autouse=True)
def begun_calls(monkeypatch) -> Iterator[None]:
    """Waits for the calls that a page has begun and left, lest the next test finds them."""
    with ThreadPoolExecutor(concurrency.THREADS) as pool:
        for path in POOLS:
            monkeypatch.setattr(path, lambda: pool)
        yield


@pytest.fixture
def customers(gateway) -> list[int]:
    """The customers of the invoices on the first page of 25."""
    rows = gateway.list(INVOICES, page_size=25).records
    return sorted({row["customer_id"] for row in rows})


def test_titles_are_read_in_parallel_and_then_cached(
    desk, standin, gateway, customers, monkeypatch
):
    all_under_way = Barrier(len(customers), timeout=20)
    get = Gateway.get

    def together(self, endpoint, record_id):
        all_under_way.wait()  # raises unless all lookups run at the same time
        return get(self, endpoint, record_id)

    names = [gateway.get(CONTACTS, number)["cstname"] for number in customers]
    monkeypatch.setattr(Gateway, "get", together)
    standin.application.ledger.clear()
    cold = text(desk.get("/invoices/"))
    assert [name for name in names if name not in cold] == []
    asked = [entry["operation"] for entry in standin.ledger()]
    assert asked == ["list", *["get"] * len(customers)]

    standin.application.ledger.clear()
    assert text(desk.get("/invoices/")) == cold
    assert [entry["operation"] for entry in standin.ledger()] == ["list"]


def test_rows_are_shown_without_waiting_for_a_name_and_all_names_come_in_one_answer(
    desk, gateway, customers, monkeypatch
):
    monkeypatch.setattr(titles, "PAGE_WAIT", 0)
    names = [gateway.get(CONTACTS, number)["cstname"] for number in customers]
    is_sent, get = Event(), Gateway.get

    def once_sent(self, endpoint, record_id):
        is_sent.wait(20)
        return get(self, endpoint, record_id)

    monkeypatch.setattr(Gateway, "get", once_sent)
    html = desk.get("/invoices/").content.decode()
    is_sent.set()
    assert html.count("data-title=") == 25
    assert not any(name in unescape(html) for name in names)
    [fragment] = re.findall(r'hx-get="(/titles/[^"]*)"', html)
    late = desk.get(unescape(fragment)).content.decode()
    assert late.count("hx-swap-oob") == len(customers)
    assert all(name in unescape(late) for name in names)


@one_everyday("resource", RESOURCES.values())
def test_the_page_of_a_new_record_shows_the_read_that_confirmed_it_and_then_reads_again(
    desk, lists, zebra, standin, resource
):
    typed = typed_into(desk, resource, zebra)
    standin.application.ledger.clear()
    saved = desk.post(f"/{resource.name}/new/", typed)
    read = "list" if resource.name == "leads" else "get"
    for reads in (["create", read], ["create", read, read]):
        desk.get(saved.url)
        calls = [each["operation"] for each in standin.ledger(resource=resource.name)]
        assert [each for each in calls if each in ("create", read)] == reads


@one_everyday("resource", RESOURCES.values())
def test_the_page_of_a_new_record_stands_after_two_answers_of_the_service(
    desk, lists, zebra, standin, monkeypatch, resource
):
    monkeypatch.setattr(titles, "PAGE_WAIT", 0)
    typed = typed_into(desk, resource, zebra)
    standin.application.ledger.clear()
    saved = desk.post(f"/{resource.name}/new/", typed)
    read = "list" if resource.name == "leads" else "get"
    calls = [(each["operation"], each["resource"]) for each in standin.ledger()]
    assert calls == [("create", resource.name), (read, resource.name)]
    standin.fault("status-503")  # nothing else is answered
    page = desk.get(saved.url)
    assert page.status_code == 200
    assert str(page.context["record_page"].record_id) in saved.url
    assert "was created" in text(page)


def test_a_page_that_opens_later_shows_what_somebody_else_changed_meanwhile(desk, gateway):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Berg"}
    saved = desk.post("/contacts/new/", typed)
    desk.get(f"{saved.url}edit/")  # shows that it was created
    number = int(saved.url.rstrip("/").rpartition("/")[2])
    gateway.update(CONTACTS, number, {"cstname": "Ada Sommer", "contact_type": 1})
    assert "Ada Sommer" in text(desk.get(saved.url))
