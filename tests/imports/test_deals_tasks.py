"""Deals and tasks from a file: names become ids, and each row becomes one record."""

import pytest

from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, TASKS, Unavailable
from dashboard.imports import names as column_names
from dashboard.jobs.models import Job
from dashboard.office import editing, reference_lists
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.standin.reference_data import reference_data
from tests.conftest import every_profile
from tests.imports.test_import import counts, mapped, send, upload
from tests.jobs.test_export_page import everything, exported
from tests.page_forms import fields

WORDS = reference_data("acme")
DAY = "2026-12-01T09:00:00"
DOCUMENT = {
    "transaction_date": "2026-11-02",
    "template_id": WORDS["templates"][0]["id"],
    "items": [
        {"type": "item", "item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 5}
    ],
}
PIPELINE, OWNER = WORDS["pipelines"][0]["id"], WORDS["users"][0]["id"]


def errors(desk, url):
    page = desk.get(f"{url}?show=needs_fixing")
    return {row.number: row.errors for row in page.context["rows"]}


@pytest.fixture
def pipeline(db):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail sales"}])
    save_entries("Acme", Kind.USER, [{"code": str(OWNER), "name": "Ola Owner"}])


@every_profile
@pytest.mark.usefixtures("pipeline")
def test_a_file_becomes_deals(desk, gateway, umbra, sent):
    text = "Deal;Customer;Pipeline;Value;Close date;Owner\n"
    text += "Roof;umbra ltd;retail SALES;12.500,50;31.12.2026;ola owner\n"
    text += "Door;IN@umbra.example;Retail sales;900,00;15.01.2027;\n"
    url = upload(desk, text, resource="deals")
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    made = {one["deal_name"]: gateway.get(DEALS, one.id) for one in everything(gateway, DEALS)}
    assert [made[name]["cstid"] for name in ("Roof", "Door")] == [umbra] * 2
    [roof, door] = sorted(sent("create", resource="deals")[-2:], key=lambda body: -len(body))
    assert (roof["deal_amount"], roof["deal_expected_close_date"]) == (12500.5, "2026-12-31")
    assert (roof["pipeline_id"], roof["deal_owner_id"]) == (PIPELINE, OWNER)
    assert door["deal_amount"] == 900


@every_profile
def test_a_file_becomes_tasks(desk, gateway, umbra):
    text = "Task,Contact,Start,Due,Priority,Status\n"
    text += "Call back,in@umbra.example,2026-12-01 09:00,2026-12-02 10:00,high,Open\n"
    text += "Send offer,Umbra Ltd,2026-12-03 15:30,,1,in progress\n"
    url = upload(desk, text, resource="tasks")
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    made = {one["title"]: one for one in everything(gateway, TASKS)}
    assert [made[name]["cstid"] for name in ("Call back", "Send offer")] == [umbra] * 2
    assert (made["Call back"]["priority"], made["Send offer"]["status"]) == (3, 1)
    assert (made["Call back"]["status"], made["Send offer"]["priority"]) == (0, 1)
    answer = desk.post(f"/imports/undo/{Job.objects.get().pk}/", follow=True)
    assert "The CRM has no way to delete tasks." in answer.content.decode()


@pytest.mark.usefixtures("pipeline", "umbra")
def test_every_rule_of_deals_is_checked_before_anything_is_sent(desk):
    text = "Name,Company,Pipeline,Amount\n"
    text += f",Umbra Ltd,Retail sales,1\n{'x' * 256},Umbra Ltd,Retail sales,1\n"
    text += "A,,Retail sales,1\nB,Nobody Inc,Retail sales,1\n"
    text += "C,Umbra Ltd,Unheard of,1\nD,Umbra Ltd,other,1\nE,Umbra Ltd,Retail sales,many\n"
    url = upload(desk, text, resource="deals")
    found = errors(desk, url)
    assert {number: list(told) for number, told in found.items()} == {
        2: ["deal_name"],
        3: ["deal_name"],
        4: ["cstid"],
        5: ["cstid"],
        6: ["pipeline_id"],
        7: ["pipeline_id"],
        8: ["deal_amount"],
    }
    assert found[5]["cstid"] == "No match for “Nobody Inc”. Choose one above, or enter its ID."


@pytest.mark.usefixtures("umbra")
def test_every_rule_of_tasks_is_checked_before_anything_is_sent(desk):
    text = "Title,Contact,Start,End,Priority\n"
    text += f"{'x' * 151},Umbra Ltd,2026-12-01 09:00,,\nA,,2026-12-01 09:00,,\nB,Umbra Ltd,,,\n"
    text += "C,Umbra Ltd,2026-12-02 09:00,2026-12-01 09:00,\nD,Umbra Ltd,2026-12-01 09:00,,huge\n"
    url = upload(desk, text, resource="tasks")
    assert {number: list(told) for number, told in errors(desk, url).items()} == {
        2: ["title"],
        3: ["cstid"],
        4: ["start_datetime"],
        5: ["end_datetime"],
        6: ["priority"],
    }


@pytest.mark.usefixtures("pipeline")
def test_rows_of_the_same_deal_and_deals_that_are_there_are_told(desk, gateway, umbra):
    body = {"deal_name": "Roof", "cstid": umbra, "pipeline_id": PIPELINE}
    there = gateway.create(DEALS, body).id
    text = f"Name,Company,Pipeline\nROOF,#{umbra},Retail sales\n"
    text += f"Door,#{umbra},Retail sales\ndoor,Umbra Ltd,Retail sales\n"
    url = upload(desk, text, resource="deals")
    page = desk.get(url)
    assert counts(page) == {"exists": 1, "duplicate_row": 1, "ready": 1}
    record, *_ = page.context["records"].values()
    assert (record.same.id, record.same.title) == (there, "Roof")


def test_the_same_task_on_another_day_is_another_task(desk, gateway, umbra):
    body = {"title": "Call", "cstid": umbra, "start_datetime": "2026-12-01T09:00:00"}
    gateway.create(TASKS, body)
    days = "\n".join(f"Call,Umbra Ltd,2026-12-0{day} 09:00" for day in (1, 2, 2))
    url = upload(desk, f"Title,Contact,Start\n{days}\n", resource="tasks")
    assert counts(desk.get(url)) == {"exists": 1, "ready": 1, "duplicate_row": 1}


@pytest.mark.usefixtures("pipeline")
def test_a_row_with_the_id_of_a_deal_needs_only_what_it_changes(desk, gateway, umbra):
    body = {"deal_name": "Roof", "cstid": umbra, "pipeline_id": PIPELINE, "deal_amount": 5}
    there = gateway.create(DEALS, body).id
    url = upload(desk, f"ID,Amount\n{there},77.50\n", resource="deals")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    assert counts(desk.get(url)) == {"change": 1}
    send(desk, url)
    now = gateway.get(DEALS, there)
    assert (str(now["deal_amount"]), now["cstid"], now["deal_name"]) == ("77.50", umbra, "Roof")


@pytest.mark.usefixtures("pipeline")
def test_a_name_of_two_contacts_is_asked_for_once(desk, gateway, umbra, sent):
    twin = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id
    rows = "Roof,Umbra Ltd,Retail sales\nDoor,Umbra Ltd,Retail sales\n"
    url = upload(desk, f"Name,Company,Pipeline\n{rows}", resource="deals")
    told = {"cstid": "2 records are called “Umbra Ltd”. Choose one above, or enter its ID."}
    assert errors(desk, url) == {2: told, 3: told}
    page = desk.get(url)
    [asked] = page.context["unmatched"]
    assert (asked.target.label, asked.text, asked.rows) == ("Company", "Umbra Ltd", 2)
    assert asked.options == {
        str(umbra): f"Umbra Ltd, in@umbra.example, #{umbra}",
        str(twin): f"Umbra Ltd, #{twin}",
    }
    chosen = {"means-field": "cstid", "means-text": "Umbra Ltd", "means": str(twin)}
    desk.post(url, {**fields(page), **chosen, "cell-3-cstid": "in@umbra.example"})
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    assert [body["cstid"] for body in sent("create", resource="deals")[-2:]] == [twin, umbra]


OWN = {
    "deals": (DEALS, "cstid", {"deal_name": "Zebra roof", "pipeline_id": PIPELINE}, "all", "csv"),
    "tasks": (TASKS, "cstid", {"title": "Zebra call", "start_datetime": DAY}, "all", "xlsx"),
    "estimates": (ESTIMATES, "customer_id", DOCUMENT, "lines", "csv"),
    "invoices": (INVOICES, "customer_id", DOCUMENT, "lines", "xlsx"),
}


@pytest.mark.parametrize("resource", OWN)
@pytest.mark.usefixtures("lists")
def test_an_export_comes_back_in_with_the_customers_that_it_names(desk, gateway, umbra, resource):
    endpoint, field, body, content, form = OWN[resource]
    other = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    twin = gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id
    for customer in (twin, other):
        gateway.create(endpoint, {**body, field: customer})
    url = upload(desk, exported(desk, f"/{resource}/export/", content, form), f"a.{form}", resource)
    desk.post(url, {**fields(desk.get(url)), "on_existing": "create"})
    page = desk.get(f"{url}?show=ready")
    place = mapped(page).index(field)
    assert not page.context["columns"][place].column.title.endswith("ID")
    assert {str(twin), str(other)} <= {row.text(field) for row in page.context["rows"]}
    assert page.context["unmatched"] == []


@pytest.mark.usefixtures("umbra", "pipeline")
def test_each_name_is_looked_up_once_and_not_too_many_are(desk, monkeypatch):
    asked, search = [], column_names.find.search

    def counted(gateway, endpoint, text, *args, **kwargs):
        asked.append(text)
        if text == "Away":
            raise Unavailable
        return search(gateway, endpoint, text, *args, **kwargs)

    monkeypatch.setattr(column_names.find, "search", counted)
    monkeypatch.setattr(column_names, "MAX_NAMES", 2)
    whom = ["Umbra Ltd", "umbra ltd", "Away", "Third Ltd"]
    rows = "".join(f"Deal {number},{name},Retail sales\n" for number, name in enumerate(whom))
    url = upload(desk, f"Name,Company,Pipeline\n{rows}", resource="deals")
    told = errors(desk, url)
    assert (told[4]["cstid"], told[5]["cstid"]) == (column_names.FAILED, column_names.TOO_MANY)
    assert sorted(map(str.casefold, asked)) == ["away", "umbra ltd"]


@pytest.mark.usefixtures("pipeline", "umbra")
def test_another_currency_than_the_only_one_is_said_and_ends_that_it_is_the_only_one(desk):
    codes = [str(each["id"]) for each in reference_data("acme")["currencies"][:2]]
    entries = [
        {"code": code, "name": name} for code, name in zip(codes, ("EUR", "GBP"), strict=True)
    ]
    editing.save_entries("Acme", Kind.CURRENCY, entries)
    editing.set_only_currency("Acme", codes[0])
    text = "Deal,Company,Pipeline,Amount,Currency\nRoof,Umbra Ltd,Retail sales,5,EUR\n"
    url = upload(desk, text + "Door,Umbra Ltd,Retail sales,5,GBP\n", resource="deals")
    notes = [row.note for row in desk.get(url).context["rows"]]
    assert notes == ["", "Your workspace uses only EUR."]
    send(desk, url)
    assert reference_lists.only_currency("Acme") == ""
