"""Texts of history entries, names of their records, and the latest entries around a record."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from django import forms

from dashboard.core import sealed
from dashboard.core.templates import address
from dashboard.gateway import ENDPOINTS, GatewayError, Record, decimal_of, whole_number
from dashboard.gateway.records import LINE_KEYS
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.reader.lookups import cached_titles
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.fields import BooleanField, ChoiceField
from dashboard.schema.inputs import DayField, MomentField
from dashboard.schema.pickers import PickerField
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import format_date, format_datetime
from dashboard.text.numbers import write_plain
from dashboard.writes import history, outcomes
from dashboard.writes.ledger import RecordRef
from dashboard.writes.models import Write
from dashboard.writes.reconciliation import as_text

UNREADABLE = "can't be opened any more"
MAX_TIMELINE = 8  # entries of a timeline
MAX_AROUND = 200  # entries of the history that the page of one record reads
MAX_CREATED = 50
MAX_SHOWN_LENGTH = 40  # characters of a value in the timeline
_SINGULAR = {endpoint.name: endpoint.singular.capitalize() for endpoint in ENDPOINTS}
CODES_OF_LINE = ("id", "item_id", "discount", "discount_type", "tax_id", "tax_rate")
PERCENT = "2"  # a discount_type (reference, section 2)
TAX = ReferenceField(kind=Kind.TAX)
Words = Callable[[forms.Field | None, Any], str]  # a value of a field as a page shows it


class TimelineEntry(NamedTuple):
    """An action. `resource` and `url`: of its record, "" for the page's own. `new`: the initial
    values of a record created here. `text`: a note.
    """

    words: str
    at: datetime
    resource: str = ""
    record_id: int | None = None
    url: str = ""
    who: str = ""
    new: Mapping[str, str] = {}
    text: str = ""

    @property
    def time(self) -> str:
        return format_datetime(self.at)


class CreatedRecord(NamedTuple):
    """A record that was created here."""

    resource: str
    id: int
    label: str
    at: str


class RecordHistory(NamedTuple):
    """Writes to a record and to those that refer to it, newest first.

    created: records created here that refer to it. own: writes to the record itself.
    """

    entries: list[TimelineEntry]
    created: list[CreatedRecord]
    own: list[Write]

    def timeline(self, others: Iterable[TimelineEntry] = ()) -> list[TimelineEntry]:
        """Merge the latest entries with those of `others` that were not created here."""
        created_here = {(each.resource, each.id) for each in self.created}
        added = [each for each in others if (each.resource, each.record_id) not in created_here]
        merged = sorted([*self.entries, *added], key=attrgetter("at"), reverse=True)
        return merged[:MAX_TIMELINE]


def history_around(
    ctx: RequestContext,
    resource: Resource,
    record: Record,
    *,
    with_events: bool = False,
) -> RecordHistory:
    """Return the latest entries around a record. One query, one for its events, and one for the
    names of colleagues.

    The record must have been read with the keys of `ctx`: see history.of_record.
    """
    here = {"owner": owner_of(ctx.gateway), "workspace": ctx.workspace}
    writes = history.around_record(resource.name, record.id, **here, most=MAX_AROUND)
    entries: list[history.Line] = [*writes[:MAX_TIMELINE]]
    if with_events:
        entries += history.events_of(resource.name, [record.id], **here)[:MAX_TIMELINE]
    shown = sorted(entries, key=history.place_of, reverse=True)[:MAX_TIMELINE]
    history.add_people(shown, ctx.person)
    created = [entry for entry in writes if _has_created(entry, resource, record.id)]
    return RecordHistory(
        [_timeline_entry(entry, resource, record.id) for entry in shown],
        [_created_record(entry) for entry in created[:MAX_CREATED]],
        [entry for entry in writes if _is_of(entry, resource, record.id)],
    )


def did(entry: history.Line) -> str:
    return outcomes.label(entry.operation, entry.state).capitalize()


def details_of(entry: history.Line) -> history.Details:
    """Return label and changes; a placeholder label if they cannot be decrypted."""
    try:
        return history.details(entry)
    except sealed.DecryptionError:
        return history.Details(f"{entry.resource} {entry.record_id or ''}: {UNREADABLE}", {})


def value_in_words(field: forms.Field | None, value: Any) -> str:
    """Return a value for display: days, times and codes in words."""
    if not value or not isinstance(value, str):
        return as_text(value)
    if isinstance(field, DayField | MomentField):
        return _moment_in_words(value, with_time=isinstance(field, MomentField))
    return field.caption(value) if isinstance(field, BooleanField | ChoiceField) else value


def changes_in_words(
    fields: Mapping[str, forms.Field],
    changes: history.Changes,
    words: Words = value_in_words,
) -> list[tuple[str, str, str]]:
    """Return (label, old, new) of each changed field."""
    lines: list[tuple[str, str, str]] = []
    for name, values in changes.items():
        field = fields.get(name)
        old, new = (
            lines_in_words(value, words) if name in LINE_KEYS else words(field, value)
            for value in values
        )
        label = str(field.label or "") if field else name.replace("_", " ").capitalize()
        lines.append((label, old, new))
    return lines


def lines_in_words(lines: Any, words: Words = value_in_words) -> str:
    """Format the lines of a document as "2 x Hour at 95, VAT 20%"; "" for none."""
    return "\n".join(_line_in_words(line, words) for line in lines)


def _line_in_words(line: Mapping[str, str], words: Words) -> str:
    parts_by_name = {name: text for name, text in line.items() if text}
    name = parts_by_name.pop("item_name", "")
    count, price = (_number(parts_by_name.pop(key, "")) for key in ("quantity", "price"))
    if parts_by_name.pop("type", "") == "header":
        parts = [f"Header: {name}"]
    else:
        parts = [f"{f'{count} x ' if count else ''}{name}{f' at {price}' if price else ''}"]
    codes = {key: parts_by_name.pop(key, "") for key in CODES_OF_LINE}
    if codes["discount"]:
        unit = "%" if codes["discount_type"] == PERCENT else ""
        parts.append(f"discount {_number(codes['discount'])}{unit}")
    if codes["tax_id"] or codes["tax_rate"]:
        parts.append(_tax_in_words(codes["tax_id"], codes["tax_rate"], words))
    parts += [f"{key.replace('_', ' ')} {text}" for key, text in parts_by_name.items()]
    return ", ".join(parts)


def _tax_in_words(code: str, rate: str, words: Words) -> str:
    name = words(TAX, code) if code else ""
    if name and name not in (code, catalogue.unnamed(code)):
        return name
    return f"tax {_number(rate)}%" if rate else f"tax {code}"


def _number(text: str) -> str:
    number = decimal_of(text)
    return text if number is None else write_plain(number)


def _moment_in_words(value: str, *, with_time: bool) -> str:
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return value
    return format_datetime(at) if with_time else format_date(at)


def _has_created(entry: Write, resource: Resource, record_id: int) -> bool:
    is_create = entry.operation == "create" and entry.state == Write.State.SAVED
    is_named = bool(entry.record_id) and entry.resource in _SINGULAR
    return is_create and is_named and not _is_of(entry, resource, record_id)


def _created_record(entry: Write) -> CreatedRecord:
    day = format_datetime(entry.at).split(",")[0]
    return CreatedRecord(entry.resource, entry.record_id or 0, _name(entry), day)


def _is_of(entry: history.Line, resource: Resource, record_id: int) -> bool:
    return (entry.resource, entry.record_id) == (resource.name, record_id)


def _timeline_entry(entry: history.Line, resource: Resource, record_id: int) -> TimelineEntry:
    is_own = _is_of(entry, resource, record_id)
    exists = entry.record_id and entry.operation != "delete" and entry.resource in _SINGULAR
    url = address(entry.resource, entry.record_id) if exists and not is_own else ""
    words = _own_words(entry, resource) if is_own else f"{_name(entry)} {did(entry).lower()}"
    is_new = entry.operation == "create" and not is_own
    new = {name: new for name, (_, new) in details_of(entry).changes.items()} if is_new else {}
    kind, who = "" if is_own else entry.resource, history.by_whom(entry)
    return TimelineEntry(words, entry.at, kind, entry.record_id, url, who, new)


def _own_words(entry: history.Line, resource: Resource) -> str:
    if entry.operation == history.REMINDER:
        values = (new for _, new in details_of(entry)[1].values())
        return f"{did(entry)}: {', '.join(values)}"
    changes = changes_in_words(resource.fields, details_of(entry)[1])
    if entry.operation != "update" or entry.state != Write.State.SAVED or not changes:
        return did(entry)
    if len(changes) == 1:
        [(label, old, _)], [name] = changes, details_of(entry)[1]
        return (
            f"{label} changed from {old}"
            if _is_readable(resource, name, old)
            else (f"{label} changed")
        )
    return f"{', '.join(label for label, _, _ in changes)} changed"


def _is_readable(resource: Resource, name: str, old: str) -> bool:
    is_id = isinstance(resource.fields.get(name), PickerField | ReferenceField | ReferencesField)
    return bool(old) and len(old) <= MAX_SHOWN_LENGTH and "\n" not in old and not is_id


def _name(entry: history.Line) -> str:
    noun = _SINGULAR.get(entry.resource, entry.resource.capitalize())
    return f"{noun} {details_of(entry)[0] or entry.record_id or ''}".strip()


@dataclass(frozen=True)
class EntryNames:
    """Names from the workspace's lists, and from the history of other records."""

    workspace: str = ""
    records: Mapping[RecordRef, str] = field(default_factory=dict)

    def words(self, form_field: forms.Field | None, value: Any) -> str:
        """Return a value for display; unchanged if no form has the field."""
        if isinstance(form_field, PickerField):
            return self.record(form_field.endpoint.name, whole_number(value)) if value else ""
        if isinstance(form_field, ReferenceField | ReferencesField):
            codes = value.split(", ") if value else []
            return ", ".join(self._entry(form_field.kind, code) for code in codes)
        if isinstance(form_field, CustomFieldsField) and isinstance(value, dict):
            pairs = ((self._entry(form_field.kind, code), text) for code, text in value.items())
            return ", ".join(f"{name}: {text}" for name, text in pairs)
        return value_in_words(form_field, value)

    def record(self, resource: str, record_id: int | None) -> str:
        """Return the record's label in the history, else noun and number, such as "Lead 1234"."""
        label = self.records.get((resource, record_id or 0))
        return label or f"{_SINGULAR.get(resource, resource)} {record_id or ''}".strip()

    def _entry(self, kind: str, code: str) -> str:
        return catalogue.label(self.workspace, kind, code)


