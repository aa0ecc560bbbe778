"""Form fields parse numbers and dates in the person's style."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from dashboard.people.context import RequestContext
from dashboard.schema.fields import display
from dashboard.schema.inputs import DayField, MoneyField, NumberField
from dashboard.text.style import COMMA, Style


def test_a_number_is_parsed_and_shown_in_the_persons_style():
    field = MoneyField()
    field.bind(RequestContext(gateway=None, style=Style(mark=COMMA)))
    assert field.clean("1.234,50") == Decimal("1234.50")
    assert display(Decimal("1234.50"), field.style) == "1234,50"
    with pytest.raises(ValidationError, match="did you mean"):
        field.clean("1234.5")


def test_a_number_below_its_least_is_refused():
    field = NumberField(least=0, required=False)
    assert field.clean("") is None
    with pytest.raises(ValidationError, match="0 or more"):
        field.clean("-1")


def test_a_date_is_shown_in_a_form_valid_in_every_style():
    field = DayField(required=False)
    shown = display(date(2026, 3, 4), field.style)
    assert shown == "4 Mar 2026"
    assert field.clean(shown) == date(2026, 3, 4)
    assert field.clean(" ") is None
    with pytest.raises(ValidationError, match="a valid date"):
        field.clean("whenever")
