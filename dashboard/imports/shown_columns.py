"""The columns of a file as its page shows them: where each goes, and what that makes of a row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.imports import targets
from dashboard.imports.import_file import ImportSettings, StoredTable
from dashboard.imports.joining import Joining
from dashboard.imports.rows import CheckedRow
from dashboard.imports.target_names import LOOSE
from dashboard.schema.resource import Resource
from dashboard.tables.cells import Guess
from dashboard.tables.columns import MARK, ORDER, BetterFormat, better_formats
from dashboard.tables.reading import ReadTable


@dataclass(frozen=True)
class ShownColumn:
    """A column of the file. `mark`, `order`: how its numbers or dates are read, None for others.

    `is_used`: whether its field is read from it; if not, `instead` is the column that its field
    takes. `joined`: the headings of all columns of its text, at each of them where these are
    several; `joiner`: what is between them, at the first one, which the person `may_choose`.
    `becomes`: what the first row has in its field, at the first one.
    """

    index: int
    title: str
    samples: str
    target: str
    mark: Guess[str] | None
    order: Guess[str] | None
    is_used: bool
    instead: str
    joined: tuple[str, ...]
    joiner: str
    may_choose: bool
    becomes: str


def shown_columns(
    table: StoredTable,
    choices: ImportSettings,
    resource: Resource,
    workspace: str,
    first: CheckedRow | None,
) -> list[ShownColumn]:
    """All columns of the file. `first`: its first row as it was read."""
    joining = Joining(resource, workspace, choices.joins)
    fields = choices.fields or {}
    places = joining.places(fields, len(table.columns))
    texts = _texts(first, targets.words_of_fields(resource))
    found: list[ShownColumn] = []
    for index, column in enumerate(table.columns):
        target = fields.get(str(index), "")
        field = targets.field_of(resource, target, workspace)
        indexes = places.get(target, ())
        titles = tuple(table.columns[one].title for one in indexes)
        is_used, is_first = index in indexes, indexes[:1] == (index,)
        is_joined = is_used and len(indexes) > 1 and target != LOOSE
        found.append(
            ShownColumn(
                index=index,
                title=column.title,
                samples=table.samples[index],
                target=target,
                mark=column.mark if isinstance(field, targets.NUMBERS) else None,
                order=column.order if isinstance(field, targets.DATES) else None,
                is_used=is_used,
                instead=titles[0] if titles and not is_used else "",
                joined=titles if is_joined else (),
                joiner=joining.joiner(target) if is_joined and is_first else "",
                may_choose=joining.may_choose(target),
                becomes=texts.get(target, "") if is_first else "",
            )
        )
    return found


def other_ways(
    columns: Iterable[ShownColumn], table: ReadTable, rows: Sequence[CheckedRow]
) -> list[tuple[ShownColumn, str, BetterFormat]]:
    """The columns with cells that cannot be read, each with a kind and a better way of it."""
    wrong = {name for row in rows if not row.is_left for name in row.errors}
    return [
        (column, kind, way)
        for column in columns
        if column.is_used and column.target in wrong
        for kind, guess in ((MARK, column.mark), (ORDER, column.order))
        if guess
        for way in better_formats(
            kind, [row.cells[column.index] for row in table.rows], guess.value
        )
    ]


def _texts(row: CheckedRow | None, words: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What a row has in each field, in words."""
    if row is None:
        return {}
    texts = {name: words.get(name, {}).get(text, text) for name, text in row.texts.items()}
    return {**texts, **row.shown}
