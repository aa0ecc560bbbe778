"""Values of a record become plain data, which a macro draws as safe HTML."""

from datetime import UTC, date, datetime
from decimal import Decimal
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS, Record, Unreadable
from dashboard.people.context import RequestContext
from dashboard.schema import cells, values
from dashboard.schema.cells import NO_NAMES
from dashboard.schema.fields import BooleanField, ChoiceField, EmailField, TextField
from dashboard.schema.inputs import DayField, MomentField, MoneyField
from dashboard.schema.phones import PhoneField
from dashboard.schema.pickers import PickerField
from dashboard.text.style import COMMA, Style
from tests.helpers import drawn

NOBODY = RequestContext(gateway=None)


def shown(cell, value, ctx=NOBODY):
    return drawn(cell(Record({"x": value}, {}), ctx, NO_NAMES))


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (None, ""),
        ("", ""),
        ("O'Brien <b>", "O&#39;Brien &lt;b&gt;"),
        ("two\nlines", "two<br>lines"),
        (True, "Yes"),
        (False, "No"),
        (0, "0"),
        (17, "17"),
        (Decimal("1234567.50"), "1,234,567.50"),
        (date(2026, 3, 4), "4 Mar 2026"),
        (datetime(2026, 3, 4, 15, 5), "4 Mar 2026, 15:05"),
        (datetime(2026, 3, 4, 15, 5, tzinfo=UTC), "4 Mar 2026, 15:05"),
        ((1, 2), "1, 2"),
        ((), ""),
        ({}, ""),
        (
            {"Si<ze": "<L>", "Fits": (True, None)},
            '<dl class="pairs"><dt>Si&lt;ze</dt><dd>&lt;L&gt;</dd><dt>Fits</dt><dd>Yes, </dd></dl>',
        ),
        (Unreadable([1]), '<span class="muted">not readable</span>'),
    ],
)
def test_each_kind_of_value_reads_as_people_write_it(value, html):
    assert drawn(values.text(value)) == html


@pytest.mark.parametrize("value", [None, "", (), {}, ("", None)])
def test_a_value_without_words_is_false(value):
    assert not values.text(value)
    assert values.text(value).words.strip(", ") == ""


@pytest.mark.parametrize("value", ["a", False, 0, Decimal(0), (1,), {"a": None}, Unreadable(1)])
def test_a_value_with_words_is_true(value):
    assert values.text(value)


@given(st.text(), st.text())
def test_texts_are_escaped_in_every_value(value, name):
    wrapped = (
        values.text(value),
        values.text((value, value)),
        values.text({name: value}),
        values.nowrap(value),
        values.muted(value),
        values.status(value, "open"),
        values.link("/", value, late=name),
        values.email(f"{value}@"),
        values.phone(f"{value}1"),
    )
    for display in wrapped:
        html = drawn(display)
        tags = html.count("<")
        assert tags == html.count(">")
        assert "<script" not in html
        assert drawn(display._replace(text="x")).count("<") in (tags, tags - html.count("<br>"))


@given(st.text(alphabet=st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
@example('"\n')
def test_the_words_of_a_text_are_shown_on_the_page(value):
    html = drawn(values.text(value))
    assert unescape(html.replace("<br>", "\n")) == value == values.text(value).words


def test_numbers_are_written_by_the_persons_style():
    ctx = RequestContext(gateway=None, style=Style(mark=COMMA))
    assert shown(cells.plain("x"), Decimal("1234.5"), ctx) == "1.234,5"


def test_a_status_without_a_tone_is_plain_text_and_an_unknown_code_is_told_so():
    cell = cells.status("x", {1: ("Open", "open"), 2: ("Low", "")})
    assert shown(cell, 1) == '<span class="status open">Open</span>'
    assert [shown(cell, value) for value in (2, 3, None)] == ["Low", "unknown (3)", ""]


def test_the_first_cell_with_a_value_is_shown():
    cell = cells.first_of(cells.plain("x"), cells.plain("y"))
    assert drawn(cell(Record({"x": 1, "y": 2}, {}), NOBODY, NO_NAMES)) == "1"
    assert drawn(cell(Record({"y": 2}, {}), NOBODY, NO_NAMES)) == "2"
    assert not cell(Record({}, {}), NOBODY, NO_NAMES)


@pytest.mark.parametrize(
    ("field", "value", "html"),
    [
        (TextField(), "a", "a"),
        (EmailField(), "a@b", '<a href="mailto:a@b" aria-label="a@b">a<wbr>@b</a>'),
        (PhoneField(), "12", '<a href="tel:12">12</a>'),
        (ChoiceField(choices=[("1", "One")]), 1, "One"),
        (BooleanField(), True, "Yes"),
        (MoneyField(), Decimal("1000"), "1,000.00"),
        (DayField(), date(2026, 3, 4), "4 Mar 2026"),
        (MomentField(), datetime(2026, 3, 4, 9), "4 Mar 2026, 09:00"),
        (
            PickerField(CONTACTS),
            17,
            '<a href="/contacts/17/" data-title="contacts-17">'
            '<span class="late-name">Contact 17</span></a>',
        ),
        (None, "a@b", "a@b"),
    ],
)
def test_how_a_field_is_displayed_follows_from_its_form_field(field, value, html):
    target = cells.points_to(field)
    assert shown(cells.detail_cell("x", field, target), value) == html


@pytest.mark.parametrize("value", [None, "", False, "False"])
def test_a_truth_without_a_value_reads_no(value):
    assert BooleanField().caption(value) == "No"
