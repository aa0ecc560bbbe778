"""The columns of a file on its page: their targets, and their values in the first row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.text import Truncator

from dashboard.imports.guessing import name_groups, targets_by_heading
from dashboard.imports.import_file import ImportFile
from dashboard.imports.questions import Reading, Readings
from dashboard.imports.rows import CheckedRow
from dashboard.imports.targets import CHARGE, EXTRA_NOTES, NAME, Target
from dashboard.office.reference_fields import ReferenceField
from dashboard.schema.inputs import DayField
from dashboard.tables import headings
from dashboard.tables.cells import Cell, cell_text
from dashboard.tables.columns import MARK, ORDER
from dashboard.tables.reading import TableColumn
from dashboard.text.dates import format_date, iso_date

MAX_SAMPLES, MAX_SAMPLE_LENGTH = 3, 40  # values of a column; characters


@dataclass
class ShownColumn:
    """A column of the file; `target` is None if it is left out.

    `is_used`: whether its target is read from it; `instead` says which column is used in place of
    it. `joined`: the headings of all columns of its text, if there are several; `joiner`: the text
    between them, at the first one. `becomes`: the value of the first row, at the first one.
    `formats`: its number or date format, by kind.
    """

    index: int
    column: TableColumn
    samples: str
    target: Target | None
    is_used: bool = False
    instead: str = ""
    joined: tuple[str, ...] = ()
    joiner: str = ""
    becomes: str = ""
    formats: Mapping[str, Reading] = field(default_factory=dict)


def shown_columns(
    file: ImportFile, first: CheckedRow | None, readings: Readings
) -> list[ShownColumn]:
    table = file.table
    by_heading = targets_by_heading(file.targets)
    found: list[ShownColumn] = []
    for index, column in enumerate(table.columns):
        target = file.targets.get(file.fields.get(str(index), ""))
        by_title, _ = by_heading.get(headings.normalise(column.title), ("", 0))
        meant = target.name if target else by_title
        indexes = file.columns.get(meant, ())
        samples = _samples(row.cells[index] for row in table.rows)
        shown = ShownColumn(index, column, samples, target, is_used=index in indexes)
        found.append(shown)
        if not target or not shown.is_used:
            if indexes:
                first_title = table.columns[indexes[0]].title
                shown.instead = f"Not used: {file.targets[meant].label} takes {first_title}."
            continue
        groups = name_groups(table, indexes) if meant == NAME else [[*indexes]]
        group = next(group for group in groups if index in group)
        if len(group) > 1 and target.name not in (CHARGE, EXTRA_NOTES):
            shown.joined = tuple(table.columns[one].title for one in group)
            shown.joiner = target.joiner if index == group[0] else ""
        if group != groups[0]:
            shown.instead = f"Used where {table.columns[groups[0][0]].title} is blank"
        if first and index == groups[0][0]:
            shown.becomes = caption(target, first)
        kinds = readings.by_column[index]
        shown.formats = {kind: kinds[kind] for kind in (MARK, ORDER) if kind in kinds}
    return found


def _samples(cells: Iterable[Cell]) -> str:
    texts = (" ".join(cell_text(cell).split()) for cell in cells)
    found: dict[str, None] = {}
    for text in filter(None, texts):
        found[Truncator(text).chars(MAX_SAMPLE_LENGTH)] = None
        if len(found) == MAX_SAMPLES:
            break
    return ", ".join(found)


def caption(target: Target, row: CheckedRow) -> str:
    """Return the value of a cell as the page of a record shows it."""
    if target.name not in row.cells:
        return ""
    cell = row.cells[target.name]
    if isinstance(target.field, DayField) and (day := iso_date(cell.text)):
        return format_date(day)
    if isinstance(target.field, ReferenceField) and not cell.error:
        return target.field.caption(cell.text)
    return cell.name or (target.choices or {}).get(cell.text, cell.text)
