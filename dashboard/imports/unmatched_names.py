"""Names that no list has, or that several records have, collected once, so that one choice serves
all rows that hold them.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from django.http import QueryDict

from dashboard.catalogue import editing
from dashboard.catalogue import services as catalogue
from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.catalogue.forms import EntryForm
from dashboard.catalogue.kinds import KIND_SPECS, Kind, code_of
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.imports.choosing import texts_of
from dashboard.imports.row_texts import CheckedRow
from dashboard.imports.storage import ImportSettings
from dashboard.imports.targets import LINE
from dashboard.tables.reading import ReadTable

MOST = 30  # names that are asked for at once
NO_NUMBER = "“{}” is not a number of the service, such as 17. Choose again what “{}” stands for."
ADDED = "{} was added to the list: {}."
OF_LINES = {f"{LINE}item_id": f"{LINE}item_name"}
"""By the cell of a line that is told to be wrong: the cell with the name, if it is another."""


class NameList(NamedTuple):
    """The list that the names of a column are entries of; `field` splits texts with several."""

    label: str
    kind: Kind
    field: ReferencesField | None = None

    def unknown(self, text: str) -> list[str]:
        """The names in a text that the list lacks."""
        if self.field:
            widget = self.field.widget
            return [word for word in widget.words(text) if not widget.is_code(word)]
        return [text] if text else []


class UnknownName(NamedTuple):
    """A text that `rows` rows hold in the same column. `options`: the entries of its list, which
    is called `plural`, or the records of that name with "".
    """

    name: str
    label: str
    text: str
    rows: int
    options: Mapping[str, str]
    plural: str


def collect(
    rows: Iterable[CheckedRow], resource: Resource, ctx: RequestContext
) -> list[UnknownName]:
    """The unknown names, those of the most rows first."""
    lists, fields = _lists(resource, ctx.workspace), resource.create_form.base_fields
    offered: dict[tuple[str, str], Mapping[str, str]] = {}
    found = Counter(_names(rows, lists, offered))
    asked: list[UnknownName] = []
    for (name, text), number in found.most_common(MOST):
        if options := offered.get((name, text)):
            asked.append(UnknownName(name, str(fields[name].label), text, number, options, ""))
            continue
        label, kind, _ = lists[name]
        options, plural = catalogue.choices(ctx.workspace, kind), KIND_SPECS[kind].plural
        asked.append(UnknownName(name, label, text, number, options, plural))
    return asked


def _names(
    rows: Iterable[CheckedRow],
    lists: Mapping[str, NameList],
    offered: dict[tuple[str, str], Mapping[str, str]],
) -> Iterator[tuple[str, str]]:
    """The column and the text of each unknown name; fills in what records it may mean."""
    for row in rows:
        for name in (OF_LINES.get(error, error) for error in row.errors):
            text = row.texts.get(name, "")
            if name in lists:
                yield from ((name, word) for word in lists[name].unknown(text))
            elif name in row.offered:
                offered[name, text.strip()] = row.offered[name]
                yield name, text.strip()


def give_numbers(
    choices: ImportSettings,
    data: QueryDict,
    table: ReadTable,
    resource: Resource,
    ctx: RequestContext,
) -> list[str]:
    """Take over the numbers that names of the table have in the service. A person who may name
    lists adds the names by that, each once. Returns what to say about it.
    """
    lists, texts = _lists(resource, ctx.workspace), texts_of(choices, table)
    said: list[str] = []
    names = (data.getlist(key) for key in ("means-field", "means-text", "means-number"))
    for name, text, number in zip(*names, strict=False):
        if name not in lists or text not in texts or not number.strip():
            continue
        kind = lists[name].kind
        if code := code_of(kind, number):
            choices.means.setdefault(name, {})[text] = code
            said += _add(kind, code, text, ctx)
        else:
            said.append(NO_NUMBER.format(number, text))
    return said


def _add(kind: Kind, code: str, text: str, ctx: RequestContext) -> Iterator[str]:
    """Add the name to its list, unless the number has a name there."""
    if not ctx.may_name_entries or catalogue.entry(ctx.workspace, kind, code):
        return
    form = EntryForm({"code": code, "name": text}, workspace=ctx.workspace, kind=kind)
    if form.is_valid():
        editing.save_entries(ctx.workspace, kind, [form.cleaned_data])
        yield ADDED.format(text, KIND_SPECS[kind].plural)


def _lists(resource: Resource, workspace: str) -> dict[str, NameList]:
    """The lists by the columns whose cells hold their entries."""
    found = {
        f"{LINE}item_name": NameList("Item", Kind.ITEM),
        f"{LINE}tax_id": NameList("Tax", Kind.TAX),
    }
    for name, field in resource.create_form.base_fields.items():
        if isinstance(field, ReferenceField):
            found[name] = NameList(str(field.label), field.kind)
        elif isinstance(field, ReferencesField):
            several = copy.deepcopy(field)
            several.use(workspace)
            found[name] = NameList(str(field.label), field.kind, several)
    return found
