"""The names of what entries of the history hold as numbers: entries of lists, other records."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django import forms

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.declare.resource import Resource
from dashboard.forms.custom_fields import CustomFieldsField
from dashboard.forms.pickers import PickerField
from dashboard.gateway import ENDPOINTS, whole_number
from dashboard.ledger import history
from dashboard.ledger.models import Write
from dashboard.ledger.services import RecordRef
from dashboard.pages.history_words import details_of, value_in_words

CUSTOM_FIELD = re.compile(r"(?<![^ ])([0-9]+)(?=: )")
_SINGULAR = {endpoint.name: endpoint.singular.capitalize() for endpoint in ENDPOINTS}


@dataclass(frozen=True)
class Names:
    """Names by the lists of a workspace, and by what the history calls other records."""

    workspace: str = ""
    records: Mapping[RecordRef, str] = field(default_factory=dict)

    def words(self, form_field: forms.Field | None, value: str) -> str:
        """A value of an entry as a page shows it; of a field that no form has as it is."""
        if isinstance(form_field, PickerField):
            return self.record(form_field.endpoint.name, whole_number(value)) if value else ""
        if isinstance(form_field, ReferenceField | ReferencesField):
            codes = value.split(", ") if value else []
            return ", ".join(self._entry(form_field.kind, code) for code in codes)
        if isinstance(form_field, CustomFieldsField):
            return CUSTOM_FIELD.sub(lambda code: self._entry(form_field.kind, code[0]), value)
        return value_in_words(form_field, value)

    def record(self, resource: str, record_id: int | None) -> str:
        """What the history calls a record, else its noun and number, such as "Lead 1234"."""
        found = self.records.get((resource, record_id or 0))
        return found or f"{_SINGULAR.get(resource, resource)} {record_id or ''}".strip()

    def _entry(self, kind: str, code: str) -> str:
        return catalogue.label(self.workspace, kind, code)


def names_in(
    entries: Iterable[history.Line],
    resources: Mapping[str, Resource],
    *,
    visible: history.Writes,
    workspace: str,
) -> Names:
    """The names for these entries; of records from the entries that are `visible` to the person."""
    wanted: dict[str, set[int]] = {}
    for resource, number in _references(entries, resources):
        wanted.setdefault(resource, set()).add(number)
    last = [entry for name in wanted for entry in history.last_of(visible, name, wanted[name])]
    return Names(workspace, {(each.resource, each.record_id or 0): _name(each) for each in last})


def _references(
    entries: Iterable[history.Line], resources: Mapping[str, Resource]
) -> Iterator[RecordRef]:
    """The records that fields of these entries hold, and those of entries without a label."""
    for entry in entries:
        label, changes = details_of(entry)
        if not label and entry.record_id:
            yield entry.resource, entry.record_id
        resource = resources.get(entry.resource)
        fields = resource.fields if resource else {}
        for name, values in changes.items():
            if isinstance(picker := fields.get(name), PickerField):
                yield from (
                    (picker.endpoint.name, each) for each in map(whole_number, values) if each
                )


def _name(last: history.Line) -> str:
    """The name by the last entry of a record."""
    gone = last.operation == "delete" and last.state == Write.State.SAVED
    noun = f"{_SINGULAR.get(last.resource, last.resource)} {last.record_id}"
    return (details_of(last)[0] or noun) + (" (deleted)" if gone else "")
