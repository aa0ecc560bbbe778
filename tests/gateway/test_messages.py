"""Messages of the service become one line of plain text of limited length."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS, INVOICES, LEADS
from dashboard.gateway.messages import read_message, read_reasons
from dashboard.gateway.values import clean_text


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Name is\ttaken\r\n", "Name is taken"),
        ("a\x00b\x1b[31m", "a b [31m"),
        ("safe\u202eevil", "safeevil"),
        ("نمی‌شود", "نمی‌شود"),
        (17, "17"),
        (None, ""),
        (True, ""),
        (["x"], ""),
        ({"x": 1}, ""),
    ],
)
def test_a_message_becomes_one_plain_line(words: Any, shown: str) -> None:
    assert clean_text(words) == shown


def test_long_messages_are_shortened() -> None:
    assert clean_text("x" * 501) == "x" * 499 + "…"
    assert clean_text("x" * 500) == "x" * 500


@pytest.mark.parametrize(
    ("errors", "fields"),
    [
        ({"reference": ["Too long", "Taken"]}, {"reference": ["Too long", "Taken"]}),
        ({"reference": "Too long"}, {"reference": ["Too long"]}),
        ({"items.0.price": ["No"]}, {"items.0.price": ["No"]}),
        ({"items[0][price]": ["No"]}, {"items.0.price": ["No"]}),
        ({"items[2].price": ["No"]}, {"items.2.price": ["No"]}),
        ({"lines[2].price": ["No"]}, {"items.2.price": ["No"]}),
        ({"items": [{}, {"price": "Nor"}]}, {"items.1.price": ["Nor"]}),
        ({"items": {"1": {"price": ["No"]}}}, {"items.1.price": ["No"]}),
        ({"invoice": {"reference": ["No"]}}, {"reference": ["No"]}),
        ({"reference": [{"message": "No", "code": 3}]}, {"reference": ["No"]}),
        (["Wrong", "Worse"], {"": ["Wrong", "Worse"]}),
        ("Wrong", {"": ["Wrong"]}),
        ([{"field": "reference", "message": "Not valid"}], {"reference": ["Not valid"]}),
        ([{"param": "items[0].price", "msg": "No", "code": 3}], {"items.0.price": ["No"]}),
        ([{"path": ["items", 0, "price"], "message": "No"}], {"items.0.price": ["No"]}),
        ({"items": [{"field": "price", "message": "No"}]}, {"items.price": ["No"]}),
        ([{"message": "No"}], {"": ["No"]}),
        (["items.3.price must be a number"], {"items.3.price": ["items.3.price must be a number"]}),
        ({"colour": ["No"]}, {"colour": ["No"]}),
        ({"reference": None, "terms": [None, True], "notes": []}, {}),
        (None, {}),
        (5, {"": ["5"]}),
    ],
)  # fmt: skip
def test_errors_are_read_in_every_shape(errors: Any, fields: Any) -> None:
    assert read_reasons(INVOICES, {"errors": errors}) == fields


@pytest.mark.parametrize(
    "envelope",
    [
        {"message": {"cstname": ["No"]}},
        {"message": [{"property": "cstname", "message": "No"}]},
        {"error": {"cstname": ["No"]}},
        {"error": {"name": "ZodError", "issues": [{"path": ["cstname"], "message": "No"}]}},
        {"error": {"code": "E3", "message": "Invalid", "details": {"cstname": "No"}}},
        {"detail": [{"loc": ["body", "cstname"], "msg": "No", "type": "value_error"}]},
        {"data": {"errors": {"cstname": ["No"]}}},
    ],
)
def test_reasons_are_found_wherever_they_stand(envelope: Any) -> None:
    assert read_reasons(CONTACTS, {"success": False, **envelope}) == {"cstname": ["No"]}


def test_a_custom_field_keeps_its_name_whatever_it_is_called() -> None:
    errors = {"custom_fields.cstname": ["No"], "custom_fields.No. of floors": ["Nor"]}
    assert read_reasons(LEADS, {"errors": errors}) == {
        "custom_fields.cstname": ["No"],
        "custom_fields.No. of floors": ["Nor"],
    }


def test_a_record_in_an_answer_is_no_reason() -> None:
    data = {"cstname": "Zebra", "custom_fields": {"Region": "North"}}
    assert read_reasons(CONTACTS, {"message": "No", "data": data}) == {}


def test_the_message_may_stand_in_the_error() -> None:
    assert read_message({"error": {"code": 7, "message": "Not today"}}) == "Not today"


def test_the_number_of_errors_is_limited() -> None:
    errors = {f"f{n}": [f"{m}" for m in range(50)] for n in range(1000)}
    assert sum(map(len, read_reasons(CONTACTS, {"errors": errors}).values())) <= 200


shapes = st.recursive(
    st.none() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["errors", "error", "message", "detail", "data"]), shapes)
def test_no_answer_raises_an_exception(place: str, words: Any) -> None:
    read_message({place: words})
    for name, texts in read_reasons(INVOICES, {place: words}).items():
        assert isinstance(name, str)
        assert texts
        assert all(texts)
