"""Plans the import of a table into a list, line by line, without changing anything."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError

from dashboard.text.numbers import write_plain

from . import editing
from .editing import Values
from .forms import WORDS_OF_RETIRED, EntryForm, complete
from .kinds import Kind
from .models import ListEntry
from .spreadsheets import HEADINGS, Table, parse

ADD, CHANGE, SAME, WRONG = "add", "change", "same", "wrong"


@dataclass(frozen=True)
class Planned:
    """One line of the table: what importing it would do, or what is wrong with it.

    `changes`: (column, present value, new value).
    """

    line: int
    code: str
    name: str
    action: str
    values: Values = field(default_factory=dict)
    changes: tuple[tuple[str, str, str], ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What importing a whole table would do."""

    kind: Kind
    rows: tuple[Planned, ...]
    ignored: tuple[str, ...]

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of lines by action."""
        return Counter(row.action for row in self.rows)

    @property
    def news(self) -> list[Planned]:
        """The lines that would be applied."""
        return [row for row in self.rows if row.action in (ADD, CHANGE)]

    @cached_property
    def fingerprint(self) -> str:
        """Differs as soon as the table, or what importing it would do, has changed."""
        told = [(row.line, row.action, sorted(map(repr, row.values.items()))) for row in self.rows]
        return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


def plan(workspace: str, kind: Kind, text: str) -> Plan:
    """What importing this text would do. Raises UnreadableTable."""
    table = parse(kind, text)
    reader = _Reader(workspace, kind, table)
    return Plan(kind, tuple(reader.read(line, cells) for line, cells in table.rows), table.ignored)


def apply(workspace: str, plan: Plan) -> None:
    """Add and change as planned, without the lines that are wrong."""
    editing.save_entries(workspace, plan.kind, [row.values for row in plan.news])


class _Reader:
    """Reads lines of a table with the fields that the entry's own page uses."""

    def __init__(self, workspace: str, kind: Kind, table: Table) -> None:
        self.kind = kind
        self.fields = EntryForm(workspace=workspace, kind=kind).fields
        self.columns = table.columns
        self.known = {entry.code: entry for entry in editing.entries_of(workspace, kind)}
        self.lines: dict[str, int] = {}

    def read(self, line: int, cells: dict[str, str]) -> Planned:
        values, errors = self._clean(cells)
        code, name = str(values.get("code", cells.get("code", ""))), cells.get("name", "").strip()
        if not errors and code in self.lines:
            errors.append(f"Line {self.lines[code]} has the same {self._key()} already.")
        if errors:
            return Planned(line, code, name, WRONG, errors=tuple(errors))
        self.lines[code] = line
        entry = self.known.get(code)
        if entry is None:
            return Planned(line, code, name, ADD, values)
        changes = tuple(_changes(entry, values))
        return Planned(line, code, name, CHANGE if changes else SAME, values, changes)

    def _key(self) -> str:
        return "id" if "code" in self.fields else "name"

    def _clean(self, cells: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
        values: dict[str, Any] = {}
        errors = [f"There is more than the columns hold: {cells['']}"] if "" in cells else []
        for column in self.columns:
            try:
                values[column] = self._value(column, cells.get(column, ""))
            except ValidationError as error:
                errors += [f"{HEADINGS[column].capitalize()}: {words}" for words in error.messages]
        if not errors:
            try:
                values = complete(self.kind, values)
            except ValidationError as error:
                errors += error.messages
        return values, errors

    def _value(self, column: str, cell: str) -> Any:
        if column == "retired":
            if cell.strip().lower() not in WORDS_OF_RETIRED:
                raise ValidationError("Write yes or no.")
            return WORDS_OF_RETIRED[cell.strip().lower()]
        wanted = self.fields[column]
        return wanted.clean(wanted.widget.value_from_datadict({column: cell}, {}, column))


def _changes(entry: ListEntry, values: Values) -> list[tuple[str, str, str]]:
    return [
        (HEADINGS[name], _words(name, getattr(entry, name)), _words(name, value))
        for name, value in values.items()
        if name in editing.CHANGEABLE and getattr(entry, name) != value
    ]


def _words(name: str, value: Any) -> str:
    if name == "retired":
        return "yes" if value else "no"
    if name in ("price", "rate"):
        return write_plain(value)
    return ", ".join(value) if isinstance(value, list) else str(value)
