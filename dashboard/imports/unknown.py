"""Names that no list has, collected once, so that one choice serves all rows that hold them."""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from django.http import QueryDict

from dashboard.catalogue import editing
from dashboard.catalogue import services as catalogue
from dashboard.catalogue.fields import ReferenceField, ReferencesField
from dashboard.catalogue.forms import EntryForm
from dashboard.catalogue.kinds import ABOUT, Kind, code_of
from dashboard.imports.checking import CheckedRow
from dashboard.imports.storage import Wishes
from dashboard.records.context import RequestContext
from dashboard.records.resource import Resource

MOST = 30  # names that are asked for at once
NO_NUMBER = "“{}” is no number of the service, such as 17. “{}” still stands for nothing."
ADDED = "{} was added to the list: {}."


class UnknownName(NamedTuple):
    """A text that `rows` rows hold in the same column. `options`: the entries of its list, which
    is called `plural`.
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
    fields = _fields(resource, ctx.workspace)
    found = Counter(
        (name, text)
        for row in rows
        for name in row.errors
        if name in fields
        for text in _unknown(fields[name], row.texts.get(name, ""))
    )
    asked: list[UnknownName] = []
    for (name, text), number in found.most_common(MOST):
        field = fields[name]
        options, plural = catalogue.choices(ctx.workspace, field.kind), ABOUT[field.kind].plural
        asked.append(UnknownName(name, str(field.label), text, number, options, plural))
    return asked


def give_numbers(
    wishes: Wishes, data: QueryDict, resource: Resource, ctx: RequestContext
) -> list[str]:
    """Take over the numbers that names have in the service. A person who manages the lists adds
    the names by that, each once. Returns what to say about it.
    """
    fields = _fields(resource, ctx.workspace)
    said: list[str] = []
    names = (data.getlist(key) for key in ("means-field", "means-text", "means-number"))
    for name, text, number in zip(*names, strict=False):
        if name not in fields or not number.strip():
            continue
        kind = fields[name].kind
        if code := code_of(kind, number):
            wishes.means.setdefault(name, {})[text] = code
            said += _add(kind, code, text, ctx)
        else:
            said.append(NO_NUMBER.format(number, text))
    return said


def _add(kind: Kind, code: str, text: str, ctx: RequestContext) -> Iterator[str]:
    """Add the name to its list, unless the number has a name there."""
    if not ctx.manages or catalogue.entry(ctx.workspace, kind, code):
        return
    form = EntryForm({"code": code, "name": text}, workspace=ctx.workspace, kind=kind)
    if form.is_valid():
        editing.save_entries(ctx.workspace, kind, [form.cleaned_data])
        yield ADDED.format(text, ABOUT[kind].plural)


def _fields(resource: Resource, workspace: str) -> dict[str, ReferenceField | ReferencesField]:
    """The fields that hold entries of a list, with those of the workspace."""
    found = {}
    for name, field in resource.create_form.base_fields.items():
        if isinstance(field, ReferenceField | ReferencesField):
            found[name] = copy.deepcopy(field)
            found[name].use(workspace)
    return found


def _unknown(field: ReferenceField | ReferencesField, text: str) -> list[str]:
    """The names in a text that its list lacks."""
    if isinstance(field, ReferencesField):
        return [word for word in field.widget.words(text) if not field.widget.is_code(word)]
    return [text] if text else []
