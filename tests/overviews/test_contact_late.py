"""The page of a contact that the service is slow to tell: its name stands at once, and all the rest
follows it.
"""

import re

import pytest

from dashboard.pages import blocks
from tests.resources.forms import submitted
from tests.waits import wait_until
from tests.workspaces import connect

pytestmark = pytest.mark.django_db

DELIVERED = blocks.PATIENCE  # before a fixture has tests wait longer
HTMX = {"HX-Request": "true"}
ALL = [
    ("get", "contacts"),
    ("list", "deals"),
    ("list", "estimates"),
    ("list", "invoices"),
    ("list", "tasks"),
    ("list", "tasks"),
]


@pytest.fixture
def known(desk, zebra):
    """The name of the contact is known from a list."""
    desk.get("/contacts/", {"search": "Zebra"})
    return f"/contacts/{zebra}/"


@pytest.fixture
def slow(standin, monkeypatch):
    """The contact does not answer before its call ends, and no page waits for an answer. A call
    that broke off would be made again, in the middle of a later test.
    """
    monkeypatch.setattr(blocks, "PATIENCE", 0)
    standin.fault("hang-before:20", operation="get", resource="contacts")


def calls(standin):
    return sorted((each["operation"], each["resource"]) for each in standin.ledger())


def test_the_delivered_patience_lets_a_page_stand_within_100_ms():
    assert DELIVERED <= 0.08


def test_the_name_and_what_can_be_done_stand_at_once(desk, known, slow, zebra):
    page = desk.get(known)
    assert page.status_code == 200
    html = page.content.decode()
    assert "<h1>Zebra Ltd</h1>" in html
    asks = re.findall(r'hx-get="([^"]+)" hx-trigger="load"', html)
    assert asks == [f"{known}?block=record"]
    assert f'href="{known}edit/"' in html
    assert f'href="/invoices/new/?customer={zebra}"' in html
    assert html.count('aria-busy="true"') == 5  # four blocks and the details
    assert "No invoice yet" not in html
    assert "not set" not in html


def test_what_follows_is_the_whole_page_of_one_round_of_calls(desk, known, standin, monkeypatch):
    monkeypatch.setattr(blocks, "PATIENCE", 0)
    standin.reset(data=False)
    desk.get(known)
    wait_until(lambda: calls(standin) == ALL)  # they go on once the page was sent
    standin.reset(data=False)
    assert b"block=record" in desk.get(known).content
    assert calls(standin) == []  # it was late a minute ago
    part = desk.get(known, {"block": "record"}, headers=HTMX).content.decode()
    assert calls(standin) == ALL
    assert 'id="main"' in part
    assert "No activity yet." in part


def test_a_contact_that_comes_in_time_again_is_waited_for(desk, known, slow, standin, monkeypatch):
    desk.get(known)
    standin.clear_faults()
    monkeypatch.setattr(blocks, "PATIENCE", 20)
    desk.get(known, {"block": "record"}, headers=HTMX)
    assert b"block=record" not in desk.get(known).content


def test_without_javascript_the_browser_goes_on_to_the_page_that_waits(desk, known, slow, standin):
    address = f"{known}?fill=1"
    refresh = f'<noscript><meta http-equiv="refresh" content="0; url={address}"></noscript>'
    assert refresh in desk.get(known).content.decode()
    standin.clear_faults()
    page = desk.get(address).content.decode()
    assert "No activity yet." in page
    assert 'http-equiv="refresh"' not in page


@pytest.mark.parametrize(
    ("fault", "status"), [("status-404", 404), ("status-403", 403), ("status-503", 503)]
)
def test_a_contact_that_cannot_be_read_gets_the_page_that_says_so(
    desk, known, slow, standin, fault, status
):
    desk.get(known)
    standin.clear_faults()
    standin.fault(fault, operation="get", resource="contacts")
    part = desk.get(known, {"block": "record"}, headers=HTMX)
    assert part.headers["HX-Refresh"] == "true"
    assert b"Zebra" not in part.content
    page = desk.get(known)
    assert page.status_code == status
    assert "<h1>Zebra Ltd</h1>" not in page.content.decode()


def test_a_contact_whose_name_is_not_known_is_waited_for(desk, zebra, monkeypatch):
    monkeypatch.setattr(blocks, "PATIENCE", 0)
    page = desk.get(f"/contacts/{zebra}/").content.decode()
    assert "No activity yet." in page
    assert "block=record" not in page


def test_after_a_save_the_page_shows_what_was_saved(desk, known, monkeypatch, zebra):
    form = desk.get(f"{known}edit/")
    desk.get("/contacts/", {"search": "Zebra"})
    assert desk.post(f"{known}edit/", submitted(form, ct_taxnumber="ZX-81")).status_code == 302
    desk.get("/contacts/pick/", {"q": "Zebra"})  # its name is known again
    monkeypatch.setattr(blocks, "PATIENCE", 0)
    page = desk.get(known).content.decode()
    assert "ZX-81" in page
    assert "block=record" not in page


def test_one_who_only_looks_is_offered_nothing_to_change(client_of, with_keys, viewer, zebra, slow):
    client = client_of(with_keys(viewer))
    client.get("/contacts/", {"search": "Zebra"})
    page = client.get(f"/contacts/{zebra}/").content.decode()
    assert "block=record" in page
    assert f"/contacts/{zebra}/edit/" not in page
    assert "/invoices/new/" not in page


def test_other_keys_learn_no_name(client_of, desk, known, slow, standin, editor):
    """The name that one key pair was told is not shown to another before it was told itself."""
    standin.clear_faults()
    access, secret = standin.keys["acme"][1]
    connect(editor, access=access, secret=secret, workspace="Acme")
    assert b"block=record" in desk.get(known).content
    assert b"block=record" not in client_of(editor).get(known).content
