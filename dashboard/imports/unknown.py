"""Names that no list has, collected once, so that one choice serves all rows that hold them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.imports.checking import CheckedRow
from dashboard.records.resource import Resource

MOST = 30  # names that are asked for at once


class UnknownName(NamedTuple):
    """A text that `rows` rows hold in the same column. `options`: the entries of its list."""

    name: str
    label: str
    text: str
    rows: int
    options: Mapping[str, str]


def collect(rows: Iterable[CheckedRow], resource: Resource, workspace: str) -> list[UnknownName]:
    """The unknown names, those of the most rows first; of lists that have entries."""
    fields = resource.create_form.base_fields
    found = Counter(
        (name, row.texts[name]) for row in rows for name in row.errors if row.texts.get(name)
    )
    asked: list[UnknownName] = []
    for (name, text), number in found.most_common():
        field = fields.get(name)
        if isinstance(field, ReferenceField | ReferencesField):
            options = catalogue.choices(workspace, field.kind)
            asked.append(UnknownName(name, str(field.label), text, number, options))
    return [each for each in asked if each.options][:MOST]
