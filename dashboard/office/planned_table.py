"""A table that is shown line by line before it is applied: the form, and the plan."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django import forms

from dashboard.tables.errors import UnreadableTable

from . import spreadsheets

WRONG = "wrong"  # the action of a line that is left out


@dataclass(frozen=True)
class PlannedLine:
    """A line of a table: its number, what it would do, its values by field, and what is wrong.

    `changes`: (column, present value, new value).
    """

    line: int
    action: str
    values: Mapping[str, Any] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    code: str = ""
    name: str = ""
    changes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Plan:
    """What a whole table would do; `ignored` are columns that are not read."""

    rows: tuple[PlannedLine, ...]
    ignored: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of lines by action."""
        return Counter(row.action for row in self.rows)

    def of(self, *actions: str) -> list[PlannedLine]:
        """The lines with one of these actions."""
        return [row for row in self.rows if row.action in actions]

    @cached_property
    def fingerprint(self) -> str:
        """Differs as soon as the table, or what it would do, has changed."""
        rows = [(row.line, row.action, sorted(map(repr, row.values.items()))) for row in self.rows]
        return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()


class TableForm(forms.Form):
    """A file or a pasted table; the file is read if there are both. `note`: how it was read."""

    use_required_attribute = False

    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS).",
    )
    text = forms.CharField(
        label="Or paste the table",
        required=False,
        strip=False,
        max_length=spreadsheets.MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off"}),
    )

    note = ""

    def clean(self) -> dict[str, Any]:
        """The cleaned data, with the table of the file under "text"."""
        file = self.cleaned_data.get("file")
        if file:
            try:
                data = file.read(spreadsheets.MOST_BYTES + 1)
                self.cleaned_data["text"], self.note = spreadsheets.decode(data)
            except UnreadableTable as error:
                self.add_error("file", str(error))
        elif not self.errors and not self.cleaned_data["text"].strip():
            self.add_error("file", "Choose a file, or paste the table below.")
        return self.cleaned_data

    def plan(self, read: Callable[[str], Plan]) -> Plan | None:
        """What `read` makes of the table; None if the form is not valid, also as its table cannot
        be read.
        """
        if not self.is_valid():
            return None
        try:
            return read(self.cleaned_data["text"])
        except UnreadableTable as error:
            self.add_error("file" if self.cleaned_data.get("file") else "text", str(error))
            return None

    def show_text_of_file(self) -> None:
        """Show what was read of a file as the text, which can be put right and counts from now."""
        if self.is_bound and self.files and self.cleaned_data.get("text"):
            self.data = {name: text for name, text in self.cleaned_data.items() if name != "file"}