def names_in(
    ctx: RequestContext,
    entries: Iterable[history.Line],
    *,
    visible: history.Writes,
) -> EntryNames:
    """Return the names for these entries: labels of records from entries `visible` to the person,
    else names cached for their keys.
    """
    ids_by_resource: dict[str, set[int]] = {}
    for resource, number in (references := {*_references(entries)}):
        ids_by_resource.setdefault(resource, set()).add(number)
    last = [
        entry
        for name in ids_by_resource
        for entry in history.last_of(visible, name, ids_by_resource[name])
    ]
    names = {(each.resource, each.record_id or 0): _last_name(each) for each in last}
    return EntryNames(ctx.workspace, {**_known_titles(ctx, references - names.keys()), **names})


def _known_titles(ctx: RequestContext, records: Iterable[RecordRef]) -> dict[RecordRef, str]:
    """Return cached titles of these records, without a call."""
    endpoints = {endpoint.name: endpoint for endpoint in ENDPOINTS}
    pointers = [(endpoints[name], number) for name, number in records if name in endpoints]
    try:
        found = cached_titles(ctx.gateway, pointers) if pointers else {}
    except GatewayError:  # the person has no keys, or they cannot be opened
        return {}
    return {record: title for record, title in found.items() if title}


def _references(entries: Iterable[history.Line]) -> Iterator[RecordRef]:
    """Yield the records in fields of these entries, and those of entries without a label."""
    for entry in entries:
        label, changes = details_of(entry)
        if not label and entry.record_id:
            yield entry.resource, entry.record_id
        resource = RESOURCES.get(entry.resource)
        fields = resource.fields if resource else {}
        for name, values in changes.items():
            if isinstance(picker := fields.get(name), PickerField):
                yield from (
                    (picker.endpoint.name, each) for each in map(whole_number, values) if each
                )


def _last_name(last: history.Line) -> str:
    gone = last.operation == "delete" and last.state == Write.State.SAVED
    noun = f"{_SINGULAR.get(last.resource, last.resource)} {last.record_id}"
    return (details_of(last)[0] or noun) + (" (deleted)" if gone else "")
