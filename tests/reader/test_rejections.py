"""A rule that the service states becomes our sentence, and an unknown one is no guess."""

import pytest

from dashboard.gateway import Rejected
from dashboard.reader.rejections import (
    ANOTHER,
    NO_REASON,
    SEE_DETAILS,
    our_sentence,
    reasons,
    service_words,
)
from dashboard.schema.fields import TextField

TITLE = {"title": TextField()}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("The items.0.item_id field is required.", "Enter a value."),
        ("cstname should not be empty", "Enter a value."),
        ('"title" is not allowed to be empty', "Enter a value."),
        ("cstname may not be longer than 100 characters", "Enter 100 characters or fewer."),
        ("The title must not be greater than 150 characters.", "Enter 150 characters or fewer."),
        ("Ensure this value has at most 20 characters", "Enter 20 characters or fewer."),
        ("The title must be at least 3 characters.", "Enter at least 3 characters."),
        ("title must be shorter than or equal to 150 characters", "Enter 150 characters or fewer."),
        ("title must be longer than or equal to 3 characters", "Enter at least 3 characters."),
        ("The title cannot be less than 3 characters.", "Enter at least 3 characters."),
        ("Text too long", "Enter a shorter text."),
        ("cstemail has already been taken", "Enter another value: the CRM already has this one."),
        ("items.0.item_id does not exist", "Choose another one: the CRM doesn't have this one."),
        ("There is no tag named vip.", "Choose another one: the CRM doesn't have this one."),
        (
            "The selected pipeline_id is invalid.",
            "Choose another one: the CRM doesn't have this one.",
        ),
        ("status must be one of 0, 1, 2", "Choose another one: the CRM doesn't accept this one."),
        ("The due_date must be a date after or equal to 2026-11-28.", "Enter another date."),
        ("start_datetime must be a date and time in the format YYYY-MM-DDTHH:MM:SS",
         "Enter a date and a time."),
        ("The due_date is not a valid date.", "Enter a date."),
        ("The cstemail must be a valid email address.", "Enter an email address."),
        ("The price must be at least 0.", "Enter 0 or more."),
        ("Input should be greater than or equal to 0", "Enter 0 or more."),
        ("The discount may not be greater than 100.", "Enter 100 or less."),
        ("Must be greater than 0", "Enter more than 0."),
        ("Discount cannot be more than 100", "Enter 100 or less."),
        ("The rate can't be less than 5", "Enter 5 or more."),
        ("The amount cannot exceed 1,000.50", ANOTHER),
        ("at most 2 decimal places", "Enter a number."),
        ("The discount must be between 0 and 100.", "Enter 0 to 100."),
        ("The cstid must be an integer.", "Enter a whole number."),
        ("price must be a number conforming to the specified constraints", "Enter a number."),
        ("colour is not accepted here", "Leave this as it was: the CRM doesn't accept it here."),
        ("Это поле обязательно.", ANOTHER),
    ],
)  # fmt: skip
def test_a_rule_becomes_our_sentence(words, sentence):
    assert our_sentence(words) == sentence


def test_the_name_of_a_field_states_no_rule():
    error = Rejected(fields={"title.required": ["The title.required field must be a number."]})
    assert [reason.text for reason in reasons(error, TITLE)] == ["Enter a number."]


def test_our_own_checks_keep_their_words():
    error = Rejected(fields={"title": ["Enter a value."], "": ["Not today."]}, sent=False)
    assert [reason.text for reason in reasons(error, TITLE)] == ["Enter a value.", "Not today."]
    assert service_words(error) == []


def test_reasons_without_a_field_of_the_form_are_told_once():
    assert [each.text for each in reasons(Rejected(), {})] == [NO_REASON]
    error = Rejected("No.", fields={"plan": ["Full."], "": ["Wrong."]})
    assert [each.text for each in reasons(error, TITLE)] == [SEE_DETAILS]
    assert service_words(error) == ["No.", "plan: Full.", "Wrong."]
