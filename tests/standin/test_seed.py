"""The sample records: repeatable, consistent, with awkward values."""

import unicodedata
from datetime import date, timedelta

import pytest

from dashboard.standin import StandIn
from dashboard.standin.resources import RESOURCES
from dashboard.standin.seed import fill, fill_if_empty
from dashboard.standin.store import Store

from .conftest import TODAY, Caller


def dump(store):
    with store.transaction() as db:
        return [db.execute(f"SELECT * FROM {name} ORDER BY id").fetchall() for name in RESOURCES]


def filled(**changes):
    store = Store()
    fill(store, **{"size": "small", "seed": 1, "today": TODAY, **changes})
    return dump(store)


def test_the_same_seed_gives_the_same_records_and_another_gives_others():
    assert filled() == filled()
    assert filled() != filled(seed=2)


def test_each_reset_restores_the_records_and_the_next_ids():
    body, found = {"cstname": "Zebra", "contact_type": 1}, []
    with StandIn(size="small", today=TODAY) as standin:
        for _ in range(3):
            standin.reset()
            kept = dump(standin.store)
            made = Caller(standin)("POST", "/v1/contacts", body).json["data"]["cstid"]
            assert dump(standin.store) != kept
            found.append((kept, made))
    assert found[0] == found[1] == found[2]


@pytest.fixture(scope="module")
def demo():
    with StandIn(profile="terse", size="demo", seed=1, today=TODAY) as standin:
        yield Caller(standin)


def every(call, resource):
    path, rows = f"/v1/{resource}?pageSize=100&pageIndex=", []
    while page := call("GET", f"{path}{len(rows) // 100}").json["data"]["data"]:
        rows += page
        if len(page) < 100:
            break
    return rows


def test_paid_invoices_have_payments_that_add_up(demo):
    rows = [row for row in every(demo, "invoices") if row["inv_status"] == 1][:20]
    for row in rows:
        detail = demo("GET", f"/v1/invoices/{row['inv_id']}").json["data"]
        assert sum(p["amount"] for p in detail["payments"]) == pytest.approx(detail["total"])
        assert row["amount_due"] == 0


def test_links_lead_to_records_of_the_same_workspace(demo):
    contacts = {row["cstid"]: row for row in every(demo, "contacts")}
    assert all(row["customer_id"] in contacts for row in every(demo, "invoices"))
    assert all(contacts[row["cstid"]]["contact_type"] == 2 for row in every(demo, "deals"))
    assert all(row["cstid"] in contacts for row in every(demo, "tasks") if "cstid" in row)


def test_names_have_several_scripts_and_awkward_values(demo):
    contacts = [row["cstname"] for row in every(demo, "contacts")]
    text = "".join(contacts)
    scripts = {unicodedata.name(char, "?").split(" ")[0] for char in text if char.isalpha()}
    assert {"LATIN", "CYRILLIC", "GREEK", "CJK", "ARABIC", "HEBREW"} <= scripts
    assert any(len(name) == 100 for name in contacts)
    assert any("<b>" in name for name in contacts)
    assert any("'" in name for name in contacts)
    assert any(row.get("cstmobile", "").startswith("00") for row in every(demo, "contacts"))


@pytest.fixture(scope="module")
def firm():
    with StandIn(profile="terse", size="demo", seed=1, today=TODAY) as standin:
        yield Caller(standin, workspace="alder")


def test_the_plausible_firm_has_no_name_that_breaks_a_page(firm):
    for resource, field in (("contacts", "cstname"), ("deals", "deal_name"), ("tasks", "title")):
        names = [row[field] for row in every(firm, resource)]
        assert names
        assert max(map(len, names)) < 50
        assert not any(set(name) & set("<>{}=%\u202e") for name in names)


def test_the_plausible_firm_has_six_open_tasks_and_no_invoice_late_for_long(firm):
    assert sum(row["status"] == 0 for row in every(firm, "tasks")) == 6
    unpaid = [row["due_date"] for row in every(firm, "invoices") if row["inv_status"] == 0]
    assert (TODAY - timedelta(days=60)).isoformat() <= min(unpaid) < TODAY.isoformat()


def test_every_document_of_the_plausible_firm_says_its_currency(firm):
    known = {
        row["id"]: row["name"]
        for row in firm.admin("GET", "/reference-data").json["alder"]["currencies"]
    }
    for resource, number in (("invoices", "inv_id"), ("estimates", "est_id")):
        details = [firm("GET", f"/v1/{resource}/{row[number]}") for row in every(firm, resource)]
        used = {detail.json["data"]["org_currency_id"] for detail in details}
        assert {known[code] for code in used} == {"EUR"}


def test_a_file_of_before_gets_the_workspace_that_it_lacks(tmp_path):
    store = Store(str(tmp_path / "data.sqlite3"))
    fill_if_empty(store, size="demo", seed=1, today=TODAY)
    whole = dump(store)
    with store.transaction() as db:
        for name in RESOURCES:
            db.execute(f"DELETE FROM {name} WHERE workspace = 'alder'")
        db.execute("DELETE FROM meta WHERE name LIKE 'alder %'")
    fill_if_empty(store, size="demo", seed=1, today=TODAY)
    assert [len(rows) for rows in dump(store)] == [len(rows) for rows in whole]
    store.close()


def test_stages_and_owners_are_in_the_reference_data(demo):
    reference = demo.admin("GET", "/reference-data").json["acme"]
    stages = {p["id"]: {s["id"] for s in p["stages"]} for p in reference["pipelines"]}
    users = {user["name"] for user in reference["users"]}
    for row in every(demo, "deals"):
        detail = demo("GET", f"/v1/deals/{row['deal_id']}").json["data"]
        assert detail["deal_current_stage"] in stages[detail["pipeline_id"]]
        assert row["owner"] in users


def test_a_file_keeps_its_records(tmp_path):
    file = str(tmp_path / "data.sqlite3")
    with StandIn("terse", data=file, today=TODAY) as standin:
        Caller(standin)("DELETE", "/v1/contacts/1002")
    with StandIn("terse", data=file, today=date(2027, 1, 1)) as standin:
        assert Caller(standin)("GET", "/v1/contacts/1002").status == 404
        assert Caller(standin)("GET", "/v1/contacts/1003").status == 200
    with pytest.raises(ValueError, match="seed"):
        StandIn(data=file, seed=2)


def test_a_file_gets_columns_that_it_lacks(tmp_path):
    file = str(tmp_path / "data.sqlite3")
    StandIn(data=file).close()
    store = Store(file)
    with store.transaction() as db:
        db.execute("DROP INDEX deals_deal_source")
        db.execute("ALTER TABLE deals DROP COLUMN deal_source")
    store.close()
    with StandIn(data=file, profile="terse") as standin:
        rows = Caller(standin)("GET", "/v1/deals").json["data"]["data"]
        assert any(row.get("deal_source") for row in rows)
