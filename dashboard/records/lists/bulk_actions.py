"""What a list offers to do with many of its records at once; the room `bulk` does it."""

from typing import NamedTuple

from django import forms

from dashboard.catalogue.fields import ReferenceField, ReferencesField, SuggestField
from dashboard.gateway import Gateway
from dashboard.records.forms.inputs import DayField
from dashboard.records.resource import Resource

GIVEN = (ReferenceField, ReferencesField, SuggestField, DayField, forms.ChoiceField)


class BulkAction(NamedTuple):
    """One button below a list: the value that it sends, its words and its key.

    do: "change", "delete", the resource of which each record gets one, or a name that the resource
    declares.
    """

    do: str
    label: str
    key: str


def offered(resource: Resource, gateway: Gateway) -> list[BulkAction]:
    """What the service can do with records of this resource, the usual first."""
    found = []
    if gateway.offers(resource.endpoint, "update") and bulk_fields(resource):
        found.append(BulkAction("change", "Change", "v"))
    for start in resource.starts:
        if start.each:
            found.append(BulkAction(start.target, f"{start.label} for each", start.key))
    found += [BulkAction(*action) for action in resource.bulk_actions]
    if gateway.offers(resource.endpoint, "delete"):
        found.append(BulkAction("delete", "Delete", "#"))
    return found


def bulk_fields(resource: Resource) -> dict[str, forms.Field]:
    """The fields that many records can be given the same value of."""
    form = resource.edit_form
    return {
        name: field
        for name, field in form.base_fields.items()
        if (name in form.in_bulk if form.in_bulk else isinstance(field, GIVEN))
    }
