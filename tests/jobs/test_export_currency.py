"""An exported amount has its currency in a column of its own, as far as it is known."""

import pytest

from dashboard.gateway import DEALS, INVOICES, Record
from dashboard.office import editing
from dashboard.office.kinds import Kind
from dashboard.reader import lookups
from tests.tables.files import read_table

from .test_export_page import exported

CURRENCIES = [{"code": "71", "name": "EUR"}, {"code": "72", "name": "JPY"}]


@pytest.fixture
def currencies(desk):
    editing.save_entries("Acme", Kind.CURRENCY, CURRENCIES)


def table_of(desk, resource, content="columns"):
    table = read_table(exported(desk, f"/{resource}/export/", content=content))
    titles = [column.title for column in table.columns]
    return titles, [dict(zip(titles, row.cells, strict=True)) for row in table.rows]


def test_each_row_says_the_currency_that_is_known_and_none_else(desk, gateway, currencies):
    ids = [record.id for record in gateway.list(INVOICES).records[:2]]
    for number, code in zip(ids, (71, 72), strict=True):  # they were read before
        record = Record({"org_currency_id": code}, INVOICES.kinds, number)
        lookups.cache_record(gateway, INVOICES, record)
    titles, rows = table_of(desk, "invoices")
    assert titles.count("Currency") == 1
    assert [row["Currency"] for row in rows[:3]] == ["EUR", "JPY", ""]


def test_deals_that_are_read_one_by_one_say_theirs(desk, gateway, currencies):
    own = {record.id: gateway.get(DEALS, record.id) for record in gateway.list(DEALS).records}
    code = next(iter(own.values()))["deal_amount_currency"]
    editing.save_entries("Acme", Kind.CURRENCY, [{"code": str(code), "name": "CHF"}])
    _, rows = table_of(desk, "deals")
    assert rows[0]["Currency"] == "CHF"


def test_an_office_with_one_currency_has_it_in_every_row(desk, currencies):
    editing.set_only_currency("Acme", "71")
    _, rows = table_of(desk, "invoices")
    assert {row["Currency"] for row in rows} == {"EUR"}


@pytest.mark.parametrize("content", ["all", "lines"])
def test_all_fields_have_the_currency_once(desk, currencies, content):
    titles, _ = table_of(desk, "invoices", content)
    assert titles.count("Currency") == 1
