"""Finds the ids of reference lists, and words to suggest, in the records that are read.

The form fields and filters of a resource tell which field holds which kind.
"""

from collections.abc import Iterable, Iterator, Mapping

from dashboard.catalogue.fields import ReferenceField, ReferencesField, SuggestField
from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.services import SeenReference, record_references
from dashboard.gateway import Record
from dashboard.gateway.records import TAG_KEYS
from dashboard.records.context import RequestContext
from dashboard.records.forms.custom_fields import CustomFieldsField
from dashboard.records.resource import Resource

LEARNING = (ReferenceField, ReferencesField, SuggestField, CustomFieldsField)

_kinds: dict[str, dict[str, Kind]] = {}


def learn(resource: Resource, records: Iterable[Record], ctx: RequestContext) -> None:
    """Record ids without a name and words to suggest; costs no query if there are none."""
    kinds = _kinds.get(resource.name)
    if kinds is None:
        kinds = _kinds[resource.name] = kinds_of(resource)
    if not kinds:
        return
    names = {*kinds, *TAG_KEYS} if not kinds.keys().isdisjoint(TAG_KEYS) else kinds.keys()
    telling = [one for one in records if not names.isdisjoint(one.raw)]
    record_references(
        ctx.workspace, (seen for one in telling for seen in _seen(resource, one, kinds))
    )


def kinds_of(resource: Resource) -> dict[str, Kind]:
    """The lists that the fields of a record refer to, by wire name."""
    found = {item.name: item.kind for item in resource.filters if item.kind}
    fields = resource.fields.items()
    return found | {name: field.kind for name, field in fields if isinstance(field, LEARNING)}


def _seen(resource: Resource, record: Record, kinds: Mapping[str, Kind]) -> Iterator[SeenReference]:
    place = f"{resource.singular.capitalize()} {record.id}"
    for name, kind in kinds.items():
        value = record.get(name)
        if not value:
            continue
        told = record.tag_names if name in TAG_KEYS else {}
        for one in value if isinstance(value, list | tuple | dict) else (value,):
            yield SeenReference(kind, one, resource.url(record.id), place, told.get(one, ""))
