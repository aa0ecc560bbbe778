"""Names that no list has, or that several records have, collected once, so that one choice serves
all rows that hold them.
"""

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from django import forms
from django.http import QueryDict

from dashboard.core.service_name import SERVICE
from dashboard.gateway import CONTACTS, whole_number
from dashboard.imports.choices import chosen_record, texts_of
from dashboard.imports.import_file import ImportSettings
from dashboard.imports.rows import CheckedRow
from dashboard.imports.target_names import ALL, CONTACT_TYPE, LEAVE, LINE, NEW
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.entry_forms import EntryForm
from dashboard.office.kinds import KIND_SPECS, Kind, code_of
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people.context import RequestContext
from dashboard.people.permissions import MANAGE_SETTINGS
from dashboard.schema.cells import words_of
from dashboard.schema.pickers import PickerField
from dashboard.schema.resource import Resource
from dashboard.tables.reading import ReadTable

PICKED = "means-pick-"  # before the place of a name among those that are asked for
CREATE = {"new:2": "Create as a business", "new:1": "Create as a person"}
CREATE_ALL = {"new:2": "create all as businesses", "new:1": "create all as people"}
MOST = 30  # names that are asked for at once
NO_NUMBER = f"“{{}}” is not a number of {SERVICE}, such as 17. Choose again what “{{}}” stands for."
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
    """A text that `rows` rows hold in the same column, some of them as one of `others`. `options`:
    the entries of its list, which is called `plural`, or the records that it may mean with "".
    `creates`: the words of the contacts that it may become, by what is chosen; `chosen`: what it
    stands for now, "" for nothing. `picker`: the control that finds another record, "" for an entry
    of a list.
    """

    name: str
    label: str
    text: str
    rows: int
    options: Mapping[str, str]
    plural: str = ""
    creates: Mapping[str, str] = {}
    chosen: str = ""
    picker: str = ""
    others: Sequence[str] = ()


class Unmatched:
    """Collects the names that a person has to choose for, those of records that they have chosen
    for, and those whose rows are left out.
    """

    def __init__(self, resource: Resource, ctx: RequestContext, choices: ImportSettings) -> None:
        self.ctx, self.means = ctx, choices.means
        self.lists = _lists(resource, ctx.workspace)
        self.fields = resource.create_form(ctx=ctx).fields
        self.offered: dict[tuple[str, str], Mapping[str, str]] = {}

    def collect(self, rows: Iterable[CheckedRow]) -> list[UnknownName]:
        """The names, those of the most rows first; what is chosen already last."""
        wanted = [row for row in rows if not row.is_left or row.left_by]
        found = Counter(each for row in wanted for each in self._asked(row))
        told = sorted(found.items(), key=lambda each: (bool(self._chosen(*each[0])), -each[1]))
        same = wanted[0].same if wanted else {}
        return [
            self._told(place, name, text, number)._replace(
                others=[each for each, first in same.get(name, {}).items() if first == text != each]
            )
            for place, ((name, text), number) in enumerate(told[:MOST])
        ]

    def _asked(self, row: CheckedRow) -> Iterator[tuple[str, str]]:
        """The names of a row, each in the spelling that stands for all of the same name."""
        for name in (OF_LINES.get(error, error) for error in row.errors):
            text = row.texts.get(name, "").strip()
            if name in self.lists:
                words = self.lists[name].unknown(text)
                yield from ((name, _first(row, name, word)) for word in words)
            elif name in row.offered:
                asked = name, _first(row, name, text)
                self.offered[asked] = {**self.offered.get(asked, {}), **row.offered[name]}
                yield asked
            elif text and isinstance(self.fields.get(name), forms.ChoiceField):
                yield name, _first(row, name, text)
        told = {(name, _first(row, name, text.strip())) for name, text in row.shown.items()}
        told |= {row.left_by} if row.left_by else set()
        yield from (each for each in told if self._chosen(*each))

    def _chosen(self, name: str, text: str) -> str:
        code = self.means.get(name, {}).get(text, "")
        return code if code == LEAVE or isinstance(self.fields.get(name), PickerField) else ""

    def _told(self, place: int, name: str, text: str, rows: int) -> UnknownName:
        chosen = self._chosen(name, text)
        if name in self.lists:
            label, kind, _ = self.lists[name]
            options, plural = catalogue.choices(self.ctx.workspace, kind), KIND_SPECS[kind].plural
            return UnknownName(name, label, text, rows, options, plural, chosen=chosen)
        field = self.fields[name]
        asked = UnknownName(name, str(field.label), text, rows, self.offered.get((name, text), {}))
        if not isinstance(field, PickerField):
            words = words_of(cast(forms.ChoiceField, field))
            return asked._replace(options=words, chosen=chosen)
        if whole_number(chosen):
            asked = asked._replace(options={chosen: field.widget.caption(chosen)})
        attributes = {"class": "input", "aria-label": f"Find {asked.label} “{asked.text}”"}
        picker = field.widget.render(f"{PICKED}{place}", "", attributes)
        return asked._replace(creates=creatable(field), chosen=chosen, picker=picker)


def _first(row: CheckedRow, name: str, text: str) -> str:
    return row.same.get(name, {}).get(text, text)


def creatable(field: PickerField) -> dict[str, str]:
    """The words of the contacts that the names of a field may become, by what is chosen."""
    if field.endpoint != CONTACTS:
        return {}
    only = {**field.widget.base_filters, **field.widget.created_with}
    kind = only.get(CONTACT_TYPE) or only.get("type")
    return {code: word for code, word in CREATE.items() if kind in (None, str(NEW[code]))}


def take_picked(
    choices: ImportSettings,
    data: QueryDict,
    table: ReadTable,
    resource: Resource,
    ctx: RequestContext,
) -> list[str]:
    """Take over the records that were picked for names of the table. Returns what to say."""
    fields, texts = resource.create_form(ctx=ctx).fields, texts_of(choices, table)
    names = zip(data.getlist("means-field"), data.getlist("means-text"), strict=False)
    said: list[str] = []
    for place, (name, text) in enumerate(names):
        field = fields.get(name)
        if not isinstance(field, PickerField) or text not in texts:
            continue
        picked = field.widget.value_from_datadict(data, {}, f"{PICKED}{place}")
        code, words = chosen_record(field, picked)
        said += words
        if code:
            choices.means.setdefault(name, {})[text] = code
    return said


def created_all(resource: Resource, choices: ImportSettings) -> dict[str, str]:
    """The labels of the fields whose names without a record are all created, by name."""
    fields = resource.create_form.base_fields
    made = [name for name, means in choices.means.items() if means.get(ALL) in NEW]
    return {name: str(fields[name].label) for name in made if name in fields}


def may_create_all(unknown: Iterable[UnknownName]) -> list[tuple[str, str, str]]:
    """The field, the code and the words of each way to create all contacts that are unknown."""
    asked = [one for one in unknown if one.creates and not one.chosen]
    found = {
        (one.name, code, f"{one.label}: {CREATE_ALL[code]}")
        for one in asked
        for code in one.creates
    }
    return sorted(found, reverse=True) if len(asked) > 1 else []


def take_all(choices: ImportSettings, data: QueryDict, resource: Resource) -> None:
    """Take over what all names of a field stand for that no record has."""
    name, _, code = data.get("means-all", "").partition(" ")
    if isinstance(resource.create_form.base_fields.get(name), PickerField):
        choices.means.setdefault(name, {})[ALL] = code if code in NEW else ""


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
    if not ctx.may(MANAGE_SETTINGS) or catalogue.entry(ctx.workspace, kind, code):
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
