"""Values of a record become safe, readable HTML."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import Record, Unreadable
from dashboard.records.context import RequestContext
from dashboard.records.display import cells


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("", ""),
        ("O'Brien <b>", "O&#x27;Brien &lt;b&gt;"),
        ("two\nlines", "two<br>lines"),
        (True, "Yes"),
        (False, "No"),
        (17, "17"),
        (Decimal("1234567.50"), "1,234,567.50"),
        (date(2026, 3, 4), "4 Mar 2026"),
        (datetime(2026, 3, 4, 15, 5), "4 Mar 2026, 15:05"),
        (datetime(2026, 3, 4, 15, 5, tzinfo=UTC), "4 Mar 2026, 15:05"),
        ((1, 2), "1, 2"),
        ({"Size": "L"}, '<dl class="pairs"><dt>Size</dt><dd>L</dd></dl>'),
    ],
)
def test_each_kind_of_value_reads_as_people_write_it(value, shown):
    assert cells.text(value) == shown


def test_what_could_not_be_read_says_so():
    assert "not readable" in cells.text(Unreadable([1]))


@given(st.text())
def test_no_text_escapes_its_cell(value):
    record, desk = Record({"x": value}, {}), RequestContext(gateway=None)
    cell_kinds = (cells.email("x"), cells.phone("x"))
    for shown in (*(cell(record, desk) for cell in cell_kinds), cells.link("/", value)):
        assert shown.count("<") == shown.count(">")
        assert "<script" not in shown


def test_an_address_becomes_a_link_and_anything_else_stays_text():
    def shown(cell, value):
        return cell("x")(Record({"x": value}, {}), RequestContext(gateway=None))

    assert shown(cells.email, "a@b.example") == '<a href="mailto:a@b.example">a@b.example</a>'
    assert shown(cells.email, "nobody") == "nobody"
    assert shown(cells.phone, "+44 (0) 20") == '<a href="tel:+44020">+44 (0) 20</a>'
    assert shown(cells.phone, "call me") == "call me"
