"""Custom fields have a control for each type; untouched ones are not sent."""

import re
from decimal import Decimal

import pytest
from django import forms
from django.http import QueryDict

from dashboard.gateway import CONTACTS, Gateway
from dashboard.gateway.records import record_of
from dashboard.office.editing import entries_of, retire, save_entries
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.record_form import RecordForm, open_snapshot, posted_fields, seal_snapshot
from dashboard.text.style import COMMA, POINT, Style
from tests.page import inspect
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

FIELDS = (
    ("Size", "choice", ["S", "M"]),
    ("Floors", "number", []),
    ("Since", "date", []),
    ("Member", "yes_no", []),
    ("Story", "long_text", []),
    ("Motto", "text", []),
)
CTX = RequestContext(gateway=None, workspace="Acme")
OPENED = {"Size": "L", "Floors": 3, "Motto": "Go", "Old": "kept"}


class Form(RecordForm):
    custom_fields = CustomFieldsField(kind=Kind.CONTACT_FIELD, required=False)
    ask_before_emptying = {"custom_fields": "Clear all?"}


@pytest.fixture(autouse=True)
def _fields():
    rows = [{"code": n, "name": n, "value_type": t, "choices": c} for n, t, c in FIELDS]
    save_entries("Acme", Kind.CONTACT_FIELD, rows)


def text_of(html):
    return re.sub(r"<[^>]*>", " ", html)


def read(values):
    """The values of a record as a form's signed snapshot returns them."""
    opened = Form.read(record_of(CONTACTS, {"cstid": 1, "custom_fields": values}))
    return open_snapshot(seal_snapshot(opened, of="x"), of="x")


def form(sent=None, opened=OPENED, comma=False, **changes):
    style = Style(mark=COMMA if comma else POINT)
    ctx = RequestContext(gateway=None, workspace="Acme", style=style)
    opened_with = None if opened is None else read(opened)
    blank = Form(opened_with=opened_with, ctx=ctx)
    if sent is None and not changes:
        return blank
    values = {row.name: row.text for row in rows_of(blank) if not row.kept} | changes
    data = posted_fields(blank)
    data.setlist("custom_fields-name", list(values))
    data.setlist("custom_fields-value", list(values.values()))
    data.update(sent or {})
    return Form(data, opened_with=opened_with, ctx=ctx)


def rows_of(made):
    bound = made["custom_fields"]
    return bound.field.widget.get_context("custom_fields", bound.initial, None)["rows"]


def payload(*args, **kwargs):
    made = form(*args, **kwargs)
    assert made.is_valid(), made.errors
    return made.payload()


def test_every_type_has_its_control():
    html = str(form())
    assert inspect(html) == []
    assert html.count("<select") == 2
    assert html.count("<textarea") == 1
    assert html.count("data-day ") == 1
    assert html.count('inputmode="decimal"') == 1
    assert (
        '<option value="L" selected>L</option>' in html
    )  # no longer a choice, but the current value
    assert "Other field" in html


def test_untouched_custom_fields_are_not_sent():
    assert payload({"x": "y"}) == {}


def test_a_changed_value_is_sent_in_its_type_and_the_others_unchanged():
    assert payload(Floors="4.5") == {"custom_fields": OPENED | {"Floors": Decimal("4.5")}}
    assert payload(Member="True", Since="2026-03-15", Size="S") == {
        "custom_fields": OPENED | {"Size": "S", "Since": "2026-03-15", "Member": True}
    }


def test_fields_beyond_the_rows_of_a_form_go_back_as_they_came():
    opened = {f"F{number}": "x" for number in range(230)}
    assert payload(opened=opened, F0="y") == {"custom_fields": opened | {"F0": "y"}}


def test_texts_with_marks_are_sent_as_they_were_beside_one_that_is_typed():
    opened = {"Region\u200b": "We\u200bst", "Motto": "Go\u200b"}
    assert payload({"x": "y"}, opened=opened) == {}
    typed = payload(opened=opened, Motto="Ha\u200blt")
    assert typed == {"custom_fields": opened | {"Motto": "Halt"}}
    assert payload(opened=opened, Motto="Go") == {"custom_fields": opened | {"Motto": "Go"}}


def test_a_date_is_formatted_with_its_month_and_parsed_as_typed():
    opened = {"Since": "2026-03-14"}
    assert [row.text for row in rows_of(form(opened=opened)) if row.name == "Since"] == [
        "14 Mar 2026"
    ]
    assert payload({"x": "y"}, opened=opened) == {}
    assert payload(opened=opened, Since="15 mar 2026") == {"custom_fields": {"Since": "2026-03-15"}}


def test_a_value_keeps_the_type_that_the_service_sent():
    opened = {"Floors": "3", "Member": "No"}
    assert payload(opened=opened, Floors="4", Member="True") == {
        "custom_fields": {"Floors": "4", "Member": "Yes"}
    }


def test_a_new_record_sends_filled_in_custom_fields():
    assert payload(opened=None, Floors="4", Motto="Go") == {
        "custom_fields": {"Floors": Decimal("4"), "Motto": "Go"}
    }


