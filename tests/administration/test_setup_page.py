"""The setup of a workspace whose lists are empty while the service has records."""

import re
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from dashboard.administration import setup
from dashboard.gateway import CONTACTS
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.editing import retire, save_entries, unnamed_of
from dashboard.office.kinds import Kind
from dashboard.office.models import ListEntry
from dashboard.office.observed_references import SeenReference, record_all
from dashboard.people.models import KeyPair
from tests.helpers import text
from tests.imports.test_import import upload
from tests.page_forms import fields
from tests.workspaces import connect, of_name

pytestmark = pytest.mark.django_db
SETUP = "/setup/"
NEEDED = (Kind.PIPELINE, Kind.TEMPLATE, Kind.ITEM, Kind.TAX, Kind.CURRENCY, Kind.USER)


@pytest.fixture
def ada(client_of, with_keys, administrator):
    assert not ListEntry.objects.exists()
    return client_of(with_keys(administrator))


def fill(*kinds):
    for kind in kinds:
        save_entries("Acme", kind, [{"code": "1", "name": f"The {kind}"}])


def test_an_administrator_meets_setup_until_every_list_has_an_entry(ada):
    assert ada.get("/")["Location"] == SETUP
    assert "Settings Setup" in text(ada.get("/contacts/"))
    fill(*NEEDED)
    fill(Kind.CONTACT_TAG)
    assert ada.get("/")["Location"] == SETUP
    fill(Kind.STAGE)
    assert ada.get("/").status_code == 200
    assert "Settings Setup" not in text(ada.get("/contacts/"))


def test_a_list_without_a_choice_brings_setup_back_unless_it_was_ended(ada):
    fill(*NEEDED, Kind.STAGE)
    retire("Acme", ListEntry.objects.get(kind=Kind.TAX))
    assert ada.get("/")["Location"] == SETUP
    assert "Settings Setup" in text(ada.get("/contacts/"))
    ada.post(f"{SETUP}end/")
    assert ada.get("/").status_code == 200
    assert "Settings Setup" not in text(ada.get("/contacts/"))


def test_a_new_id_without_a_name_brings_setup_back_to_the_menu(ada):
    fill(*NEEDED, Kind.STAGE)
    record_all("Acme", [SeenReference(Kind.TEMPLATE, 77, "/invoices/1/", "Invoice 1")])
    assert ada.get("/").status_code == 200
    assert "Settings Setup" in text(ada.get("/contacts/"))


def test_the_time_zone_is_told_with_its_time(ada, settings):
    settings.TIME_ZONE = "Asia/Kathmandu"
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        page = text(ada.get(SETUP))
    there = now.astimezone(ZoneInfo("Asia/Kathmandu"))
    assert f"Asia/Kathmandu: it is {there:%H:%M} there" in page


def test_setup_can_be_ended_and_stays_among_the_settings(ada):
    ada.post(f"{SETUP}end/")
    assert ada.get("/").status_code == 200
    assert f'href="{SETUP}"' in ada.get("/settings/").content.decode()


def test_nobody_else_meets_setup(desk):
    assert desk.get("/").status_code == 200
    assert 'href="/setup/"' not in desk.get("/contacts/").content.decode()


def test_an_administrator_without_keys_is_led_to_them(client_of, administrator):
    browser = client_of(administrator)
    assert browser.get("/")["Location"] == "/settings/keys/"
    assert "Connect the CRM first" in text(browser.get(SETUP))


def test_lists_of_areas_outside_the_plan_are_not_asked_for(ada):
    KeyPair.objects.update(closed_areas=["deals", "estimates", "invoices"])
    words = text(ada.get(SETUP))
    assert "template number" not in words
    assert "by name" in words
    assert "Deals, Estimates, Invoices" in words
    fill(Kind.USER)
    assert ada.get("/").status_code == 200
    assert "Settings Setup" not in text(ada.get("/contacts/"))


