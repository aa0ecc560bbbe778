"""A contact's page, and deleting it."""

import pytest

from dashboard.gateway import CONTACTS, INVOICES, Missing
from tests.helpers import ask_to_delete, confirmation, delete_now, text


@pytest.fixture
def contact(gateway) -> int:
    body = {
        "cstname": "Zoë <Zebra>",
        "contact_type": 1,
        "cstemail": "zoe@zebra.example",
        "cstaddress": "1 Long Lane\nOxford",
        "cstnotes": "Calls on Fridays",
    }
    return gateway.create(CONTACTS, body).id


def test_the_page_shows_the_fields_of_the_record(desk, contact):
    page = desk.get(f"/contacts/{contact}/")
    for words in ("Zoë <Zebra>", "Individual", "zoe@zebra.example", "Oxford", "Calls on Fridays"):
        assert words in text(page)
    assert 'href="mailto:zoe@zebra.example"' in page.content.decode()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (999_999, "Record not found"),
        (0, "Record not found"),
        (10**30, "Page not found"),
    ],
)
def test_a_missing_contact_gets_a_404_page(desk, number, words):
    page = desk.get(f"/contacts/{number}/")
    assert page.status_code == 404
    assert words in text(page)


def test_the_page_of_a_missing_contact_leads_to_the_list(desk):
    assert (
        '<a class="button main" href="/contacts/">Go to Contacts</a>'
        in desk.get("/contacts/999999/").content.decode()
    )


def test_a_contact_of_another_workspace_gets_a_404_page(desk, gateway_to):
    other = gateway_to("globex")
    theirs = other.create(CONTACTS, {"cstname": "Globex only", "contact_type": 2}).id
    page = desk.get(f"/contacts/{theirs}/")
    assert page.status_code == 404
    assert "Globex only" not in text(page)


def test_a_contact_is_deleted(desk, contact, gateway):
    done = delete_now(desk, ask_to_delete(desk, f"/contacts/{contact}/"))
    assert "Zoë <Zebra> was deleted" in text(done)
    with pytest.raises(Missing):
        gateway.get(CONTACTS, contact)


def test_deleting_a_deleted_contact_is_reported(desk, contact, gateway):
    form = confirmation(desk.get(f"/contacts/{contact}/"))
    gateway.delete(CONTACTS, contact)
    done = desk.post(f"/contacts/{contact}/delete/", form, follow=True)
    assert "already gone" in text(done)


def test_an_editor_may_edit_and_not_delete(client_of, with_keys, editor, contact):
    page = text(client_of(with_keys(editor)).get(f"/contacts/{contact}/"))
    assert "Edit" in page
    assert "Delete" not in page


def test_the_page_links_to_lists_filtered_by_a_contact_with_records(desk, gateway):
    contact = gateway.list(INVOICES).records[0]["customer_id"]
    name = gateway.get(CONTACTS, contact)["cstname"]
    page = desk.get(f"/contacts/{contact}/").content.decode()
    for name_of_list in ("deals", "estimates", "invoices"):
        assert f'href="/{name_of_list}/?cstid={contact}"' in page
        filtered = desk.get(f"/{name_of_list}/?cstid={contact}")
        assert name in text(filtered)  # the chip of the filter
    assert "/tasks/?" not in page
    assert "open tasks." in page
