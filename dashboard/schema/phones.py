"""Parses phone numbers into the form that the service accepts: digits, or "+" and digits."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import phonenumbers
from django import forms
from django.core.exceptions import ValidationError

from dashboard.office.record_field import RecordField
from dashboard.schema.fields import ValueField

MIN_DIGITS, MAX_DIGITS = 3, 20
HINT = "an international number, for example +49\u00a030\u00a01234567"  # the number is on one line
MIN_DIGITS_OF_SEVERAL = 6  # of one of several phone numbers
MIN_DIGITS_BETWEEN_SLASHES = 7  # so that "033203/123456" is one number
MAY_BE_BETWEEN = re.compile(r"[;,|]| / |/ ?(?=\+)")  # several numbers or addresses
_BETWEEN = re.compile(r"[\s().\-/\u00a0\u2010-\u2015]+")


class Phone(NamedTuple):
    """`sent`: digits, after a plus sign if international. `calling_code`: "49", "" if local."""

    sent: str
    calling_code: str = ""
    region: str = ""


class NotAPhone(ValueError):  # noqa: N818 (its message is shown on the page)
    """The text is not a phone number; the message says what to enter instead."""


def read_phone(text: str) -> Phone:
    """Parse a number, with its country if it is international. Raises NotAPhone."""
    _check_alone(text)
    bare = _BETWEEN.sub("", text.strip().replace("(0)", "") if "+" in text else text.strip())
    if bare.startswith("+"):
        return _international(bare, text)
    if not (bare.isascii() and bare.isdigit()):
        raise NotAPhone(f"Enter digits only, or {HINT}.")
    if not MIN_DIGITS <= len(bare) <= MAX_DIGITS:
        raise NotAPhone(f"A phone number has {MIN_DIGITS} to {MAX_DIGITS} digits.")
    return Phone(bare)


def count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def has_digits_of_phone(text: str) -> bool:
    """Return whether a text is long enough for a phone number among others."""
    return count_digits(text) >= MIN_DIGITS_OF_SEVERAL


def _check_alone(text: str) -> None:
    """Raise NotAPhone for several numbers, which cannot become one text."""
    marked, slashed = MAY_BE_BETWEEN.split(text), text.split("/")
    for parts, least in (
        (marked, MIN_DIGITS_OF_SEVERAL),
        (slashed, MIN_DIGITS_BETWEEN_SLASHES),
    ):
        if len(parts) > 1 and min(map(count_digits, parts)) >= least:
            raise NotAPhone("Enter one number only.")


def _international(bare: str, text: str) -> Phone:
    if not re.fullmatch(r"\+[0-9]+", bare):
        raise NotAPhone("Enter digits only after the plus sign.")
    try:
        number = phonenumbers.parse(bare)
    except phonenumbers.NumberParseException as error:
        if error.error_type == error.INVALID_COUNTRY_CODE:
            raise NotAPhone(f"“{text.strip()}” doesn't start with a country code.") from None
        raise NotAPhone("This is too short for an international number.") from None
    code = str(number.country_code)
    region = phonenumbers.region_code_for_number(number) or ""
    reason = phonenumbers.is_possible_number_with_reason(number)
    if reason == phonenumbers.ValidationResult.TOO_SHORT:
        raise NotAPhone(f"This is too short for a number of +{code}.")
    if reason == phonenumbers.ValidationResult.TOO_LONG:
        raise NotAPhone(f"This is too long for a number of +{code}.")
    return Phone(bare, code, region)


class PhoneField(RecordField, forms.CharField):
    """A phone number; cleans to the text that is sent, "" for none."""

    api_kind = "string"

    def __init__(self, **kwargs: Any):
        attrs = {"inputmode": "tel", "autocomplete": "off"}
        super().__init__(**{"widget": forms.TextInput(attrs=attrs), **kwargs})

    def to_python(self, value: object) -> str:
        """Return the number to send. Raises ValidationError."""
        text = super().to_python(value)
        try:
            return read_phone(text).sent if text else ""
        except NotAPhone as error:
            raise ValidationError(str(error), code="invalid") from None


class WrittenPhoneField(ValueField):
    """A phone number as written, of which the service accepts any spelling."""

    def __init__(self, **kwargs: Any):
        super().__init__(**{"widget": forms.TextInput(attrs={"inputmode": "tel"}), **kwargs})

    def validate(self, value: str) -> None:
        """Reject what cannot be dialled. Raises ValidationError."""
        super().validate(value)
        if value and not count_digits(value):
            raise ValidationError("Enter a phone number, or leave this blank.")
        try:
            _check_alone(value)
        except NotAPhone as error:
            raise ValidationError(str(error)) from None


def phones_of(form: type[forms.Form], record: Mapping[str, Any]) -> list[str]:
    """Return the phone numbers of a record, normalised where possible. A form field holds one if
    its inputmode is "tel".
    """
    fields = form.base_fields.items()
    names = [name for name, field in fields if field.widget.attrs.get("inputmode") == "tel"]
    texts = [str(record.get(name) or "") for name in names]
    return [_normalised(text) for text in texts if text]


def _normalised(text: str) -> str:
    try:
        return read_phone(text).sent
    except NotAPhone:
        return text