def test_one_press_fills_the_lists_from_existing_records(ada, standin):
    page = text(ada.post(f"{SETUP}pick-up/", follow=True))
    assert "records checked." in page
    assert "template number" not in page
    assert catalogue.label("Acme", Kind.TAX, "64") == "0%"
    item = catalogue.entry("Acme", Kind.ITEM, 501)
    assert (item.name, item.price, item.is_from_service) == ("Consulting hour", 95, True)
    assert catalogue.label("Acme", Kind.USER, 21) == "Ana Pérez"
    assert catalogue.label("Acme", Kind.PIPELINE, 1) == "New business"
    assert set(catalogue.choices("Acme", Kind.TEMPLATE)) == {"11", "12", "13", "14"}
    assert catalogue.entry("Acme", Kind.TAX, "61").rate == 20
    assert {entry["operation"] for entry in standin.ledger()} == {"list", "get"}
    assert ada.get("/").status_code == 200
    assert 'href="/setup/"' in ada.get("/contacts/").content.decode()


def test_the_board_stands_after_the_pick_up_and_after_naming_its_stages(ada):
    ada.post(f"{SETUP}pick-up/")
    columns = ada.get("/deals/board/").context["columns"]
    assert columns
    assert all("(not named yet)" in each.title for each in columns)
    assert any(each.cards for each in columns)
    waiting = unnamed_of("Acme").filter(kind=Kind.STAGE)
    names = {f"name-{each.pk}": f"Stage {each.code}" for each in waiting}
    ada.post("/settings/lists/not-named-yet/", names)
    named = ada.get("/deals/board/").context["columns"]
    assert [each.title.startswith("Stage ") for each in named] == [True] * len(columns)


def test_custom_fields_are_offered_after_the_pick_up(ada, gateway):
    body = {"cstname": "Zoe", "contact_type": 1, "custom_fields": {"Account no.": "41"}}
    gateway.create(CONTACTS, body)
    ada.post(f"{SETUP}pick-up/")
    assert not unnamed_of("Acme").filter(kind=Kind.CONTACT_FIELD).exists()
    url = "/contacts/new/"
    assert "Account no." in text(ada.post(url, fields(ada.get(url), draw="all")))
    page = ada.get(upload(ada, "Name,Account no.\nAnn,39\n", resource="contacts"))
    assert [one.target.name for one in page.context["columns"]] == ["cstname", "custom:Account no."]


def test_the_first_invoice_is_saved_without_typing_an_id(ada, standin):
    """From an empty workspace: one press, then words, a quantity and choices of what is offered."""
    ada.post(f"{SETUP}pick-up/")
    page = ada.get("/invoices/new/")
    template = re.search(
        r'name="template_id".*?<option value="(\d+)">#\d+ \(not named yet\)',
        page.content.decode(),
        re.DOTALL,
    )[1]
    typed = {"customer_id": "", "line_0_item_name": "Consulting hour", "line_0_quantity": "2"}
    sent = fields(page, **typed, template_id=template)
    sent["customer_id-text"] = found_customer(ada)
    answer = ada.post("/invoices/new/", sent)
    assert answer.status_code == 302, text(answer)
    (body,) = [entry["body"] for entry in standin.ledger(operation="create")]
    assert body["items"][0]["item_id"] == 501
    assert body["items"][0]["price"] == 95
    assert body["org_currency_id"] == int(of_name("Acme").currency)


def found_customer(browser) -> str:
    page = browser.get("/contacts/?type=2").content.decode()
    return re.search(r'<a href="/contacts/\d+/"[^>]*>([^<]+)</a>', page)[1]


def test_what_cannot_be_read_is_said_and_the_rest_is_used(ada, standin):
    standin.fault("status-500", resource="deals", times=100)
    page = text(ada.post(f"{SETUP}pick-up/", follow=True))
    assert "be loaded." in page
    assert 501 in catalogue.names("Acme", Kind.ITEM)


def test_areas_outside_the_plan_are_noted(client_of, administrator, standin):
    access, secret = standin.keys["solo"][0]
    connect(administrator, access=access, secret=secret, workspace="Solo")
    client_of(administrator).post(f"{SETUP}pick-up/")
    assert KeyPair.objects.get().closed_areas == ["deals", "estimates", "invoices", "leads"]


