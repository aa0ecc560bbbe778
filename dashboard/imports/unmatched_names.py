"""Names with no match or with several, collected so that one choice covers all their rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from django.http import QueryDict

from dashboard.core.service_name import SERVICE
from dashboard.core.templates import page_url
from dashboard.gateway import CONTACTS, whole_number
from dashboard.imports.checking import CheckedTable
from dashboard.imports.choices import chosen_record
from dashboard.imports.import_file import ImportFile
from dashboard.imports.rows import CheckedRow
from dashboard.imports.targets import ALL, CONTACT_TYPE, LEAVE, LINE, NEW, NOTHING, Target
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.entry_forms import EntryForm
from dashboard.office.kinds import KIND_SPECS, Kind, code_of
from dashboard.office.reference_fields import ReferencesField
from dashboard.people.context import RequestContext
from dashboard.people.permissions import MANAGE_SETTINGS
from dashboard.schema.pickers import PickerField
from dashboard.tables.cells import cell_text
from dashboard.text.plain import cleaned, folded

PICKED = "means-pick-"  # before the place of a name among those that are asked for
CREATE = {"new:2": "Create as a business", "new:1": "Create as a person"}
CREATE_ALL = {"new:2": "create all as businesses", "new:1": "create all as people"}
MAX_SHOWN = 30  # names that are asked for at once
MAX_CODE_LENGTH = 50  # characters of the code of a list entry
NO_NUMBER = f"“{{}}” isn't a number of {SERVICE}, for example 17. Choose again what “{{}}” means."
ADDED = "{} was added to the list: {}."
NAMES_BESIDE = {f"{LINE}item_id": f"{LINE}item_name"}
"""By the cell of a line that is told to be wrong: the cell with the name, if it is another."""


@dataclass
class UnmatchedName:
    """A text in a column of `rows` rows, in some of them as one of `others`.

    `options`: the entries of its list, which is called `plural`, or the possible records with "".
    `search_url`: where the others of a list are found that no page holds. `creates`: the labels of
    the contacts that it may become, by choice. `chosen`: the present choice, "" for none. `picker`:
    the control that finds another record, "" for an entry of a list.
    """

    target: Target
    text: str
    rows: int
    others: Sequence[str]
    chosen: str
    options: Mapping[str, str] = field(default_factory=dict)
    plural: str = ""
    search_url: str = ""
    creates: Mapping[str, str] = field(default_factory=dict)
    picker: str = ""


class Unmatched:
    """Collects the names that need a choice, those of records with a choice, and those whose rows
    are excluded.
    """

    def __init__(self, checked: CheckedTable, file: ImportFile, ctx: RequestContext) -> None:
        self.checked, self.ctx = checked, ctx
        self.targets, self.means = file.targets, file.settings.means
        self.fields = file.resource.create_form(ctx=ctx).fields
        self.suggestions: dict[tuple[str, str], Mapping[str, str]] = {}

    def collect(self) -> list[UnmatchedName]:
        wanted = [row for row in self.checked.rows if not row.is_excluded or row.excluded_by]
        found = Counter(each for row in wanted for each in self._names(row))
        order = sorted(found.items(), key=lambda each: (bool(self._chosen(*each[0])), -each[1]))
        return [
            self._to_row(place, name, text, rows)
            for place, ((name, text), rows) in enumerate(order[:MAX_SHOWN])
        ]

    def _names(self, row: CheckedRow) -> Iterator[tuple[str, str]]:
        """Yield the names of a row, each in the spelling that represents all of the same name."""
        for name in (NAMES_BESIDE.get(error, error) for error in row.errors):
            target, text = self.targets.get(name), row.text(name).strip()
            if target and target.kind:
                words = self._unknown_entries(target, text)
                yield from ((name, self._spelling(name, word)) for word in words)
            elif name in row.cells and (suggestions := row.cells[name].suggestions) is not None:
                key = name, self._spelling(name, text)
                self.suggestions[key] = {**self.suggestions.get(key, {}), **suggestions}
                yield key
            elif target and text and target.choices:
                yield name, self._spelling(name, text)
        names = {
            (name, self._spelling(name, cell.name.strip()))
            for name, cell in row.cells.items()
            if cell.name.strip()
        }
        names |= {row.excluded_by} if row.excluded_by else set()
        yield from (each for each in names if self._chosen(*each))

    def _spelling(self, name: str, text: str) -> str:
        names = self.checked.names.get(name)
        return names.spelling(text) if names else text

    def _unknown_entries(self, target: Target, text: str) -> list[str]:
        if not isinstance(target.field, ReferencesField):
            return [text] if text else []
        widget, names = target.field.widget, self.checked.names.get(target.name)
        own = names.own_numbers if names else ()
        return [word for word in widget.words(text) if word in own or not widget.is_code(word)]

    def _chosen(self, name: str, text: str) -> str:
        code = self.means.get(name, {}).get(text, "")
        is_record = isinstance(self.targets[name].field, PickerField)
        return code if code == LEAVE or is_record else ""

    def _to_row(self, place: int, name: str, text: str, rows: int) -> UnmatchedName:
        target, names = self.targets[name], self.checked.names.get(name)
        spellings = names.spellings.items() if names else ()
        others = [each for each, first in spellings if first == text != each]
        found = UnmatchedName(target, text, rows, others, self._chosen(name, text))
        picker = self.fields.get(name)
        if target.kind:
            found.options = catalogue.choices(self.ctx.workspace, target.kind)
            found.plural = KIND_SPECS[target.kind].plural
            if len(found.options) > catalogue.MAX_LISTED:
                codes = catalogue.get_cached_lists(self.ctx.workspace).search(target.kind, text)
                found.options = {code: found.options[code] for code in codes}
                found.search_url = page_url("catalogue:search", KIND_SPECS[target.kind].slug)
            if target.kind == Kind.TAX:
                found.options = {**found.options, NOTHING: "No tax"}
        elif isinstance(picker, PickerField):
            found.options = self.suggestions.get((name, text), {})
            if whole_number(found.chosen):
                found.options = {found.chosen: picker.caption(found.chosen)}
            found.creates = creatable(picker)
            attributes = {"class": "input", "aria-label": f"Find {target.label} “{text}”"}
            found.picker = picker.widget.render(f"{PICKED}{place}", "", attributes)
        else:
            found.options = {**(target.choices or {}), NOTHING: "Nothing"}
        return found


def creatable(field: PickerField) -> dict[str, str]:
    """Return the labels of the contacts that names of a field may become, by choice."""
    if field.endpoint != CONTACTS:
        return {}
    only = {**field.widget.base_filters, **field.widget.created_with}
    kind = only.get(CONTACT_TYPE) or only.get("type")
    return {code: word for code, word in CREATE.items() if kind in (None, str(NEW[code]))}


def created_all(file: ImportFile) -> dict[str, str]:
    made = [name for name, means in file.settings.means.items() if means.get(ALL) in NEW]
    return {name: file.targets[name].label for name in made if name in file.targets}


def may_create_all(unmatched: Iterable[UnmatchedName]) -> list[tuple[str, str, str]]:
    """Return the field, code and label of each option to create all unknown contacts."""
    unknown = [one for one in unmatched if one.creates and not one.chosen]
    found = {
        (one.target.name, code, f"{one.target.label}: {CREATE_ALL[code]}")
        for one in unknown
        for code in one.creates
    }
    return sorted(found, reverse=True) if len(unknown) > 1 else []


def _texts_of(file: ImportFile) -> str:
    """Return all texts of the table, one to a line, as a cell may hold several names."""
    cells = [cell_text(cell) for row in file.table.rows for cell in row.cells]
    edits = [text for row in file.settings.edits.values() for text in row.values()]
    return "\n".join([*cells, *edits])


def apply_meanings(file: ImportFile, posted: QueryDict, ctx: RequestContext) -> list[str]:
    """Apply the choices for names: an entry of a list, chosen or typed by its name or number, or a
    record. Returns messages.
    """
    targets, means = file.targets, file.settings.means
    name, _, code = posted.get("means-all", "").partition(" ")
    if name in targets and isinstance(targets[name].field, PickerField):
        means.setdefault(name, {})[ALL] = code if code in NEW else ""
    if "means-text" not in posted:
        return []
    fields, texts = file.resource.create_form(ctx=ctx).fields, _texts_of(file)
    keys = ("means-field", "means-text", "means", "means-number")
    messages: list[str] = []
    for place, given in enumerate(zip_longest(*map(posted.getlist, keys), fillvalue="")):
        name, text, code, number = given
        if name not in targets or not text or text not in texts:
            continue
        field, kind = fields.get(name), targets[name].kind
        if isinstance(field, PickerField):
            picked = cleaned(field.widget.value_from_datadict(posted, {}, f"{PICKED}{place}"))
            record, words = chosen_record(field, picked)
            code, messages = record or code, messages + words
        elif kind and (number := cleaned(number).strip()):
            names = catalogue.get_cached_lists(ctx.workspace).codes_by_name(kind)
            named = names.get(folded(number), "")
            code = named or code_of(kind, number) or code
            messages += [] if named else _take_number(kind, number, text, ctx)
        _store_meaning(means.setdefault(name, {}), text, code)
    return messages


def _store_meaning(means: dict[str, str], text: str, code: str) -> None:
    if not code:
        means.pop(text, None)
    elif len(code) <= MAX_CODE_LENGTH:
        means[text] = code


def _take_number(kind: Kind, number: str, text: str, ctx: RequestContext) -> Iterator[str]:
    """Add a name with its number to its list, unless the number has a name there or the person
    lacks permission. Yields messages.
    """
    code = code_of(kind, number)
    if not code:
        yield NO_NUMBER.format(number, text)
    elif ctx.may(MANAGE_SETTINGS) and not catalogue.entry(ctx.workspace, kind, code):
        form = EntryForm({"code": code, "name": text}, workspace=ctx.workspace, kind=kind)
        if form.is_valid():
            editing.save_entries(ctx.workspace, kind, [form.cleaned_data])
            yield ADDED.format(text, KIND_SPECS[kind].plural)