def test_custom_numbers_are_shown_and_parsed_in_the_persons_style():
    made = form(opened={"Floors": Decimal("4.5")}, comma=True)
    assert [row.text for row in rows_of(made) if row.name == "Floors"] == ["4,5"]
    assert payload({"x": "y"}, opened={"Floors": Decimal("4.5")}, comma=True) == {}
    changed = payload(opened={"Floors": Decimal("4.5")}, comma=True, Floors="5,25")
    assert changed == {"custom_fields": {"Floors": Decimal("5.25")}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"Floors": "many"}, "Floors: “many” isn't a number. Enter a number, for example 1234.50."),
        ({"Since": "someday"}, "Since: “someday” isn't a valid date."),
        ({"Size": "XXL"}, "Size: Choose one of S, M."),
    ],
)
def test_an_invalid_custom_value_is_reported_with_its_field(changes, words):
    made = form(**changes)
    assert words in made.errors["custom_fields"][0]
    [name] = changes
    assert [row.name for row in rows_of(made) if row.error] == [name]
    assert inspect(str(made)) == []
    assert str(made).count('aria-invalid="true"') == 1
    assert not any(row.error for row in rows_of(form()))


def test_an_invalid_old_value_does_not_block_another_change():
    opened = {"Floors": "many", "Since": "someday", "Motto": "Go"}
    assert payload(opened=opened, Motto="Stay") == {"custom_fields": opened | {"Motto": "Stay"}}


STRUCTURED = {"Rooms": {"ground": 3, "first": None}, "Tags": ["a", 2], "Floors": {"main": 4.5}}


def test_lists_and_objects_are_shown_and_go_back_as_they_came():
    opened = {**STRUCTURED, "Motto": "Go"}
    assert payload({"x": "y"}, opened=opened) == {}
    assert payload(opened=opened, Motto="Stay") == {"custom_fields": opened | {"Motto": "Stay"}}
    shown = {row.name: row.control for row in rows_of(form(opened=opened))}
    assert [shown[name] for name in STRUCTURED] == ["kept"] * 3
    html = str(form(opened=opened))
    assert inspect(html) == []
    assert "{" not in text_of(html)


def test_a_copy_sends_lists_and_objects_as_they_came():
    copied = Form(initial=read({**STRUCTURED, " Extra ": "L"}), ctx=CTX)
    made = Form(posted_fields(copied), ctx=CTX)
    assert made.is_valid(), made.errors
    assert made.payload() == {"custom_fields": {**STRUCTURED, " Extra ": "L"}}


@pytest.mark.parametrize("blank", [None, "", [], {}])
def test_a_blank_value_is_blank_on_both_sides(blank):
    opened = {"Size": blank, "Old": blank}
    assert payload({"x": "y"}, opened=opened) == {}
    assert payload(opened=opened, Motto="Go") == {"custom_fields": opened | {"Motto": "Go"}}
    emptied = form(opened={**opened, "Motto": "Go"}, Motto="")
    assert list(emptied.errors) == ["empty_custom_fields"]


def test_names_go_back_as_they_came_and_typed_ones_without_spaces_around():
    opened = {" Size  of it ": "L", "Motto": "Go"}
    assert payload({"x": "y"}, opened=opened) == {}
    assert payload(opened=opened, Motto="No") == {"custom_fields": opened | {"Motto": "No"}}
    typed = {"custom_fields-new-name": " Height ", "custom_fields-new-value": "3"}
    assert payload(typed, opened=None) == {"custom_fields": {"Height": "3"}}


def test_emptying_one_clears_it_and_emptying_all_requires_confirmation():
    assert payload(Motto="")["custom_fields"]["Motto"] == ""
    emptied = dict.fromkeys(OPENED, "")
    made = form(**emptied)
    assert list(made.errors) == ["empty_custom_fields"]
    assert payload({"empty_custom_fields": "on"}, **emptied) == {"custom_fields": {}}


def test_a_retired_field_is_shown_only_where_it_has_a_value():
    retire("Acme", entries_of("Acme", Kind.CONTACT_FIELD).get(code="Floors"))
    assert "Floors" in str(form())
    assert "Floors" not in str(form(opened={}))


def test_without_known_fields_names_can_be_typed():
    made = Form(ctx=RequestContext(gateway=None, workspace="Globex"))
    assert inspect(str(made)) == []
    assert str(made).count('placeholder="Name"') == 2


@pytest.mark.parametrize("workspace", ["Acme", "Globex"])  # with known fields and without
def test_a_value_without_a_name_comes_back_with_a_field_for_its_name(workspace):
    data = QueryDict(mutable=True)
    data.update({"custom_fields-name": "Old", "custom_fields-value": "kept"})
    data.update({"custom_fields-new-name": "", "custom_fields-new-value": "typed with care"})
    made = Form(data, ctx=RequestContext(gateway=None, workspace=workspace))
    assert not made.is_valid()
    html = str(made)
    assert inspect(html) == []
    row = html.partition('value="typed with care"')[0].rpartition("pair-row")[2]
    assert 'placeholder="Name"' in row
    assert 'type="hidden"' not in row


def test_a_form_field_is_drawn_as_a_group_with_a_legend():
    assert isinstance(form()["custom_fields"].field, forms.Field)
    assert "<legend" in str(form())


@pytest.mark.parametrize("values", [{"Budget": "a\u200bb"}, {"Bud\u200bget": "5"}])
def test_marks_that_nobody_sees_in_a_custom_field_are_no_change(
    desk, gateway, standin, monkeypatch, values
):
    number = gateway.create(CONTACTS, {"cstname": "Zoe Zebra", "contact_type": 1}).id
    get = Gateway.get

    def with_values(own, endpoint, record_id, **more):
        record = get(own, endpoint, record_id, **more)
        return record_of(endpoint, {**record.raw, "custom_fields": values})

    monkeypatch.setattr(Gateway, "get", with_values)
    url = f"/contacts/{number}/edit/"
    desk.post(url, {**fields(desk.get(url)), "cstmobile": "+49301234567"})
    assert [each["body"] for each in standin.ledger(operation="update")] == [
        {"cstmobile": "+49301234567"}
    ]
