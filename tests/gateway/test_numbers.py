"""Numbers from outside are read within bounds."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway.values import MAX_ID, MAX_PLACES, decimal_of, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("17", 17),
        (" 17\n", 17),
        (17, 17),
        ("007", 7),
        (str(MAX_ID), MAX_ID),
        (str(MAX_ID + 1), None),
        ("0", None),
        ("-1", None),
        ("+1", None),
        ("1.0", None),
        ("1e3", None),
        ("1_000", None),
        ("٣", None),
        ("1\0", None),
        ("\ud800", None),
        ("9" * 5000, None),
        ("0" * 5000, None),
        ("", None),
        (None, None),
    ],
)
def test_a_whole_number_has_ascii_digits_and_a_bound(text: Any, number: int | None) -> None:
    assert whole_number(text) == number


def test_the_bounds_of_a_whole_number_can_be_chosen() -> None:
    assert whole_number("0", least=0) == 0
    assert [whole_number(text, largest=9) for text in ("9", "10")] == [9, None]


@given(st.text() | st.integers().map(str))
def test_any_text_is_read_within_the_bounds(text: str) -> None:
    number = whole_number(text, least=0)
    assert number is None or 0 <= number <= MAX_ID


@pytest.mark.parametrize(
    "text",
    ["1e999999999", "1E-999999999", "0e-999999999", "-1e401", "NaN", "Infinity", "1" * 5000, "x"],
)
def test_a_number_that_cannot_be_printed_is_none(text: str) -> None:
    assert decimal_of(text) is None


@given(st.decimals() | st.floats().map(repr))
def test_a_number_that_is_read_is_printed_in_few_places(number: Any) -> None:
    found = decimal_of(str(number))
    assert found is None or len(f"{found:f}") <= 2 * MAX_PLACES


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_is_read(number: float) -> None:
    assert decimal_of(repr(number)) == Decimal(repr(number))
