"""Values of a record as plain data that a template draws.

The macro `show` in templates/schema/_values.html draws a `DisplayValue`. Nothing here is HTML, so
autoescape alone decides what is escaped.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Literal, NamedTuple

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

DisplayKind = Literal[
    "text",
    "lines",
    "nowrap",
    "noted",
    "muted",
    "status",
    "link",
    "late",
    "parts",
    "pairs",
    "table",
    "share",
]


class DisplayValue(NamedTuple):
    """One displayed value; false if it is empty.

    kind: text; lines (text over several lines); nowrap (text on one line); noted (a text with a
    note, `names`, in the colour of `tone`); muted; status (`tone` names its colour in site.css);
    link (`url`; `late` marks a title that is still looked up, by endpoint and id); late (comes
    after the page, `late` is its marker); parts (several values with `text` between them); pairs
    (named values); table (`text` is its title, `names` its headings, and each part a row of kind
    "parts"); share (a text, and its `share` of a whole, in per cent).
    """

    kind: DisplayKind
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

    @property
    def words(self) -> str:
        if self.kind == "parts":
            return self.text.join(part.words for part in self.parts)
        if self.kind == "noted":
            return " ".join((self.text, *self.names))
        if self.kind == "pairs":
            pairs = zip(self.names, self.parts, strict=True)
            return "\n".join(f"{name}: {part.words}" for name, part in pairs)
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
    match value:
        case None | "":
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


def nowrap(value: DisplayValue) -> DisplayValue:
    """A text that a table cell keeps on one line, such as a date; any other value as it is."""
    return value._replace(kind="nowrap") if value.kind == "text" and value.text else value


def noted(words: str, note: str, tone: str = "muted") -> DisplayValue:
    """A text with a note, which is muted or in the colour of `tone`."""
    return DisplayValue("noted", words, tone=tone, names=(note,))


def status(word: str, tone: str) -> DisplayValue:
    """A status as a word in a colour; `tone` names the colour in site.css."""
    return DisplayValue("status", word, tone=tone)


def link(url: str, label: str, *, late: str = "") -> DisplayValue:
    """A link; `late` marks a label that is still looked up."""
    return DisplayValue("link", label, url=url, late=late)


def email(value: object) -> DisplayValue:
    """An email address as a link; any other text as it is."""
    address = text(value)
    is_address = "@" in address.text and len(address.text) <= MAX_ADDRESS_LENGTH
    return link(f"mailto:{address.text}", address.text) if is_address else address


def phone(value: object) -> DisplayValue:
    """A phone number as a link; any text without a digit as it is."""
    number = text(value)
    digits = "".join(char for char in number.text if char in "+0123456789")
    return link(f"tel:{digits}", number.text) if 0 < len(digits) <= MAX_ADDRESS_LENGTH else number


def several(values: Iterable[DisplayValue], *, between: str = ", ") -> DisplayValue:
    """Several values side by side, at most MAX_PARTS and an ellipsis."""
    parts = tuple(islice(values, MAX_PARTS + 1))
    return DisplayValue("parts", between, parts=_first(parts, MAX_PARTS))


def table(
    title: str, headings: Iterable[str], rows: Iterable[Iterable[DisplayValue]]
) -> DisplayValue:
    parts = tuple(several(row) for row in rows)
    return DisplayValue("table", title, names=tuple(headings), parts=parts)


def pairs(value: Mapping[str, object], style: Style = PLAIN, depth: int = 0) -> DisplayValue:
    """The names and values of an object, one pair to a line, at most MAX_PARTS."""
    items = list(islice(value.items(), MAX_PARTS))
    names = tuple(_cut(str(name), MAX_CELL_LENGTH) for name, _ in items)
    parts = tuple(text(item, style, depth + 1) for _, item in items)
    if len(value) > MAX_PARTS:
        names, parts = (*names, "…"), (*parts, ELLIPSIS)
    return DisplayValue("pairs", names=names, parts=parts)


def shortened(value: DisplayValue) -> DisplayValue:
    """The value cut to the length of a table cell."""
    if not value.parts:
        short = len(value.text) <= MAX_CELL_LENGTH
        return value if short else value._replace(text=_cut(value.text, MAX_CELL_LENGTH))
    parts = _first(tuple(map(shortened, value.parts[: MAX_PARTS_OF_CELL + 1])), MAX_PARTS_OF_CELL)
    return value._replace(parts=parts, names=value.names[: len(parts)])


def _first(parts: tuple[DisplayValue, ...], most: int) -> tuple[DisplayValue, ...]:
    return parts if len(parts) <= most else (*parts[:most], ELLIPSIS)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
