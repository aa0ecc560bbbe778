"""Phone numbers are parsed into the form that the service accepts."""

import re

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from dashboard.schema.phones import NotAPhone, Phone, WrittenPhoneField, read_phone


@pytest.mark.parametrize(
    ("typed", "phone"),
    [
        ("030 1234567", Phone("0301234567")),
        ("(030) 123-45.67", Phone("0301234567")),
        ("033203/123456", Phone("033203123456")),
        ("0221 / 123 45", Phone("022112345")),
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
        ("+999 1234567", "start with a country code"),
        ("+49 3", "too short"),
        ("+49 30 123456789012345", "too long"),
        ("+49 30 x", "digits only"),
        ("+", "digits only"),
        ("030 1234567 / 0171 7654321", "one number only"),
        ("030 123456/0171 765432", "one number only"),
        ("+49 30 1234567; +49 171 7654321", "one number only"),
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


@pytest.mark.parametrize(
    "text", ["n/a", "-", "none", "5,55E+09", "#N/A", "030 1234567; 0171 765432"]
)
def test_what_cannot_be_dialled_is_no_written_phone(text):
    with pytest.raises(ValidationError):
        WrittenPhoneField().clean(text)


@pytest.mark.parametrize("text", ["030 1234567 ext. 12", "(0)30/123 45", "ask for Zoe: 112"])
def test_a_written_phone_stays_as_it_is_written(text):
    assert WrittenPhoneField().clean(text) == text
