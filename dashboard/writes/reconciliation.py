"""Searches the service for the result of a write whose outcome is unknown."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeGuard

from dashboard.gateway import GatewayError, Record, Unreadable, decimal_of
from dashboard.gateway.api import LINE_FIELDS
from dashboard.gateway.records import LINE_KEYS
from dashboard.people.context import RequestContext
from dashboard.reader.all_rows import all_rows
from dashboard.schema.resource import DuplicateSearch, Resource
from dashboard.text.plain import folded

MAX_READ = 20  # candidates that are read in detail
# What names the item of a line: a service may write the name by its own list.
LINE_ITEM = tuple(
    field.name
    for field in LINE_FIELDS
    if field.required and field.kind != "number" and not field.choices
)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Candidate:
    """A record that a create may have made.

    same, differing: the names of sent fields with equal and with other values, including computed
    ones. A field that cannot be read is in neither.
    """

    record: Record
    same: list[str]
    differing: list[str]


@dataclass(frozen=True)
class Verification:
    """The service's data on a write: candidates of a create, or the record of another write.

    saved_id: of the record that proves the write. problem: why it could not be read. gone: the
    record no longer exists. complete: the search read all rows. sealed: the sent content cannot be
    decrypted, so nothing was compared.
    """

    candidates: Sequence[Candidate] = field(default_factory=tuple)
    problem: GatewayError | None = None
    gone: bool = False
    complete: bool = True
    sealed: bool = False
    saved_id: int | None = None


def find_candidates(ctx: RequestContext, resource: Resource, body: Body) -> Verification:
    """Return the records that an unanswered create may have made, most similar first. Raises as
    `Gateway.list`.
    """
    search, sent = resource.duplicate_search, sent_record(resource, body)
    query = search.ask(body)
    read = all_rows(ctx.gateway, resource.endpoint, **query, fresh=True)
    similar = sorted(
        (row for row in read.records if _is_duplicate(search, row, body)), key=lambda row: -row.id
    )
    computed = search.computed(sent, ctx) if similar else {}
    expected = {**body, **computed}
    similar.sort(key=lambda row: len(compare(row, expected).differing))  # stable: newest first
    records = [_full_record(ctx, resource, row) for row in similar[:MAX_READ]]
    compared = (compare(record, expected) for record in [*records, *similar[MAX_READ:]])
    candidates = [candidate for candidate in compared if _may_be_duplicate(search, candidate)]
    most_similar_first = sorted(candidates, key=lambda each: len(each.differing))
    return Verification(most_similar_first, complete=read.ended)


def sent_record(resource: Resource, body: Body) -> Record:
    """Return a body as a record, whose fields are read and displayed by their kinds."""
    return Record(dict(body), resource.endpoint.kinds)


def search_texts(resource: Resource, *sources: Body) -> tuple[str, ...]:
    """Return the texts that find a record with one of these bodies."""
    texts = [
        text
        for body in sources
        for text in (
            body.get(resource.title_field),
            resource.duplicate_search.ask(body).get("search"),
        )
        if text
    ]
    return tuple(dict.fromkeys(texts))


def may_be_created(resource: Resource, record: Record, body: Body, number: str = "") -> bool:
    """Return True if a create with this body may have made the record.

    A record with the sent title matches. Another does not if a field differs that is the same for
    all duplicates or, unless it has the `number` in the answer, that every create must have; or if
    several of the telling fields differ and none agrees.
    """
    endpoint, search = resource.endpoint, resource.duplicate_search
    title = _folded(record.get(resource.title_field))
    if is_title(resource, body, title):
        return True
    names = {*search.same.values()}
    if not title or title != _folded(number):
        names |= {field.name for field in endpoint.create if field.required} | {*endpoint.one_of}
    names &= body.keys()
    if any(_contradicts(record, name, body[name]) for name in names):
        return False
    comparison = compare(record, {name: body[name] for name in search.telling if name in body})
    return bool(comparison.same) or len(comparison.differing) < 2


def is_title(resource: Resource, body: Body, title: str) -> bool:
    """Return True if this is the sent title, in any case."""
    return bool(title) and _folded(title) == _folded(body.get(resource.title_field))


def was_updated(record: Record, body: Body) -> bool:
    """Return True if every field in the body of an update has that value in the record."""
    fields = {name: value for name, value in body.items() if not _is_lines(value)}
    lines = [value for value in body.values() if _is_lines(value)]
    as_sent = all(is_equal(record.get(name), value) for name, value in fields.items())
    return bool(body) and as_sent and all(_same_lines(record.lines, value) for value in lines)


def differing_fields(record: Record, body: Body) -> list[str]:
    """Return the names of fields whose readable value differs from the one sent."""
    return [name for name, value in body.items() if _differs(record, name, value)]


def contradicted_fields(record: Record, body: Body) -> list[str]:
    """Return the names of fields with another value, ignoring case and omissions by the service."""
    return [name for name, value in body.items() if _contradicts(record, name, value)]


def values_of(record: Record, names: Iterable[str]) -> dict[str, object]:
    """Return values of a record, with its lines as they were read."""
    lines = [line.raw for line in record.lines]
    return {name: lines if name in LINE_KEYS else record.get(name) for name in names}


def values_as_text(record: Record, names: Iterable[str]) -> dict[str, str]:
    """Return values of a record as texts, for comparison and display."""
    return {name: as_text(value) for name, value in values_of(record, names).items()}


def as_data(value: object) -> Any:
    """Return a value for the history: a text, but lines and custom fields as texts by name."""
    if isinstance(value, Mapping):
        return {str(name): as_text(item) for name, item in value.items()}
    if _is_lines(value) and isinstance(value, list | tuple):
        return [as_data(line) for line in value]
    return as_text(value)


def as_text(value: object) -> str:
    """Return any value as text; equal values give equal texts."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {as_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ("\n" if _is_lines(value) else ", ").join(as_text(item) for item in value)
    return as_word(value)


