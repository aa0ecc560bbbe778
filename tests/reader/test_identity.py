"""A phone number is recognised in whatever form it is stored and typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.reader import identity

FORMS = {  # as stored, and as people type or paste it
    "+493012345678": ["030 12345678", "+49 (0)30/123 456-78", "0049 30 12345678", "(030) 12345678",
                      "Tel.: 030 123 456 78", "011 49 30 12345678", "4930 12345678"],
    "+14155552671": ["(415) 555-2671", "1-415-555-2671", "001 415 555 2671", "+1 415.555.2671"],
    "+353871234567": ["087 123 4567", "00353 87 1234567", "011 353 87 123 4567"],
    "+390612345678": ["06 1234 5678", "+39 06 12345678", "0039 06 12345678"],
    "+79161234567": ["8 (916) 123-45-67", "8 916 1234567", "+7 916 123 45 67"],
    "+36301234567": ["06 30 123 4567", "0036 30 1234567"],
    "+48501234567": ["501 234 567", "0048 501 234 567"],
    "+34912345678": ["912 34 56 78", "+34 912 345 678"],
    "+31201234567": ["020 123 4567", "0031 20 1234567"],
    "+33123456789": ["01 23 45 67 89", "00 33 1 23 45 67 89"],
    "03012345678": ["+49 30 12345678", "0049 30 12345678", "030/12345678"],
    "14155552671": ["+1 415 555 2671", "(415) 555-2671"],
    "01134960000": ["0113 496 0000", "+44 113 496 0000", "0113 4960000"],
    "+441134960000": ["0113 496 0000", "0044 113 496 0000"],
    "89161234567": ["+7 916 1234567", "8 916 123 45 67"],
}  # fmt: skip
PAIRS = [(stored, typed) for stored, forms in FORMS.items() for typed in forms]


def is_found(stored, typed):
    number = identity.typed_number(typed)
    keys = identity.keys_of("", "", [stored])
    return bool(keys.intersection(identity.number_keys(number))) and identity.is_caller(
        number, stored
    )


@pytest.mark.parametrize(("stored", "typed"), PAIRS)
def test_a_number_is_found_in_any_form(stored, typed):
    assert is_found(stored, typed)


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("+493012345678", "030 12345679"),
        ("+493012345678", "+43 30 12345678"),
        ("+493012345678", "0043 30 12345678"),
        ("+442079460958", "+492079460958"),
        ("+14155552671", "415 555 2672"),
        ("03012345678", "030 1234567"),
    ],
)
def test_another_number_is_not_found(stored, typed):
    assert not is_found(stored, typed)


@given(st.from_regex("[1-9][0-9]{7,11}", fullmatch=True), st.sampled_from(["", "0", "00", "1"]))
def test_a_local_number_is_found_by_itself_with_any_prefix(digits, prefix):
    keys = identity.keys_of("", "", ["0" + digits])
    assert keys.intersection(identity.number_keys(prefix + digits))


@pytest.mark.parametrize("text", ["INV-00012", "Zoe 12345", "1234", "a@b.eu", "", "12.5"])
def test_what_is_no_number(text):
    assert identity.typed_number(text) == ""


@pytest.mark.parametrize("name", ["Dvox\u030cak", "\u0939\u093f\u0928\u094d\u0926\u0940"])
def test_a_mark_that_is_no_part_of_a_letter_does_not_divide_a_word(name):
    assert identity.words_of(f"{name} \u030c Ltd") == [name.casefold(), "ltd"]


def test_the_words_of_a_name_and_an_address():
    keys = identity.keys_of("Zoë O'Brien-Ångström (Ltd)", " Zoe@Zebra.Example ", [])
    words = {"zoë", "brien", "ångström", "ltd"}
    assert keys == {*(f"word {word}" for word in words), "email zoe@zebra.example"}