def test_reading_ends_in_time(gateway, standin):
    standin.fault("hang", times=100)
    reading = setup.read_records(gateway, seconds=0.3)
    assert (len(reading.errors), reading.found) == (6, [])


def test_the_only_entry_and_the_offices_currency_are_chosen_already(ada):
    fill(Kind.TEMPLATE, Kind.PIPELINE)
    save_entries(
        "Acme", Kind.CURRENCY, [{"code": "1", "name": "EUR"}, {"code": "2", "name": "CHF"}]
    )
    assert not fields(ada.get("/invoices/new/")).get("org_currency_id")
    ada.post(f"{SETUP}currency/", {"choice": "2"})
    invoice = fields(ada.get("/invoices/new/"))
    assert (invoice["template_id"], invoice["org_currency_id"]) == ("1", "2")
    deal = fields(ada.get("/deals/new/"))
    assert (deal["pipeline_id"], deal["deal_amount_currency"]) == ("1", "2")


def test_an_office_says_that_all_its_documents_are_in_one_currency(ada):
    save_entries("Acme", Kind.CURRENCY, [{"code": "2", "name": "CHF"}])
    page = ada.post(f"{SETUP}currency/", {"choice": "", "is_only": "on"})
    assert "Choose the currency that all are in." in page.content.decode()
    ada.post(f"{SETUP}currency/", {"choice": "2", "is_only": "on"})
    answered = text(ada.get(SETUP))
    assert "CHF (the only currency in use)" in answered
    assert "Currencies in use" not in answered
    assert "checked" in ada.get(f"{SETUP}currency/").content.decode()
    ada.post(f"{SETUP}currency/", {"choice": "2"})
    assert "the only currency in use" not in ada.get(SETUP).content.decode()


def test_setup_asks_for_the_only_currency_with_what_was_seen(ada):
    read = text(ada.post(f"{SETUP}pick-up/", follow=True))
    [seen] = set(re.findall(r"Currencies in use: \w+ in \d+ records?[^.]*\.", read))
    is_one = "," not in seen
    assert f"{seen} Do you use only " in text(ada.get(SETUP))
    asked = ada.get(f"{SETUP}currency/")
    assert seen in text(asked)
    assert bool(asked.context["form"]["is_only"].value()) == is_one


def test_setup_names_the_record_that_ended_the_promise_of_one_currency(ada):
    save_entries("Acme", Kind.CURRENCY, [{"code": "1", "name": "EUR"}])
    editing.set_only_currency("Acme", "1")
    editing.note_currency("Acme", 2, "/invoices/17/")
    page = ada.get(SETUP)
    assert 'href="/invoices/17/"' in page.content.decode()
    assert "You chose EUR as the only currency, but" in text(page)


def test_i_am_owner_and_assignee_once_i_said_who_i_am(desk, manager):
    save_entries("Acme", Kind.USER, [{"code": str(n), "name": f"User {n}"} for n in (21, 22)])
    assert fields(desk.get("/deals/new/"))["deal_owner_id"] == ""
    desk.post(f"{SETUP}me/", {"choice": "22"})
    names = {"deals": ("deal_owner_id", "deal_assignedto"), "tasks": ("assigned_user_id",)}
    names |= {"invoices": ("assigned_to",), "leads": ("lead_assignedto",)}
    for resource, mine in names.items():
        sent = fields(desk.get(f"/{resource}/new/"))
        assert [sent[name] for name in mine] == ["22"] * len(mine), resource


def test_a_person_is_recognised_by_their_full_name(desk, manager):
    save_entries("Acme", Kind.USER, [{"code": "21", "name": "Ana Pérez"}])
    assert fields(desk.get("/tasks/new/"))["assigned_user_id"] == ""
    manager.first_name, manager.last_name = "ana", "pérez"
    manager.save()
    assert fields(desk.get("/tasks/new/"))["assigned_user_id"] == "21"


def test_a_person_is_recognised_by_the_email_address_of_a_user(desk, manager):
    save_entries("Acme", Kind.USER, [{"code": "21", "name": "Ana@Firm.example"}])
    manager.email = "ana@firm.example"
    manager.save()
    assert fields(desk.get("/tasks/new/"))["assigned_user_id"] == "21"
