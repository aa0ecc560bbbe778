"""Guesses the target of each column by its heading, or by its cells in a table without headings."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from dashboard.imports.targets import (
    BUSINESSES,
    CHARGE,
    CONTACT_TYPE,
    DATES,
    DESCRIPTION,
    DISCOUNT,
    FILE_TOTAL,
    ID,
    ITEM_ID,
    ITEM_NAME,
    LINE_TOTAL,
    NAME,
    OVERALL_DISCOUNT,
    PARTS_OF_NAME,
    PRICE,
    SUBTOTAL,
    Target,
)
from dashboard.reader.identity import PHONE
from dashboard.resources.quick_entry_grammar import EMAIL
from dashboard.schema.inputs import MomentField
from dashboard.schema.phones import NotAPhone, has_digits_of_phone, read_phone
from dashboard.schema.pickers import PickerField
from dashboard.tables import headings
from dashboard.tables.cells import Cell, Row, cell_text, is_blank
from dashboard.tables.columns import is_day, time_of
from dashboard.tables.reading import ReadTable, column_name
from dashboard.text.amounts import is_amount
from dashboard.text.plain import folded

SAMPLE_SIZE = 20  # cells of a column
MONEY = (PRICE, "line:discount", "overall_discount", "file:")
LAST = 1_000  # rank of a heading
_CODE_OF_DIGITS = re.compile(r"\+[0-9]{6}|0[0-9]")  # such as a phone number
_NO_AMOUNT = re.compile(
    r"(?i:(?:code|number|nummer|phone|zip|plz)\W*$)|[a-z]ID$|^#$"
    r"|(?i:(?:^|[\W_])(?:id|no|nr|year|page|line|row|pos|position)\W*$)"
)
_OF_LINE = re.compile("line|item|position")  # at the start of a heading
_CODE = re.compile(r"[\w-]+")  # with a digit, such as 10023, cus_9s6XKzkNRiz8i3


def guess_fields(table: ReadTable, targets: Mapping[str, Target]) -> dict[str, str]:
    """Guess the target of each column; "" for none. Columns of one text are joined; redundant ones
    are left out, and all but the best one for a target that takes one.
    """
    found = dict.fromkeys(map(str, range(len(table.columns))), "")
    if not table.header.value:
        names = [name for name in (NAME, "lead_company_name") if name in targets]
        return found | _fields_by_cells(table, targets, range(len(table.columns)), names)
    named = _columns_by_name(table, targets)
    if CHARGE in targets:
        _name_documents(table, targets, named)
        _split_totals(table, targets, named)
        _split_discounts(table, named)
    if NAME in named:
        _split_names(table, targets, named)
    elif NAME in targets:
        business = next((name for name in BUSINESSES if name in named), "")
        named[NAME] = named.pop(business, [])[:1]
    for name, indexes in named.items():
        found |= dict.fromkeys(map(str, _chosen_columns(table, targets[name], indexes)), name)
    used = {name for name, indexes in named.items() if indexes}
    untitled = [
        index for index, each in enumerate(table.columns) if each.title == column_name(index)
    ]
    by_cells = _fields_by_cells(table, targets, untitled, ())
    found |= {index: name for index, name in by_cells.items() if name not in used}
    if CHARGE in targets:
        found |= _guess_amounts(table, targets, found)
    return found


def price_by_numbers(
    table: ReadTable, fields: Mapping[str, str], targets: Mapping[str, Target]
) -> str:
    found = next((index for index, name in fields.items() if name == PRICE), "")
    title = headings.normalise(table.columns[int(found)].title) if found else ""
    is_known = not found or title in (
        headings.normalise(targets[PRICE].label),
        *targets[PRICE].aliases,
    )
    return "" if is_known else found


def _guess_amounts(
    table: ReadTable, targets: Mapping[str, Target], fields: Mapping[str, str]
) -> dict[str, str]:
    """Guess the meaning of columns of a document with unknown headings and numbers: the price, if
    there is none, and amounts without a field. The person is asked about both.
    """
    unknown = [*map(str, _unknown_amounts(table, targets, fields))]
    used = {*fields.values()}
    is_priced = PRICE in used or not used & {ITEM_NAME, ITEM_ID}
    prices = [] if is_priced else unknown[:1]
    return {**dict.fromkeys(unknown, CHARGE), **dict.fromkeys(prices, PRICE)}


def _unknown_amounts(
    table: ReadTable, targets: Mapping[str, Target], fields: Mapping[str, str]
) -> Iterator[int]:
    """Yield the columns without a target whose cells may be money: those with an unknown heading,
    and those that have a value where the column that was chosen for theirs is blank.
    """
    by_heading = targets_by_heading(targets)
    for index, column in enumerate(table.columns):
        name, _ = by_heading.get(headings.normalise(column.title), ("", 0))
        chosen = [int(other) for other, field in fields.items() if field == name]
        fills = name.startswith(MONEY) and any(
            not is_blank(row.cells[index]) and all(is_blank(row.cells[one]) for one in chosen)
            for row in table.rows
        )
        is_known = (name and not fills) or _NO_AMOUNT.search(column.title)
        if not fields[str(index)] and not is_known and _has_amounts(table, index):
            yield index


def _has_amounts(table: ReadTable, index: int) -> bool:
    texts = (cell_text(row.cells[index]).strip().removesuffix("%") for row in table.rows)
    figures = [text for text in texts if any(map(str.isdigit, text))]
    return bool(figures) and all(
        is_amount(text) and not _CODE_OF_DIGITS.match(text) for text in figures
    )


def _name_documents(
    table: ReadTable, targets: Mapping[str, Target], named: dict[str, list[int]]
) -> None:
    """Take "Name" beside another column of items as the customer, or as the number of the document,
    and a description as the item if there is no other.
    """
    items = named.get(ITEM_NAME, [])
    names = [index for index in items if headings.normalise(table.columns[index].title) == "name"]
    if names and len(items) > 1:
        named[ITEM_NAME] = [index for index in items if index not in names]
        number, *_ = targets
        named.setdefault(number if _most(table, names[0], _is_code) else "customer_id", names)
    has_code = any(_first_cells(table, index) for index in named.get(ITEM_ID, ()))
    if not items and not has_code and DESCRIPTION in named:
        named[ITEM_NAME], named[DESCRIPTION] = named[DESCRIPTION][:1], named[DESCRIPTION][1:]


def _split_totals(
    table: ReadTable, targets: Mapping[str, Target], named: dict[str, list[int]]
) -> None:
    """Take a heading that says more, such as "Grand total" beside "Total", as the total of the
    document, and compare the amounts beside it with the lines, or with the sum before tax.
    """
    indexes = named.get(FILE_TOTAL, [])
    if len(indexes) < 2:
        return
    kept, words = without_repeats(table, sorted(indexes)), targets[FILE_TOTAL].aliases

    def is_plain(index: int) -> bool:
        title = headings.normalise(table.columns[index].title)
        return not any(word in title and word != title for word in words)

    total, *others = sorted(kept, key=lambda index: (is_plain(index), indexes.index(index)))
    named[FILE_TOTAL] = [total]
    free = (name for name in (LINE_TOTAL, SUBTOTAL) if name not in named)
    named |= {name: [index] for name, index in zip(free, others, strict=False)}


def _split_discounts(table: ReadTable, named: dict[str, list[int]]) -> None:
    """Take "Discount" beside "Item discount" as that of the document."""
    indexes = named.get(DISCOUNT, [])
    of_lines = [
        index for index in indexes if _OF_LINE.match(headings.normalise(table.columns[index].title))
    ]
    others = [index for index in indexes if index not in of_lines]
    if of_lines and others and OVERALL_DISCOUNT not in named:
        named[DISCOUNT], named[OVERALL_DISCOUNT] = of_lines, others


def names_businesses(
    table: ReadTable, fields: Mapping[str, str], targets: Mapping[str, Target]
) -> bool:
    """Return whether the names of the table are of businesses, by the heading of their column."""
    by_heading = targets_by_heading(targets)
    titles = (column.title for index, column in enumerate(table.columns)
              if fields.get(str(index)) == NAME)  # fmt: skip
    named = [by_heading.get(headings.normalise(title), ("",))[0] in BUSINESSES for title in titles]
    return CONTACT_TYPE in targets and bool(named) and all(named)


def targets_by_heading(targets: Mapping[str, Target]) -> dict[str, tuple[str, int]]:
    """Return the name of the target for each of its normalised headings, and the rank of the
    heading: 0 for the best, as for labels. Names such as "customer_id" and labels come first.
    """
    found = {headings.normalise(name): (name, LAST) for name in targets}
    found |= {headings.normalise(target.label): (name, 0) for name, target in targets.items()}
    for name, target in targets.items():
        for rank, alias in enumerate(target.aliases):
            found.setdefault(alias, (name, rank))
    return found


def _columns_by_name(table: ReadTable, targets: Mapping[str, Target]) -> dict[str, list[int]]:
    by_heading = targets_by_heading(targets)
    found: dict[str, list[tuple[int, int]]] = {}
    for index, column in enumerate(table.columns):
        if named := by_heading.get(headings.normalise(column.title)):
            found.setdefault(named[0], []).append((named[1], index))
    return {name: [index for _, index in sorted(ranked)] for name, ranked in found.items()}


def _chosen_columns(table: ReadTable, target: Target, indexes: Sequence[int]) -> list[int]:
    """Return the columns of a target, of all that its headings name, the best one first."""
    if len(indexes) < 2:
        return [*indexes]
    kept = without_repeats(table, sorted(indexes))
    if isinstance(target.field, MomentField):
        times = [index for index in kept if _most(table, index, _is_time)]
        days = [index for index in kept if index not in times]
        return sorted(days, key=indexes.index)[:1] + sorted(times, key=indexes.index)[:1]
    if target.name == CHARGE:
        return [*indexes]
    if target.joiner:
        return kept
    if isinstance(target.field, PickerField):  # a code beside a name is one of the other program
        kept = [index for index in kept if not _most(table, index, _is_code)] or kept
    return [min(kept, key=indexes.index)]


def _split_names(
    table: ReadTable, targets: Mapping[str, Target], named: dict[str, list[int]]
) -> None:
    """Keep the columns with the name of a person, and those that replace it where it is blank. A
    column with other names is that of the businesses, if no other one is.
    """
    person, *others = name_groups(table, named[NAME])
    named[NAME] = [*person]
    businesses = [name for name in BUSINESSES if name in targets and name not in named]
    for group in others:
        if businesses and not _is_same_name(table, person, group):
            named[businesses.pop()] = group
        elif any(_name(row, group) and not _name(row, person) for row in table.rows):
            named[NAME] += group


def name_groups(table: ReadTable, indexes: Sequence[int]) -> list[list[int]]:
    """Return the columns that make one name each, such as a whole name, or first and last name. The
    name of the person is the first, others may be of a business or the same in another spelling.
    """
    titles = {index: headings.normalise(table.columns[index].title) for index in indexes}
    whole, given, last = (headings.aliases("people", name) for name in (NAME, *PARTS_OF_NAME))
    parts = [index for index in sorted(indexes) if titles[index] not in whole]
    wholes = sorted({*indexes} - {*parts}, key=lambda index: whole.index(titles[index]))
    has_given, has_last = (
        any(titles[index] in words for index in parts) for words in (given, last)
    )
    if has_given != has_last:  # the other half is such as "Nom" beside "Prénom"
        parts, wholes = sorted([*parts, *wholes[:1]]), wholes[1:]
    groups = [[index] for index in wholes]
    if parts:
        groups.append(parts)
    if len(groups) == 1:
        return groups
    same = [group for group in groups if _is_same_name(table, groups[-1], group)]
    person = min(same, key=lambda group: _has_comma(table, group))
    return [person, *(group for group in groups if group != person)]


def _is_same_name(table: ReadTable, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two groups of columns name the same in all rows, or less of it."""
    names = ((_name(row, one), _name(row, other)) for row in table.rows)
    return all(first <= second or second <= first for first, second in names)


