"""Forms hold the limits of the service: lengths, choices and ids."""

from collections.abc import Iterator

import pytest
from django import forms
from django.core.exceptions import ValidationError

from dashboard.schema.registry import RESOURCES
from dashboard.standin import resources as service
from dashboard.standin.schema import Field


def limited(use: str) -> Iterator[tuple[forms.Field, Field]]:
    """The fields of the forms for creates or updates, each with the service's field."""
    for resource in RESOURCES.values():
        form = resource.create_form if use == "create" else resource.edit_form
        for field in service.RESOURCES[resource.name].fields:
            if field.name in form.base_fields and {use, f"{use}!"} & field.uses:
                yield form.base_fields[field.name], field


PAIRS = [
    pytest.param(*pair, id=f"{use} {pair[1].name}")
    for use in ("create", "update")
    for pair in limited(use)
]


@pytest.mark.parametrize(("field", "limit"), PAIRS)
def test_forms_hold_the_limits_of_the_service(field, limit):
    if limit.limit:
        assert field.max_length == limit.limit
    if limit.choices:
        assert {str(value) for value, _ in field.choices} - {""} <= set(map(str, limit.choices))
    for text in ("0", "-1") if limit.refers and limit.kind == "integer" else ():
        with pytest.raises(ValidationError):
            field.clean(text)
