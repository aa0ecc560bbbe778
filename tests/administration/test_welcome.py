"""The first day in three steps: connect keys, say who one is in the service, begin."""

import html
import re
from datetime import date, timedelta
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest

from dashboard.gateway import CONTACTS, INVOICES, Gateway
from dashboard.office import choices as preferences
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.helpers import text

pytestmark = pytest.mark.django_db
URL, KEYS = "/setup/welcome/", "/settings/keys/"


@pytest.fixture
def editors_client(client_of, with_keys, editor):
    return client_of(with_keys(editor))


def name_users() -> None:
    users = [{"code": "7", "name": "Nikos Papadakis"}, {"code": "8", "name": "Max Lindqvist"}]
    save_entries("Acme", Kind.USER, users)


def test_today_begins_with_the_first_step_for_somebody_without_keys(client_of, editor):
    page = client_of(editor).get("/", follow=True)
    assert page.status_code == 200
    assert "Connect the CRM" in text(page)
    assert "Get your keys" in text(page)
    assert client_of(editor).get(URL)["Location"] == KEYS


def test_connected_keys_lead_to_the_next_step_which_counts_each_area(
    client_of, editor, standin, gateway
):
    access, secret = standin.keys["acme"][0]
    typed = {"access": access, "secret": secret, "workspace": "Acme", "action": "save"}
    client = client_of(editor)
    assert client.post(KEYS, typed)["Location"] == URL
    areas = re.findall(r"(Contacts|Invoices) ([0-9,]+)", text(client.get(URL)))
    assert areas == [("Contacts", count(gateway, CONTACTS)), ("Invoices", count(gateway, INVOICES))]


def test_a_workspace_is_named_only_where_the_keys_belong_to_none(client_of, editor, standin):
    client, (access, secret) = client_of(editor), standin.keys["acme"][0]
    typed = {"access": access, "secret": secret, "action": "save"}
    assert "Workspace name" not in text(client.get(KEYS))
    assert "Workspace name" in text(client.post(KEYS, typed))
    assert client.post(KEYS, {**typed, "workspace": "Acme"})["Location"] == URL


def test_the_menu_comes_with_the_keys(client_of, editor, with_keys):
    client = client_of(editor)
    assert b'data-key="g c"' not in client.get(KEYS).content
    assert b'data-key="g c"' in client_of(with_keys(editor)).get(KEYS).content


def count(gateway, endpoint) -> str:
    return f"{gateway.list(endpoint, page_size=1).total_records:,}"


@pytest.mark.parametrize("action", ["save", "test"])
def test_wrong_keys_are_refused_in_one_sentence(client_of, editor, standin, action):
    typed = {"access": "a" * 40, "secret": "b" * 40, "workspace": "Acme", "action": action}
    page = text(client_of(editor).post(KEYS, typed))
    assert len(re.findall("rejected these keys", page)) == 1


def test_that_is_me_needs_a_choice(editors_client):
    name_users()
    refused = editors_client.post(URL, {"choice": ""})
    assert refused.status_code == 422
    assert "Choose a user, or skip this step." in text(refused)
    assert editors_client.post(URL, {"choice": "7"}).status_code == 302


def test_somebody_without_keys_gets_a_message_to_send(client_of, editor):
    page = client_of(editor).get(KEYS)
    assert "I don't have the keys" in text(page)
    assert f"ll enter them here: http://testserver{KEYS}" in text(page)
    link = re.search(r'href="mailto:\?([^"]*)"', page.content.decode())[1]
    mail = parse_qs(html.unescape(link))
    assert mail["subject"] == ["API keys of the CRM"]
    assert mail["body"][0].startswith("Hello,\r\n\r\nPlease create an API key pair")


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        ([14, 14, 30], "Most of your last 3 invoices are due after 14 days."),
        ([30, 30, 14], ""),
        ([14, 7, 21], ""),
        ([], ""),
    ],
)
def test_the_last_step_says_the_payment_terms_and_what_invoices_have(
    editors_client, monkeypatch, gaps, said
):
    found = [
        {"transaction_date": date(2026, 3, 1), "due_date": date(2026, 3, 1) + timedelta(gap)}
        for gap in gaps
    ]
    undated = {"transaction_date": date(2026, 3, 1), "due_date": None}
    page = SimpleNamespace(records=[*found, undated])
    monkeypatch.setattr(Gateway, "list", lambda *args, **kwargs: page)
    words = text(editors_client.get(URL))
    assert "New invoices are due after 30 days." in words
    assert said in words
    assert ("Most of your last" in words) == bool(said)


def test_a_service_that_does_not_answer_leaves_the_payment_terms_out(editors_client, standin):
    standin.refuse()
    words = text(editors_client.get(URL))
    assert "re ready to start" in words
    assert "New invoices" not in words


def test_who_one_is_is_proposed_by_name_and_stored(editors_client, editor):
    name_users()
    editor.first_name, editor.last_name = "Nikos", "Papadakis"
    editor.save()
    page = editors_client.get(URL)
    assert "Choose your user in the CRM" in text(page)
    assert '<option value="7" selected' in page.content.decode()
    assert editors_client.post(URL, {"choice": "7"})["Location"] == f"{URL}?next"
    assert preferences.own_id(editor, "Acme") == "7"
    assert "re ready to start" in text(editors_client.get(f"{URL}?next"))


def test_nobody_is_asked_who_they_are_before_the_users_have_names(editors_client):
    words = text(editors_client.get(URL))
    assert "re ready to start" in words
    assert "Which user" not in words
    assert "Create a contact" in words


def test_somebody_who_only_reads_chooses_nobody_and_creates_nothing(client_of, with_keys, viewer):
    name_users()
    client = client_of(with_keys(viewer))
    words = text(client.get(URL))
    assert "re ready to start" in words
    assert "Create a contact" not in words
    client.post(URL, {"choice": "7"})
    assert preferences.own_id(viewer, "Acme") == ""