def _name(row: Row, group: Sequence[int]) -> set[str]:
    return {word for index in group for word in _words(cell_text(row.cells[index])).split()}


def _has_comma(table: ReadTable, group: Sequence[int]) -> bool:
    return any("," in cell_text(row.cells[index]) for row in table.rows for index in group)


def without_repeats(table: ReadTable, indexes: Sequence[int]) -> list[int]:
    """Drop redundant columns of a field, in the order of the file: blank ones, and such as a first
    name beside the whole name. The first one remains if all are blank.
    """
    cells = [[_words(cell_text(row.cells[one])) for one in indexes] for row in table.rows]
    filled = [place for place in range(len(indexes)) if any(row[place].strip() for row in cells)]

    def repeats(place: int, other: int) -> bool:
        is_part = all(row[place] in row[other] for row in cells)
        is_same = all(row[place] == row[other] for row in cells)
        return is_part and place != other and (not is_same or other < place)

    kept = [one for one in filled if not any(repeats(one, other) for other in filled)]
    return [indexes[place] for place in kept or [0]]


def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"[^\W_]+", folded(text)), ""])


def _fields_by_cells(
    table: ReadTable, targets: Mapping[str, Target], indexes: Iterable[int], names: Sequence[str]
) -> dict[str, str]:
    """Guess the fields of columns by most of their first cells. `names`: the targets of the first
    other texts.
    """
    day = next((name for name, each in targets.items() if isinstance(each.field, DATES)), "")
    contents = {ID: _is_id, day: is_day, "cstemail": _is_email, PHONE: _is_phone}
    rest, found = iter(names), dict[str, str]()
    for index in indexes:
        is_of = (
            name for name in contents if name in targets and _most(table, index, contents[name])
        )
        name = next(is_of, "")
        if not name and _first_cells(table, index):
            name = next(rest, "")
        found[str(index)] = "" if name in found.values() else name
    return found


def _most(table: ReadTable, index: int, is_one: Callable[[Cell], bool]) -> bool:
    cells = _first_cells(table, index)
    return sum(map(is_one, cells)) * 2 > len(cells)


def _first_cells(table: ReadTable, index: int) -> list[Cell]:
    cells = (row.cells[index] for row in table.rows)
    return [*islice((cell for cell in cells if not is_blank(cell)), SAMPLE_SIZE)]


def _is_id(cell: Cell) -> bool:
    return re.fullmatch("#[0-9]+", cell_text(cell).strip()) is not None


def _is_email(cell: Cell) -> bool:
    return EMAIL.fullmatch(cell_text(cell).strip()) is not None


def _is_phone(cell: Cell) -> bool:
    text = cell_text(cell)
    try:
        return has_digits_of_phone(text) and bool(read_phone(text))
    except NotAPhone:
        return False


def _is_code(cell: Cell) -> bool:
    text = cell_text(cell).strip().removeprefix("#")
    return _CODE.fullmatch(text) is not None and any(map(str.isdigit, text))


def _is_time(cell: Cell) -> bool:
    return time_of(cell) is not None
