"""Finds the ids of reference lists, and names to suggest, in the records that are read.

The form fields and filters of a resource tell which field holds which kind.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from dashboard.gateway import Record
from dashboard.gateway.records import TAG_KEYS
from dashboard.office import observed_references
from dashboard.office.kinds import FIELD_KINDS, Kind
from dashboard.office.observed_references import SeenReference
from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.people.context import RequestContext
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.filters import Entry
from dashboard.schema.resource import Resource

LEARNING = (ReferenceField, ReferencesField, SuggestField, CustomFieldsField)

LINES = {"item_id": Kind.ITEM, "tax_id": Kind.TAX}
HEADER = "header"  # its line carries the id of another line's item (reference, section 4)
DETAILS = {
    Kind.STAGE: {"parent": "pipeline_id"},
    Kind.ITEM: {"price": "price", "tax": "tax_id"},
    Kind.TAX: {"rate": "tax_rate"},
}
"""The fields of an entry beside its name, and where a record or a line tells them."""


def record_references(resource: Resource, records: Iterable[Record], ctx: RequestContext) -> None:
    """Record names, unnamed ids and suggestions; costs no query if none is new."""
    observed_references.record_references(
        ctx.workspace, (seen for one in records for seen in references_in(resource, one))
    )


@cache
def kinds_of(resource: Resource) -> dict[str, Kind]:
    """Return the lists that the fields of a record refer to, by wire name."""
    kinds = {item.name: item.kind for item in resource.filters if isinstance(item, Entry)}
    fields = resource.fields.items()
    return kinds | {name: field.kind for name, field in fields if isinstance(field, LEARNING)}


def references_in(resource: Resource, record: Record) -> Iterator[SeenReference]:
    """Yield the references of a record and its lines, with the names beside them."""
    place = (resource.url(record.id), f"{resource.singular.capitalize()} {record.id}")
    tags = not record.raw.keys().isdisjoint(TAG_KEYS)
    for name, kind in kinds_of(resource).items():
        if name in record.raw or (tags and name in TAG_KEYS):
            yield from _seen(kind, name, record, place)
    for line in record.lines:
        for name, kind in LINES.items() if line["type"] != HEADER else ():
            yield from _seen(kind, name, line, place)


def _seen(kind: Kind, name: str, record: Record, place: tuple[str, str]) -> Iterator[SeenReference]:
    value = record.get(name)
    if not value:
        return
    names = record.embedded_labels(name)
    details = {field: record.get(key) for field, key in DETAILS.get(kind, {}).items()}
    details = {field: found for field, found in details.items() if found or found == 0}
    for one in value if isinstance(value, list | tuple | dict) else (value,):
        words = names.get(str(one), "") or _own_name(kind, one, details)
        yield SeenReference(kind, one, *place, words, details)


def _own_name(kind: Kind, value: object, details: dict[str, Any]) -> str:
    """Return the name of a custom field, which is its key (reference, "Custom fields rules"), or of
    a tax that has only a rate.
    """
    if kind in FIELD_KINDS:
        return str(value)
    rate = details.get("rate")
    return f"{rate.normalize():f}%" if kind is Kind.TAX and isinstance(rate, Decimal) else ""
