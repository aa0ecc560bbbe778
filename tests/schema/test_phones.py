"""Phone numbers are parsed into the form that the service accepts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.schema.phones import NotAPhone, Phone, read_phone


@pytest.mark.parametrize(
    ("typed", "phone"),
    [
        ("030 1234567", Phone("0301234567")),
        ("(030) 123-45.67", Phone("0301234567")),
        ("+49 30 1234567", Phone("+49301234567", "49", "DE")),
        ("+49 (0)30 1234567", Phone("+49301234567", "49", "DE")),
        ("+1 650-253-0000", Phone("+16502530000", "1", "US")),
        ("+44\u00a020\u20117031\u20113000", Phone("+442070313000", "44", "GB")),
    ],
)
def test_separators_between_digits_are_removed(typed, phone):
    assert read_phone(typed) == phone


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("call me", "digits only"),
        ("030/12a", "digits only"),
        ("12", "3 to 20 digits"),
        ("+999 1234567", "no country's code"),
        ("+49 3", "too short"),
        ("+49 30 123456789012345", "too long"),
        ("+49 30 x", "digits only"),
        ("+", "digits only"),
    ],
)
def test_other_text_is_refused_with_a_message(typed, words):
    with pytest.raises(NotAPhone, match=words):
        read_phone(typed)


@given(st.text(alphabet="+0123456789 ()-./abc٣", max_size=30) | st.text(max_size=30))
def test_accepted_numbers_are_valid_for_the_service(text):
    try:
        phone = read_phone(text)
    except NotAPhone:
        return
    assert re.fullmatch(r"\+?[0-9]+", phone.sent)
    assert read_phone(phone.sent) == phone
