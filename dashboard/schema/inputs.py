"""Form fields for numbers, money, dates and times, parsed in the person's style."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.office.record_field import RecordField
from dashboard.people.context import RequestContext
from dashboard.text.dates import (
    describe_typed,
    examples,
    format_date,
    read_date,
    read_datetime,
    write_datetime,
)
from dashboard.text.numbers import proposal, read_number, write_number
from dashboard.text.style import PLAIN, NotReadable, Style


class NumberField(RecordField):
    """An exact number, of at least `least`; cleans to Decimal or None."""

    api_kind = "number"

    def __init__(self, *, least: Decimal | int | None = None, **kwargs: Any):
        attrs = {"inputmode": "decimal", "autocomplete": "off", "class": "number"}
        super().__init__(**{"widget": forms.TextInput(attrs=attrs), **kwargs})
        self.least, self.style = least, PLAIN

    def bind(self, ctx: RequestContext) -> None:
        self.style = ctx.style

    def prepare_value(self, value: object) -> object:
        """Format an initial number in the person's style; leave typed text unchanged."""
        return write_number(value, self.style) if isinstance(value, Decimal) else value

    def to_python(self, value: object) -> Decimal | None:
        """Return the number, None for no text. Raises ValidationError."""
        text = str(value or "").strip()
        try:
            return read_number(text, self.style) if text else None
        except NotReadable as error:
            raise ValidationError(str(error), code="invalid") from None

    def proposal(self, value: object) -> tuple[str, str] | None:
        return proposal(str(value or ""), self.style)

    def validate(self, value: Decimal | None) -> None:
        super().validate(value)
        if value is not None and self.least is not None and value < self.least:
            raise ValidationError(f"Enter {self.least} or more.")


class MoneyField(NumberField):
    """An amount of money. `currency`: the field of its form with the currency; "" for none."""

    def __init__(self, *, currency: str = "", **kwargs: Any):
        super().__init__(**kwargs)
        self.currency = currency


FUTURE, DATETIME = "ahead", "moment"  # what the text of a field means, see records/date_echo.py


class DayInput(forms.TextInput):
    """A text input for a date that also shows the date it means; days.js adds the browser's
    calendar and updates that date. `echo` formats a text's date, or raises NotReadable.
    """

    template_name = "schema/day.html"

    def __init__(self, echo: Callable[[str, Style], str], **kwargs: Any):
        super().__init__(**kwargs)
        self.echo = echo
        self.style = PLAIN

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `widget.echo`, "" for a text that is no date."""
        context = super().get_context(name, value, attrs)
        try:
            text = str(value or "").strip()
            context["widget"]["echo"] = self.echo(text, self.style) if text else ""
        except NotReadable:  # the error of the field says so
            context["widget"]["echo"] = ""
        return context


class DayField(RecordField):
    """A date, typed in any form that `read_date` parses; cleans to date or None. `looks_ahead`: a
    date without a year is the next such date.
    """

    api_kind = "date"

    def __init__(self, *, looks_ahead: bool = False, **kwargs: Any):
        attrs = {"autocomplete": "off", "class": "day", "data-day": FUTURE if looks_ahead else ""}
        echo = partial(day_in_words, looks_ahead=looks_ahead)
        super().__init__(**{"widget": DayInput(echo, attrs=attrs), **kwargs})
        self.style, self.looks_ahead = PLAIN, looks_ahead
        self.help_text = self.help_text or examples(PLAIN)

    def bind(self, ctx: RequestContext) -> None:
        """Parse dates in the person's style, and give examples in it."""
        if self.help_text == examples(self.style):
            self.help_text = examples(ctx.style)
        self.style = self.widget.style = ctx.style

    def prepare_value(self, value: object) -> object:
        """Format an initial date as 14 Mar 2026; leave typed text unchanged."""
        return format_date(value) if isinstance(value, date) else value

    def to_python(self, value: object) -> date | None:
        """Return the date, None for no text. Raises ValidationError."""
        text = str(value or "").strip()
        today, ahead = timezone.localdate(), self.looks_ahead
        try:
            return read_date(text, today, self.style, looks_ahead=ahead) if text else None
        except NotReadable as error:
            raise ValidationError(str(error), code="invalid") from None


class MomentField(RecordField):
    """A date with a time; cleans to a datetime without time zone, or None."""

    api_kind = "datetime"

    def __init__(self, **kwargs: Any):
        attrs = {"autocomplete": "off", "class": "moment", "data-day": DATETIME}
        super().__init__(**{"widget": DayInput(moment_in_words, attrs=attrs), **kwargs})
        self.style = PLAIN

    def bind(self, ctx: RequestContext) -> None:
        self.style = self.widget.style = ctx.style

    def prepare_value(self, value: object) -> object:
        """Format an initial datetime as 14 Mar 2026, 15:00; leave typed text unchanged."""
        return write_datetime(value) if isinstance(value, datetime) else value

    def to_python(self, value: object) -> datetime | None:
        """Return the datetime, None for no text. Raises ValidationError."""
        text = str(value or "").strip()
        try:
            return read_datetime(text, timezone.localdate(), self.style) if text else None
        except NotReadable as error:
            words = f"{error} Add a time: 15:00." if "a date, for example" in str(error) else error
            raise ValidationError(str(words), code="invalid") from None


def day_in_words(text: str, style: Style, *, looks_ahead: bool) -> str:
    """Describe the date typed. Raises NotReadable."""
    day = read_date(text, timezone.localdate(), style, looks_ahead=looks_ahead)
    return describe_typed(text, day)


def moment_in_words(text: str, style: Style) -> str:
    """Describe the date and time typed. Raises NotReadable."""
    return describe_typed(text, read_datetime(text, timezone.localdate(), style))
