"""Messages of the service become one line of plain text of limited length."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway.protocol import clean_text, field_errors


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
        ({"cstname": ["Too long", "Taken"]}, {"cstname": ["Too long", "Taken"]}),
        ({"cstname": "Too long"}, {"cstname": ["Too long"]}),
        ({"items.0.price": ["No"]}, {"items.0.price": ["No"]}),
        ({"items[0][price]": ["No"]}, {"items.0.price": ["No"]}),
        ({"items[2].price": ["No"]}, {"items.2.price": ["No"]}),
        ({"items": [{}, {"price": "Nor"}]}, {"items.1.price": ["Nor"]}),
        ({"items": {"1": {"price": ["No"]}}}, {"items.1.price": ["No"]}),
        (["Wrong", "Worse"], {"": ["Wrong", "Worse"]}),
        ("Wrong", {"": ["Wrong"]}),
        ([{"field": "ct_email", "message": "Not valid"}], {"ct_email": ["Not valid"]}),
        ([{"param": "items[0].price", "msg": "No", "code": 3}], {"items.0.price": ["No"]}),
        ({"items": [{"field": "price", "message": "No"}]}, {"items.price": ["No"]}),
        ([{"message": "No"}], {"0.message": ["No"]}),
        ({"a": None, "b": [None, True], "c": []}, {}),
        (None, {}),
        (5, {"": ["5"]}),
    ],
)  # fmt: skip
def test_errors_are_read_in_every_shape(errors: Any, fields: Any) -> None:
    assert field_errors(errors) == fields


def test_the_number_of_errors_is_limited() -> None:
    found = field_errors({f"f{n}": ["x"] * 50 for n in range(1000)})
    assert sum(map(len, found.values())) <= 200


shapes = st.recursive(
    st.none() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(shapes)
def test_no_errors_member_raises_an_exception(errors: Any) -> None:
    for name, texts in field_errors(errors).items():
        assert isinstance(name, str)
        assert texts
        assert all(texts)
