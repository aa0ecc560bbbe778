"""The sample records: repeatable, consistent, with awkward values."""

from datetime import date

import pytest

from dashboard.standin import StandIn
from dashboard.standin.resources import RESOURCES
from dashboard.standin.seed import fill
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


def test_a_file_keeps_its_records(tmp_path):
    file = str(tmp_path / "data.sqlite3")
    with StandIn("terse", data=file, today=TODAY) as standin:
        Caller(standin)("DELETE", "/v1/contacts/1002")
    with StandIn("terse", data=file, today=date(2027, 1, 1)) as standin:
        assert Caller(standin)("GET", "/v1/contacts/1002").status == 404
        assert Caller(standin)("GET", "/v1/contacts/1003").status == 200
    with pytest.raises(ValueError, match="seed"):
        StandIn(data=file, seed=2)
