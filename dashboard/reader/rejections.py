"""Describes a rejection in our words, with our field labels. The service's own words, which name
its fields, appear only under Technical details.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.gateway import GatewayError, Rejected

NO_REASON = f"{SERVICE_AT_START} rejected this and gave no reason."
SEE_DETAILS = f"{SERVICE_AT_START} rejected this. Technical details show its reason."
ANOTHER = f"Enter another value: {SERVICE} rejected this one."
_NUMBER = r"\D{0,20}?(-?\d+(?:\.\d+)?)(?!\d|[.,\s]\d|-|\s*(?:char|letter|digit|decimal|place))"
_NOT = r"\b(?:not|cannot|no|never|\w+n't)\b.{0,20}?\b"
_MUST = r"\b(?:must|should|ha[sv]e? to|needs? to)\b.{0,20}?\b"
_LETTERS = r"\D{0,20}?(\d+)\s+(?:char|letter)"
# The first rule that fits what the service says of a field; "{}" stands for a number in its words.
_RULES = [
    (re.compile(pattern, re.IGNORECASE), sentence)
    for pattern, sentence in (
        (r"\b(?:not|n't) (?:be )?(?:accepted|allowed|permitted|supported)\b(?! to be)"
         r"|\bprohibited\b|\bread-?only\b|\b(?:unknown|unexpected) (?:field|key|property)",
         f"Leave this as it was: {SERVICE} doesn't accept it here."),
        (r"\brequired\b|\bmissing\b|\b(?:blank|empty|null)\b", "Enter a value."),
        (rf"(?:{_NOT}(?:longer|more|greater)|\b(?:exceed|most|max\w*)"
         r"|\b(?:shorter|less|fewer) than or equal to)" + _LETTERS,
         "Enter {} characters or fewer."),
        (r"\btoo long\b", "Enter a shorter text."),
        (rf"(?:{_NOT}(?:shorter|fewer|less)|\b(?:least|min\w*)"
         r"|\b(?:longer|more|greater) than or equal to)" + _LETTERS,
         "Enter at least {} characters."),
        (r"\btoo short\b", "Enter a longer text."),
        (r"\balready (?:been )?(?:taken|used|exists?|in use)\b|\btaken\b|\bduplicate\b|\bunique\b",
         f"Enter another value: {SERVICE} already has this one."),
        (r"\bnot (?:exist|found|known)\b|n't exist\b|\b(?:there is no|no such)\b"
         r"|\bunknown\b|\bnot belong\b|\bnot a (?:known|configured)\b|\bselected\b.*\binvalid\b",
         f"Choose another one: {SERVICE} doesn't have this one."),
        (r"\bone of\b|\bnot an? (?:allowed|valid) (?:choice|option|value)",
         f"Choose another one: {SERVICE} doesn't accept this one."),
        (r"\bmust be .{0,20}\b(?:before|after|earlier|later)\b", "Enter another date."),
        (r"\bdate and (?:a )?time\b|\bdatetime\b", "Enter a date and a time."),
        (r"\bdate\b", "Enter a date."),
        (r"\be-?mail\b", "Enter an email address."),
        (r"\bbetween" + _NUMBER + r"\s+and" + _NUMBER, "Enter {} to {}."),
        (_NOT + r"(?:greater|more|larger) than" + _NUMBER, "Enter {} or less."),
        (_NOT + r"(?:less|lower|smaller) than" + _NUMBER, "Enter {} or more."),
        (r"\b(?:least|equal to or above|min\w*|greater than or equal to)" + _NUMBER,
         "Enter {} or more."),
        (r"\b(?:most|max\w*|exceed|less than or equal to)" + _NUMBER, "Enter {} or less."),
        (_MUST + r"(?:greater|more|larger) than" + _NUMBER, "Enter more than {}."),
        (_MUST + r"(?:less|lower|smaller) than" + _NUMBER, "Enter less than {}."),
        (r"\b(?:integer|whole number)\b", "Enter a whole number."),
        (r"\b(?:number|numeric|decimal)\b", "Enter a number."),
    )
]  # fmt: skip


class Reason(NamedTuple):
    """The reason for a rejection. field: the form field that it is about, "" for the whole form.
    part: what of the field, such as "2.price" or the name of a custom field. text: our sentence.
    """

    field: str
    part: str
    text: str


def reasons(error: Rejected, fields: Mapping[str, Any]) -> list[Reason]:
    """Return the reasons of a rejection by the form's fields: at least one."""
    found = dict.fromkeys(_reasons(error, fields))
    return list(found) or [Reason("", "", SEE_DETAILS if error.message else NO_REASON)]


def _reasons(error: Rejected, fields: Mapping[str, Any]) -> Iterator[Reason]:
    own_names = {more: name for name, field in fields.items() for more in field.more_names}
    for key, texts in error.fields.items():
        name, _, part = key.partition(".")
        name = own_names.get(name, name)
        is_known = name in fields
        for text in texts:
            if error.sent:
                # A custom field may be called as a rule is.
                text = our_sentence(text.replace(key, "")) if is_known else SEE_DETAILS
            yield Reason(name, part, text) if is_known else Reason("", "", text)


def our_sentence(words: str) -> str:
    """Return the rule that the service's words state; "enter another value" for unknown words."""
    for pattern, sentence in _RULES:
        if found := pattern.search(words):
            for number in found.groups():
                sentence = sentence.replace("{}", number, 1)
            return sentence
    return ANOTHER


def service_words(error: GatewayError) -> list[str]:
    """Return the service's own words, with its own names of fields; empty for a failure of ours."""
    if not isinstance(error, Rejected):
        return [error.message] if error.message else []
    if not error.sent:
        return []
    pairs = [(key, text) for key, texts in error.fields.items() for text in texts]
    lines = [f"{key}: {text}" if key and key not in text else text for key, text in pairs]
    return list(dict.fromkeys(filter(None, (error.message, *lines))))
