"""What the records that are read tell about the workspace's lists.

Which field holds which kind of id is said once, by the form fields and filters of the resource.
"""

from collections.abc import Iterable, Iterator, Mapping

from dashboard.catalogue.fields import ReferenceField, ReferencesField, SuggestField
from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.services import Seen, see
from dashboard.gateway import Record
from dashboard.gateway.records import TAG_KEYS
from dashboard.records.context import RequestContext
from dashboard.records.forms.custom_fields import CustomFieldsField
from dashboard.records.resource import Resource

LEARNING = (ReferenceField, ReferencesField, SuggestField, CustomFieldsField)

_kinds: dict[str, dict[str, Kind]] = {}


def learn(resource: Resource, records: Iterable[Record], ctx: RequestContext) -> None:
    """Write down ids that nobody has named and words to suggest; free if there are none."""
    kinds = _kinds.get(resource.name)
    if kinds is None:
        kinds = _kinds[resource.name] = kinds_of(resource)
    if not kinds:
        return
    names = {*kinds, *TAG_KEYS} if not kinds.keys().isdisjoint(TAG_KEYS) else kinds.keys()
    telling = [one for one in records if not names.isdisjoint(one.raw)]
    see(ctx.workspace, (seen for one in telling for seen in _seen(resource, one, kinds)))


def kinds_of(resource: Resource) -> dict[str, Kind]:
    """The lists that the fields of a record refer to, by wire name."""
    found = {item.name: item.kind for item in resource.filters if item.kind}
    for form in (resource.create_form, resource.edit_form):
        for name, field in form.base_fields.items():
            if isinstance(field, LEARNING):
                found[name] = field.kind
    return found


def _seen(resource: Resource, record: Record, kinds: Mapping[str, Kind]) -> Iterator[Seen]:
    place = f"{resource.singular.capitalize()} {record.id}"
    for name, kind in kinds.items():
        value = record.get(name)
        if not value:
            continue
        told = record.tag_names if name in TAG_KEYS else {}
        for one in value if isinstance(value, list | tuple | dict) else (value,):
            yield Seen(kind, one, resource.url(record.id), place, told.get(one, ""))