def is_equal(found: object, sent: object) -> bool:
    """Return True if a value that was read equals the one sent; None and "" are equal."""
    if isinstance(sent, list | tuple):
        return _words(found) == _words(sent)
    if isinstance(sent, Mapping):
        values = found if isinstance(found, Mapping) else {}
        return all(is_equal(values.get(name), value) for name, value in sent.items())
    return as_word(found) == as_word(sent)


def _full_record(ctx: RequestContext, resource: Resource, row: Record) -> Record:
    if not ctx.gateway.supports(resource.endpoint, "get"):
        return row
    try:
        return ctx.gateway.get(resource.endpoint, row.id)
    except GatewayError:
        return row


def compare(record: Record, expected: Body) -> Candidate:
    """Compare a record with the values sent."""
    comparable = [name for name, value in expected.items() if _is_comparable(record, name, value)]
    differing = [name for name in comparable if _differs(record, name, expected[name])]
    return Candidate(record, [name for name in comparable if name not in differing], differing)


def _is_comparable(record: Record, name: str, value: object) -> bool:
    if as_text(value) == "":
        return False
    if _is_lines(value):
        return record.lines_complete
    return name in record and not isinstance(record.get(name), Unreadable)


def _may_be_duplicate(search: DuplicateSearch, candidate: Candidate) -> bool:
    """Return True if a telling field agrees, or none can be compared."""
    telling = set(search.telling)
    agrees = telling.intersection(candidate.same)
    return bool(agrees) or not telling.intersection(candidate.differing)


def _is_duplicate(search: DuplicateSearch, record: Record, body: Body) -> bool:
    pairs = ((record.get(read), body.get(sent)) for read, sent in search.same.items())
    return all(isinstance(value, Unreadable) or is_equal(value, sent) for value, sent in pairs)


def _contradicts(record: Record, name: str, sent: object) -> bool:
    """Return True if a field has another value. A service may omit a field, change the case of a
    text, and name the item of a line by its own list.
    """
    if _is_lines(sent):
        return record.lines_complete and not _alike_lines(record.lines, sent)
    value = record.get(name)
    if value is None or isinstance(value, Unreadable):
        return False
    return not is_equal(value, sent) and _folded(value) != _folded(sent)


def _alike_lines(found: Sequence[Record], sent: Sequence[Body]) -> bool:
    pairs = zip(found, sent, strict=False)
    return len(found) == len(sent) and all(_alike_line(line, body) for line, body in pairs)


def _alike_line(line: Record, sent: Body) -> bool:
    numbers = [name for name in sent if isinstance(line.get(name), Decimal)]
    items = [name for name in LINE_ITEM if name in line and name in sent]
    return all(is_equal(line[name], sent[name]) for name in numbers) and (
        not items or any(_folded(line[name]) == _folded(sent[name]) for name in items)
    )


def _folded(value: object) -> str:
    return folded(as_word(value))


def _differs(record: Record, name: str, sent: object) -> bool:
    if _is_lines(sent):
        return record.lines_complete and not _same_lines(record.lines, sent)
    value = record.get(name)
    return name in record and not isinstance(value, Unreadable) and not is_equal(value, sent)


def _is_lines(value: object) -> TypeGuard[Sequence[Body]]:
    return isinstance(value, list | tuple) and any(isinstance(line, Mapping) for line in value)


def _same_lines(found: Sequence[Record], sent: Sequence[Mapping[str, Any]]) -> bool:
    pairs = zip(found, sent, strict=False)
    return len(found) == len(sent) and all(
        is_equal(line.get(name), value) for line, body in pairs for name, value in body.items()
    )


def _words(values: object) -> list[str]:
    return sorted(as_word(value) for value in values) if isinstance(values, list | tuple) else []


def as_word(value: object) -> str:
    if isinstance(value, Decimal | int | float) and not isinstance(value, bool):
        number = decimal_of(str(value))
        return str(value) if number is None else format(number.normalize(), "f")
    text = "" if value is None else str(value).strip()
    return text.replace("T", " ") if _MOMENT.fullmatch(text) else text
