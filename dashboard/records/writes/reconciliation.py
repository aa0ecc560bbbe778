"""Looks in the service for the result of a write whose outcome is unknown."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from dashboard.gateway import Gateway, Record, Unreadable, decimal_of
from dashboard.gateway.records import LINE_KEYS
from dashboard.records.resource import DuplicateSearch, Resource

MOST = 5  # candidates shown; the newest come first


def find_duplicates(gateway: Gateway, resource: Resource, body: Mapping[str, Any]) -> list[Record]:
    """Records that an unanswered create may have made, newest first. Raises as `Gateway.list`."""
    page = gateway.list(resource.endpoint, page_size=100, **resource.duplicate_search.ask(body))
    alike = [
        record for record in page.records if _is_duplicate(resource.duplicate_search, record, body)
    ]
    return sorted(alike, key=lambda record: record.id, reverse=True)[:MOST]


def was_updated(record: Record, body: Mapping[str, Any]) -> bool:
    """Whether every field in the body of an update has that value in the record."""
    fields = {name: value for name, value in body.items() if not _is_lines(value)}
    lines = [value for value in body.values() if _is_lines(value)]
    as_sent = all(is_equal(record.get(name), value) for name, value in fields.items())
    return bool(body) and as_sent and all(_same_lines(record.lines, value) for value in lines)


def differing_fields(record: Record, body: Mapping[str, Any]) -> list[str]:
    """The names of fields whose readable value differs from the one that was sent."""
    return [name for name, value in body.items() if _differs(record, name, value)]


def values_as_text(record: Record, names: Iterable[str]) -> dict[str, str]:
    """The values of some fields of a record as texts, for comparison and display."""
    lines = [line.raw for line in record.lines]
    return {name: as_text(lines if name in LINE_KEYS else record.get(name)) for name in names}


def as_text(value: object) -> str:
    """Any value of a record or a body as text; equal values give equal texts."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {as_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ("\n" if _is_lines(value) else ", ").join(as_text(item) for item in value)
    return as_word(value)


def is_equal(found: object, sent: object) -> bool:
    """Whether a value that was read equals the one that was sent; None and "" are equal."""
    if isinstance(sent, list | tuple):
        return _words(found) == _words(sent)
    if isinstance(sent, Mapping):
        values = found if isinstance(found, Mapping) else {}
        return all(is_equal(values.get(name), value) for name, value in sent.items())
    return as_word(found) == as_word(sent)


def _is_duplicate(
    duplicate_search: DuplicateSearch, record: Record, body: Mapping[str, Any]
) -> bool:
    return all(
        is_equal(record.get(shown), body.get(sent)) for shown, sent in duplicate_search.same.items()
    )


def _differs(record: Record, name: str, sent: object) -> bool:
    if _is_lines(sent) and isinstance(sent, list):
        return record.lines_complete and not _same_lines(record.lines, sent)
    found = record.get(name)
    return name in record and not isinstance(found, Unreadable) and not is_equal(found, sent)


def _is_lines(value: object) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value)


def _same_lines(found: Sequence[Record], sent: Sequence[Mapping[str, Any]]) -> bool:
    pairs = zip(found, sent, strict=False)
    return len(found) == len(sent) and all(
        is_equal(line.get(name), value) for line, body in pairs for name, value in body.items()
    )


def _words(values: object) -> list[str]:
    return sorted(as_word(value) for value in values) if isinstance(values, list | tuple) else []


def as_word(value: object) -> str:
    """A single value as text, for comparison."""
    if isinstance(value, Decimal | int | float) and not isinstance(value, bool):
        number = decimal_of(str(value))
        return str(value) if number is None else format(number.normalize(), "f")
    return "" if value is None else str(value).strip()
