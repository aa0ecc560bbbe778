"""The results of calls: records, pages and confirmations.

A record converts its fields when they are read. The reference does not name the nested lists of a
detail record; the keys below are those that services use.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from .api import CURRENCY_FIELDS, LINE_FIELDS, Endpoint, Field, FieldKind
from .values import MAX_ID, Unreadable, read_value, zone_of

LINE_KEYS = ("items", "line_items", "invoice_items", "estimate_items")
PAYMENT_KEYS = ("payments", "payment_history")
TAG_KEYS = ("tag_ids", "tags", "cst_tag_id")
MIN_STEM_LENGTH = 3  # "assigned_to" has no name under "to"

_LINE_KINDS: Mapping[str, FieldKind] = {field.name: field.kind for field in LINE_FIELDS}
_PAYMENT_KINDS: Mapping[str, FieldKind] = {}  # the reference names none


class Record(Mapping[str, Any]):
    """One record. `record["total"]` gives the field converted to its declared kind:

    string and email str; integer int; number Decimal; boolean bool; date date; datetime a naive
    datetime; timestamp an aware one in UTC; integers and strings tuples; object dict.
    It gives None for null, "" and a declared field that is absent, and `Unreadable` for a value
    that cannot be converted. A field that the reference does not declare is given as it is, and
    raises KeyError if it is absent. "tag_ids" gives the tags under whatever key they were sent.

    Each is converted once. Iteration and `in` go by the keys that were sent.
    """

    __slots__ = ("_kinds", "_values", "id", "raw")

    def __init__(self, raw: dict[str, Any], kinds: Mapping[str, FieldKind], id: int = 0) -> None:
        """id: 0 for line items and payments, whose ids the reference does not name."""
        self.raw = raw
        self.id = id
        self._kinds = kinds
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        if name in TAG_KEYS:
            tags = self.raw.get(_first_key(self.raw, TAG_KEYS) or name)
            value = read_value("integers", tags)
        elif name in self._kinds:
            value = read_value(self._kinds[name], self.raw.get(name))
        else:
            value = self.raw[name]
        self._values[name] = value
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    def __contains__(self, name: object) -> bool:
        return name in self.raw

    def was_sent(self, name: str) -> bool:
        """Return whether the field came, though it may be empty."""
        return name in self.raw or (name in TAG_KEYS and _first_key(self.raw, TAG_KEYS) is not None)

    def __repr__(self) -> str:
        return f"<Record {self.id}>"  # without its values, for logs

    @property
    def extra(self) -> dict[str, Any]:
        """Return the fields that the reference does not declare, by name, as they were sent."""
        known = {*self._kinds, *LINE_KEYS, *PAYMENT_KEYS, *TAG_KEYS}
        return {name: value for name, value in self.raw.items() if name not in known}

    @property
    def lines(self) -> tuple["Record", ...]:
        """Return the line items that can be read; `lines_complete` says whether these are all."""
        return _nested_records(self.raw, LINE_KEYS, _LINE_KINDS)

    @property
    def lines_complete(self) -> bool:
        """Return whether line items were sent and each of them is an object."""
        items = self.raw.get(_first_key(self.raw, LINE_KEYS) or "")
        return isinstance(items, list) and all(isinstance(item, dict) for item in items)

    @property
    def payments(self) -> tuple["Record", ...]:
        """Return the payments with the fields as they were sent: the reference names none."""
        return _nested_records(self.raw, PAYMENT_KEYS, _PAYMENT_KINDS)

    def embedded_labels(self, name: str) -> dict[str, str]:
        """Return the names of what a field refers to, by id as text, if the service sent them with
        the ids: in objects with `id` and `name`, or in a key beside the field, such as
        `owner_name`.
        """
        key = _first_key(self.raw, TAG_KEYS) if name in TAG_KEYS else name
        value = self.raw.get(key or name)
        names = [_named(one) for one in (value if isinstance(value, list) else [value])]
        if named := {code: words for code, words in names if words}:
            return named
        beside = (self.raw.get(key) for key in _keys_beside(name))
        words = next((words for one in beside if (words := _words(one))), "")
        return {str(value).strip(): words} if words and isinstance(value, int | str) else {}

    def keys_of_label(self, name: str) -> list[str]:
        """Return the keys beside an id that hold nothing but its name."""
        labels = self.embedded_labels(name).values()
        return [key for key in _keys_beside(name) if self.raw.get(key) in labels]


@dataclass(frozen=True)
class Page:
    """One page of a list.

    page_index: as asked for, from 0. page_size: as asked for, or how many rows came if those were
    more. The totals are None if the service does not say. unreadable_rows: the number of rows left
    out, as they are no objects or have no id. unfit: the ids of rows left out, as they contradict a
    filter that was asked for.
    """

    records: tuple[Record, ...]
    page_index: int
    page_size: int
    total_records: int | None
    total_pages: int | None
    unreadable_rows: int
    unfit: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """Return how many rows came."""
        return len(self.records) + self.unreadable_rows + len(self.unfit)

    @property
    def is_last(self) -> bool:
        """Return whether no page follows this one, as far as the service says.

        A full page is the last one only where both totals say so, and not as the first page: there
        they may be its own.
        """
        rows = self.rows
        if not rows:
            return True
        read, pages = self.page_index * self.page_size + rows, self.page_index + 1
        if rows >= self.page_size:
            agree = self.total_records == read and self.total_pages in (None, pages)
            return self.page_index > 0 and agree
        if self.total_pages is not None:
            return pages >= self.total_pages
        return self.total_records is None or read >= self.total_records

    @property
    def is_whole(self) -> bool:
        is_read = not self.unreadable_rows and len(self.records) >= (self.total_records or 0)
        return is_read and self.is_last

    def without_unfit(self, endpoint: Endpoint, filters: Mapping[str, Any]) -> "Page":
        """Return the page without the rows that contradict these filters, nor the number of records
        then: the service has ignored one.
        """
        unfit = tuple(each.id for each in self.records if contradicts(endpoint, each, filters))
        if not unfit:
            return self
        fit = tuple(each for each in self.records if each.id not in unfit)
        return replace(self, records=fit, total_records=None, unfit=unfit)

    def without_refuted_total(self) -> "Page":
        """Return the page without a number of records that is less than the rows up to its end."""
        read = self.page_index * self.page_size + len(self.records)
        is_refuted = bool(self.records) and read > (self.total_records or 0)
        return replace(self, total_records=None) if is_refuted else self


@dataclass(frozen=True)
class Created:
    """A saved create. id: None if not stated. label: the name or number, "" if not stated."""

    id: int | None
    label: str


@dataclass(frozen=True)
class Done:
    """A saved update or a deletion."""


def record_of(endpoint: Endpoint, raw: Any) -> Record | None:
    """Return the row as a record, None if it is no object or has no readable id."""
    if not isinstance(raw, dict):
        return None
    own = read_id(raw.get(endpoint.id_field))
    return None if own is None else Record(raw, endpoint.kinds, own)


def contradicts(endpoint: Endpoint, record: Record, filters: Mapping[str, Any]) -> bool:
    """Return whether a row has values that a filter excludes: each that can be read, of the fields
    that the filter is about.
    """
    for field in endpoint.filters:
        if (asked := filters.get(field.name)) in (None, ""):
            continue
        wanted = read_value(field.kind, str(asked) if isinstance(asked, date) else asked)
        verdicts = [_fits(field, record.raw.get(each), wanted) for each in field.tests]
        if False in verdicts and True not in verdicts:
            return True
    return False


def _fits(field: Field, raw: Any, wanted: Any) -> bool | None:
    """Return whether a filter admits a value; None if one of them is empty or cannot be read."""
    value = read_value(field.kind, raw)
    if value is None or wanted is None or isinstance(value, Unreadable):
        return None
    if isinstance(value, date):  # a service elsewhere may take a moment for another day
        beyond: timedelta = wanted - value if field.name.endswith("_from") else value - wanted
        return beyond.days <= (1 if zone_of(raw) else 0)
    return str(value).casefold() == str(wanted).casefold()


def currency_id(record: Mapping[str, Any]) -> int | None:
    """Return the id of the currency of a deal or a document; None where it says none, as in
    lists.
    """
    codes = (record.get(name) for name in CURRENCY_FIELDS)
    return next((code for code in codes if isinstance(code, int) and code > 0), None)


def read_id(raw: Any) -> int | None:
    """Return a positive id, from an integer or digits, None for anything else."""
    value = raw if type(raw) is int else read_value("integer", raw)
    return value if isinstance(value, int) and 0 < value <= MAX_ID else None


def _named(value: Any) -> tuple[str, str]:
    """Return the id and the name in an object; the name is "" for anything else."""
    number = read_id(value.get("id")) if isinstance(value, dict) else None
    return (str(number), _words(value)) if number else ("", "")


def _words(value: Any) -> str:
    """Return a name as text or in an object; "" for anything else, such as a number or an
    amount.
    """
    text = value.get("name") if isinstance(value, dict) else value
    if isinstance(text, str) and isinstance(read_value("number", text), Unreadable):
        return " ".join(text.split())
    return ""


@cache
def _keys_beside(name: str) -> tuple[str, ...]:
    """Return the keys that may hold the name for an id: of "deal_owner_id" also "owner"."""
    stem = name.removesuffix("_id")
    last = stem.rpartition("_")[2]
    stems = (stem, last) if len(last) > MIN_STEM_LENGTH else (stem,)
    keys = (f"{name}_name", *(key for one in stems for key in (f"{one}_name", one)))
    return tuple(key for key in dict.fromkeys(keys) if key != name)


def _first_key(raw: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in raw), None)


def _nested_records(
    raw: Mapping[str, Any], keys: tuple[str, ...], kinds: Mapping[str, FieldKind]
) -> tuple[Record, ...]:
    key = _first_key(raw, keys)
    items = raw[key] if key else None
    if not isinstance(items, list):
        return ()
    return tuple(Record(item, kinds) for item in items if isinstance(item, dict))
