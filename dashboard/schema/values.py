"""Values of a record as plain data, and their markup.

A template places `{{ value }}`, which draws itself. This is the one module that writes markup of
records: every text is escaped here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from markupsafe import Markup

from dashboard.core.templates import escaped, icon
from dashboard.gateway import Unreadable
from dashboard.text.dates import format_date, format_datetime
from dashboard.text.numbers import write_number
from dashboard.text.style import PLAIN, Style

MAX_TEXT_LENGTH = 20_000  # characters of one value; the reference's longest text has 2,000
MAX_CELL_LENGTH = 300  # characters of one value in a table
MAX_PARTS = 100
MAX_PARTS_OF_CELL = 20
MAX_DEPTH = 4  # values within values
MAX_ADDRESS_LENGTH = 320  # characters of an email address or phone number that becomes a link


class DisplayValue(NamedTuple):
    """One displayed value; false if it is empty.

    kind: text; lines (text over several lines); nowrap (text on one line); noted (a text with a
    note, `names`, in the colour of `tone`); muted; unseen (for screen readers); status (`tone`
    names its colour in site.css); link (`url`; `late` marks a title that is still looked up, by
    endpoint and id); late (comes after the page, `late` is its marker); person (a name, drawn as
    its initials); parts (several values with `text` between them); pairs (named values); table
    (`text` is its title, `names` its headings, and each part a row of kind "parts"); share (a text,
    and its `share` of a whole, in per cent).
    """

    kind: str
    text: str = ""
    url: str = ""
    tone: str = ""
    late: str = ""
    parts: "tuple[DisplayValue, ...]" = ()
    names: tuple[str, ...] = ()
    share: str = ""

    def __bool__(self) -> bool:
        if self.kind == "table":
            return bool(self.parts)
        return any(self.parts) if self.kind == "parts" else bool(self.text or self.parts)

    def __html__(self) -> str:
        return _MARKUP[self.kind](self)

    @property
    def words(self) -> str:
        if self.kind == "parts":
            return self.text.join(part.words for part in self.parts)
        if self.kind == "noted":
            return " ".join((self.text, *self.names))
        if self.kind == "pairs":
            return "\n".join(f"{name}: {part.words}" for name, part in self.pairs)
        return self.text

    @property
    def pairs(self) -> "list[tuple[str, DisplayValue]]":
        return list(zip(self.names, self.parts, strict=True))


EMPTY = DisplayValue("text")
ELLIPSIS = DisplayValue("muted", "…")


def text(value: object, style: Style = PLAIN, depth: int = 0) -> DisplayValue:  # noqa: C901 - flat
    """Format any value: a number in the person's style, None as nothing, with its line breaks.

    Longer, larger or deeper values than a page can show end in an ellipsis. `depth`: the number of
    values around this one.
    """
    if isinstance(value, str) and "\n" not in value and len(value) <= MAX_TEXT_LENGTH:
        return DisplayValue("text", value) if value else EMPTY  # nearly all cells
    match value:
        case None:
            return EMPTY
        case str():
            text_shown = _cut(value.replace("\r\n", "\n"), MAX_TEXT_LENGTH)
            return DisplayValue("lines" if "\n" in text_shown else "text", text_shown)
        case bool():
            return DisplayValue("text", "Yes" if value else "No")
        case Decimal():
            return DisplayValue("text", write_number(value, style, grouped=True))
        case datetime():
            return DisplayValue("text", format_datetime(value))
        case date():
            return DisplayValue("text", format_date(value))
        case Mapping() | list() | tuple() if depth == MAX_DEPTH and value:
            return ELLIPSIS
        case Mapping():
            return pairs(value, style, depth)
        case list() | tuple():
            return several(text(item, style, depth + 1) for item in value)
        case Unreadable():
            return muted(str(value))
    return DisplayValue("text", str(value))


def muted(words: str) -> DisplayValue:
    return DisplayValue("muted", words)


def awaited(place: str) -> DisplayValue:
    return DisplayValue("late", "…", late=place)


def nowrap(words: str) -> DisplayValue:
    """Return a text that a table cell keeps on one line, such as a date."""
    return DisplayValue("nowrap", words)


def noted(words: str, note: str, tone: str = "muted") -> DisplayValue:
    """Return a text with a note, which is muted or in the colour of `tone`."""
    return DisplayValue("noted", words, tone=tone, names=(note,))


def status(word: str, tone: str) -> DisplayValue:
    """Return a status as a word in a colour; `tone` names the colour in site.css."""
    return DisplayValue("status", word, tone=tone)


def person(name: str) -> DisplayValue:
    return DisplayValue("person", name)


@lru_cache(maxsize=256)  # most rows of a list have one of a few owners
def initials(name: str) -> str:
    words = name.split()
    return "".join(word[0] for word in dict.fromkeys([*words[:1], *words[-1:]])).upper()


def link(url: str, label: str, *, late: str = "") -> DisplayValue:
    """Return a link; `late` marks a label that is still looked up."""
    return DisplayValue("link", label, url=url, late=late)


def email(value: object) -> DisplayValue:
    """Return an email address as a link; any other text as it is."""
    address = text(value)
    is_address = "@" in address.text and len(address.text) <= MAX_ADDRESS_LENGTH
    return link(f"mailto:{address.text}", address.text) if is_address else address


def phone(value: object) -> DisplayValue:
    """Return a phone number as a link; any text without a digit as it is."""
    number = text(value)
    digits = "".join(char for char in number.text if char in "+0123456789")
    return link(f"tel:{digits}", number.text) if 0 < len(digits) <= MAX_ADDRESS_LENGTH else number


def several(values: Iterable[DisplayValue], *, between: str = ", ") -> DisplayValue:
    """Return several values side by side, at most MAX_PARTS and an ellipsis."""
    parts = tuple(islice(values, MAX_PARTS + 1))
    return DisplayValue("parts", between, parts=_first(parts, MAX_PARTS))


def table(
    title: str, headings: Iterable[str], rows: Iterable[Iterable[DisplayValue]]
) -> DisplayValue:
    parts = tuple(several(row) for row in rows)
    return DisplayValue("table", title, names=tuple(headings), parts=parts)


def pairs(value: Mapping[str, object], style: Style = PLAIN, depth: int = 0) -> DisplayValue:
    """Return the names and values of an object, one pair to a line, at most MAX_PARTS."""
    items = list(islice(value.items(), MAX_PARTS))
    names = tuple(_cut(str(name), MAX_CELL_LENGTH) for name, _ in items)
    parts = tuple(text(item, style, depth + 1) for _, item in items)
    if len(value) > MAX_PARTS:
        names, parts = (*names, "…"), (*parts, ELLIPSIS)
    return DisplayValue("pairs", names=names, parts=parts)


def shortened(value: DisplayValue) -> DisplayValue:
    """Return the value cut to the length of a table cell."""
    if not value.parts:
        short = len(value.text) <= MAX_CELL_LENGTH
        return value if short else value._replace(text=_cut(value.text, MAX_CELL_LENGTH))
    parts = _first(tuple(map(shortened, value.parts[: MAX_PARTS_OF_CELL + 1])), MAX_PARTS_OF_CELL)
    return value._replace(parts=parts, names=value.names[: len(parts)])


def _first(parts: tuple[DisplayValue, ...], most: int) -> tuple[DisplayValue, ...]:
    return parts if len(parts) <= most else (*parts[:most], ELLIPSIS)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


# Kinds that a table does not cut to one line.
UNBROKEN = frozenset({"noted", "status", "person", "pairs", "table"})


class Attributes(dict[str, str | bool]):
    """The attributes of an element, which draw themselves without the empty ones."""

    def __html__(self) -> str:
        given = [(name, text) for name, text in self.items() if text]
        drawn = [name if text is True else f'{name}="{escaped(text)}"' for name, text in given]
        return " ".join(drawn)


def _email(text: str) -> str:
    name, at, host = escaped(text).partition("@")
    return f"{name}<wbr>{at}{host}"


def _text(value: DisplayValue) -> str:
    return escaped(value.text)


def _lines(value: DisplayValue) -> str:
    return escaped(value.text).replace("\n", "<br>")


def _span(value: DisplayValue) -> str:
    return f'<span class="{value.kind}">{escaped(value.text)}</span>'


def _noted(value: DisplayValue) -> str:
    css = "wide" if value.tone == "late" else ""  # a phone has no room for the day as well
    words, note = escaped(value.text), escaped(value.names[0])
    return f'<span class="{css}">{words} </span><span class="{value.tone}">{note}</span>'


def _status(value: DisplayValue) -> str:
    return f'<span class="status {value.tone}">{escaped(value.text)}</span>'


def _link(value: DisplayValue) -> str:
    url, text = escaped(value.url), escaped(value.text)
    if value.late:
        late = escaped(value.late)
        return f'<a href="{url}" data-title="{late}"><span class="late-name">{text}</span></a>'
    if url.startswith("mailto:"):
        return f'<a href="{url}" aria-label="{text}">{_email(value.text)}</a>'
    return f'<a href="{url}">{text}</a>'


def _late(value: DisplayValue) -> str:
    return f'<span class="muted late-name" data-cell="{escaped(value.late)}">{_text(value)}</span>'


def _person(value: DisplayValue) -> str:
    short = escaped(initials(value.text))
    return f'<span class="disc" data-initials="{short}">{escaped(value.text)}</span>'


def _parts(value: DisplayValue) -> str:
    return escaped(value.text).join(part.__html__() for part in value.parts)


def _pairs(value: DisplayValue) -> str:
    drawn = (f"<dt>{escaped(name)}</dt><dd>{part.__html__()}</dd>" for name, part in value.pairs)
    return f'<dl class="pairs">{"".join(drawn)}</dl>' if value.parts else ""


def _table(value: DisplayValue) -> str:
    if not value.parts:
        return ""
    title, names = escaped(value.text), [escaped(name) for name in value.names]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = (
        "".join(
            f'<td data-label="{name}">{part.__html__()}</td>'
            for name, part in zip(names, row.parts, strict=False)
        )
        for row in value.parts
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">'
        f'<table class="table labelled"><caption class="unseen">{title}</caption>'
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(f'<tr>{cells}</tr>' for cells in rows)}</tbody></table></div>"
    )


def _share(value: DisplayValue) -> str:
    return (
        '<svg class="share-bar" aria-hidden="true" width="40" height="4">'
        '<rect width="40" height="4"/>'
        f'<rect class="of" width="{escaped(value.share)}" height="4"/></svg>{_text(value)}'
    )


_MARKUP: Mapping[str, Callable[[DisplayValue], str]] = {
    "text": _text,
    "lines": _lines,
    "nowrap": _span,
    "noted": _noted,
    "muted": _span,
    "unseen": _span,
    "status": _status,
    "link": _link,
    "late": _late,
    "person": _person,
    "parts": _parts,
    "pairs": _pairs,
    "table": _table,
    "share": _share,
}


class RowAction(NamedTuple):
    """Action of a row's shortcut key: a link, or a form with hidden fields. No URL: nothing is left
    to do.
    """

    label: str
    key: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()

    def named(self, name: DisplayValue, csrf_input: object, about: DisplayValue = EMPTY) -> Markup:
        """Return the name of a row behind a circle that completes its record, or says that it is
        done.
        """
        return Markup(_ticked(name, self, str(csrf_input), about))  # noqa: S704  # nosec B704


def _ticked(
    name: DisplayValue, action: RowAction, csrf_input: str, about: DisplayValue = EMPTY
) -> str:
    beside = f' <span class="about">· {about.__html__()}</span>' if about else ""
    shown = f'<span class="one">{name.__html__()}{beside}</span>'
    if not action.url:
        done = f'{icon("circle-check")}<span class="unseen">Done: </span>'
        return f'<div class="to-do done">{done}{shown}</div>'
    label, key = escaped(action.label), escaped(action.key)
    fields = (
        f'<input type="hidden" name="{escaped(field)}" value="{escaped(text)}">'
        for field, text in action.fields
    )
    return (
        f'<div class="to-do"><form method="post" action="{escaped(action.url)}">'
        f"{csrf_input}{''.join(fields)}"
        f'<button class="tick" type="submit" data-row-key="{key}" title="{label} ({key})"'
        f' aria-label="{label}: {_text(name)}">{icon("check")}</button></form>{shown}</div>'
    )


class TableRow(NamedTuple):
    """One record of a list: its first value, the other cells, its id, and the action that completes
    it. cells: each with its classes, and whether it is a number, which is never cut.
    """

    title: DisplayValue
    cells: Sequence[tuple[tuple[str, bool], DisplayValue]]
    record_id: int
    tick: RowAction | None


class TableRows(NamedTuple):
    """The rows of a list. may_choose: they have boxes, which static/js/choose_rows.js counts."""

    rows: Sequence[TableRow]
    csrf_input: object
    may_choose: bool

    def __html__(self) -> str:
        hidden = str(self.csrf_input)
        return "".join([_row(row, hidden, may_choose=self.may_choose) for row in self.rows])


def _row(row: TableRow, csrf_input: str, *, may_choose: bool) -> str:
    title = shortened(row.title)
    box = (
        '<td class="pick"><label class="hit"><input type="checkbox" name="chosen"'
        f' value="{row.record_id}" form="bulk" data-row-key="x"'
        f' aria-label="Select {_text(title)}"></label></td>'
        if may_choose
        else ""
    )
    name = (
        _ticked(title, row.tick, csrf_input)
        if row.tick
        else f'<span class="one">{title.__html__()}</span>'
    )
    cells = "".join([_cell(*place, value) for place, value in row.cells])
    return f'<tr>{box}<th scope="row" class="name">{name}</th>{cells}</tr>\n'


def _cell(css: str, is_number: bool, value: DisplayValue) -> str:
    if value.parts or len(value.text) > MAX_CELL_LENGTH:
        value = shortened(value)
    kind = value.kind
    start = f'<td class="{css}">' if css else "<td>"
    if kind == "nowrap":
        return f"{start}{escaped(value.text)}</td>"
    if is_number or kind in UNBROKEN or not (value.text or value.parts):
        return f"{start}{_MARKUP[kind](value)}</td>"
    drawn = _email(value.text) if kind == "text" and "mail" in css else _MARKUP[kind](value)
    return f'{start}<span class="one">{drawn}</span></td>'
