"""Names that no list has, collected once, so that one choice serves all rows that hold them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dashboard.catalogue import services as catalogue
from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.catalogue.kinds import Kind
from dashboard.imports.checking import CheckedRow
from dashboard.imports.document_columns import LINE
from dashboard.records.resource import Resource

MOST = 30  # names that are asked for at once
OF_LINES = {
    f"{LINE}item_id": (f"{LINE}item_name", "Item", Kind.ITEM),
    f"{LINE}tax_id": (f"{LINE}tax_id", "Tax", Kind.TAX),
}
"""By the cell of a line that is told to be wrong: the cell with the name, its label and list."""


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
    named = ((row, OF_LINES.get(name, (name,))[0]) for row in rows for name in row.errors)
    found = Counter((name, row.texts[name]) for row, name in named if row.texts.get(name))
    lists = {name: (label, kind) for name, label, kind in OF_LINES.values()}
    asked: list[UnknownName] = []
    for (name, text), number in found.most_common():
        field = fields.get(name)
        if isinstance(field, ReferenceField | ReferencesField):
            lists[name] = str(field.label), field.kind
        if name in lists:
            label, kind = lists[name]
            options = catalogue.choices(workspace, kind)
            asked.append(UnknownName(name, label, text, number, options))
    return [each for each in asked if each.options][:MOST]
