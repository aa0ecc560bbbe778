"""The list of contacts: search, pages, columns, failures."""

import re

import pytest

from dashboard.gateway import CONTACTS
from tests.helpers import text

HTMX = {"HX-Request": "true"}


@pytest.fixture
def three(gateway, standin):
    """Three contacts with names that no seeded contact has."""
    for name, kind in (("Zebra One", 1), ("Zebra Two", 2), ("Zebra <b>Three</b>", 1)):
        gateway.create(CONTACTS, {"cstname": name, "contact_type": kind})


@pytest.mark.parametrize("total_records", [None, 25, 300])
def test_totals_that_the_rows_refute_leave_every_page_within_reach(
    desk, gateway, tell_totals, total_records
):
    every = {record.id for record in gateway.list(CONTACTS, page_size=100).records}
    tell_totals(total_records=total_records, total_pages=1)
    seen, number = set(), 1
    while True:
        listed = desk.get(f"/contacts/?page={number}").context["list_page"]
        seen |= {row.record_id for row in listed.table.rows}
        if not any(link.label == str(number + 1) for link in listed.pager):
            break
        number += 1
    assert (seen, number) == (every, 3)
    assert listed.count == ("300 contacts" if total_records == 300 else "")


def test_a_search_finds_names_and_is_shown_as_a_filter(desk, three):
    page = desk.get("/contacts/?search=zebra")
    assert "3 contacts" in text(page)
    assert "“zebra”" in text(page)
    assert "Zebra &lt;b&gt;Three&lt;/b&gt;" in page.content.decode()


def test_an_empty_list_speaks_of_a_first_one_where_one_may_be_created(
    desk, client_of, with_keys, viewer, standin
):
    standin.application.state.store.clear()
    page = text(desk.get("/contacts/"))
    assert "No contacts yet Create your first contact, or import a file New contact" in page
    page = text(client_of(with_keys(viewer)).get("/contacts/"))
    assert "No contacts yet" in page
    assert "Create your first" not in page


def test_a_page_beyond_the_end_shows_the_last_one(desk, three):
    page = desk.get("/contacts/?search=zebra&size=10&page=99", headers=HTMX)
    assert "Zebra One" in text(page)
    assert page["HX-Push-Url"] == "/contacts/?search=zebra&size=10"


def test_htmx_gets_only_the_table_and_the_address(desk, three):
    page = desk.get("/contacts/?search=zebra&page=1&type=", headers=HTMX)
    assert "<html" not in page.content.decode()
    assert page["HX-Push-Url"] == "/contacts/?search=zebra"
    assert "3 contacts" in page["HX-Trigger"]
    assert "HX-Request" in page["Vary"]


def panel_url(page) -> str:
    return re.search(r'data-src="([^"]*panel=columns)"', page.content.decode())[1]


def test_the_panel_of_columns_comes_when_it_is_opened_without_a_call(desk, standin):
    page = desk.get("/contacts/?columns=cstemail&size=10")
    assert 'name="column"' not in page.content.decode()
    asked = len(standin.ledger())
    panel = desk.get(panel_url(page).replace("&amp;", "&"), headers=HTMX).content.decode()
    assert re.findall(r'value="(\w+)" checked', panel) == ["cstemail"]
    assert '<input type="hidden" name="size" value="10">' in panel
    assert len(standin.ledger()) == asked


def test_an_order_that_the_service_refuses_is_said(desk, standin):
    standin.fault("status-422", resource="contacts", times=1)
    page = desk.get("/contacts/?sort=cstemail")
    assert page.status_code == 200
    assert "aria-sort" not in page.content.decode()
    assert "t sort contacts by “Email”" in text(page)


def test_a_refused_search_text_does_not_disable_sorting(desk, standin):
    standin.fault("status-422", resource="contacts", times=2)  # the sorted list and the unsorted
    assert desk.get("/contacts/?search=zebra&sort=cstemail").status_code >= 400
    assert "sort=cstemail" in desk.get("/contacts/").content.decode()


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("status-401", 424, "The CRM rejected your API keys"),
        ("status-403", 403, "let you do this"),
        ("status-429:60", 503, "The CRM is busy"),
        ("status-500", 503, "The CRM didn't answer properly"),
        ("success-false", 502, "The CRM rejected this"),
        ("status-405", 501, "support this"),
    ],
)
def test_each_failure_has_a_page_and_an_alert_for_htmx(desk, standin, fault, status, words):
    standin.fault(fault)
    page = desk.get("/contacts/")
    assert (page.status_code, words in text(page)) == (status, True)
    alert = desk.get("/contacts/", headers=HTMX)
    assert (alert.status_code, alert["HX-Retarget"]) == (status, "#alerts")
    assert words in text(alert)
    assert "<html" not in alert.content.decode()


def test_unreadable_stored_keys_are_asked_for_again(desk, manager):
    manager.key_pair.keys_sealed = "rubbish"
    manager.key_pair.save()
    assert "Enter your API keys again" in text(desk.get("/contacts/"))
