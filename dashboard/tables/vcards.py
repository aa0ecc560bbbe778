"""Reads the people and businesses of a vCard file (2.1, 3.0, 4.0) as a table, one card a row."""

import quopri
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dashboard.text.plain import folded

from .cells import Row
from .limits import check_row, check_size

_FOLD = re.compile(r"\r?\n[ \t]")
_PROPERTY = re.compile(
    r'(?:[A-Z0-9-]+\.)?([A-Z0-9-]+)((?:;(?:[^":;]|"[^"]*")*)*):(.*)', re.IGNORECASE
)
_CHARSET = re.compile(r'CHARSET="?([A-Z0-9_-]+)')
_BINARY = re.compile("ENCODING=B(ASE64)?(;|$)|;BASE64")
_ESCAPED = re.compile(r"\\(.)")
_MOBILE, _NO_CALLS = re.compile("CELL|MOBILE|IPHONE"), re.compile("FAX|PAGER")
_STRUCTURED = ("N", "ADR", "ORG")  # properties whose value has parts


@dataclass(frozen=True)
class _Property:
    """`parameters`: in capitals, such as ";TYPE=HOME,CELL"."""

    name: str
    parameters: str
    value: str

    @property
    def parts(self) -> list[str]:
        return [_unescaped(part).strip() for part in re.split(r"(?<!\\);", self.value)]

    @property
    def text(self) -> str:
        if self.name not in _STRUCTURED:
            return _unescaped(self.value).strip()
        return " ".join(filter(None, self.parts))


_Card = dict[str, list[_Property]]


def is_vcard(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n")[:11].upper() == "BEGIN:VCARD"


def read_cards(text: str) -> list[Row]:
    """Return a row of headings, those with a text in some card, and a row for each card. Raises
    UnreadableTable.
    """
    cards = _cards(text)
    check_size(len(cards) + 1)
    columns = {heading: [*map(read, cards)] for heading, read in _COLUMNS.items()}
    columns = {heading: cells for heading, cells in columns.items() if any(cells)}
    check_size(len(cards) + 1, len(columns))
    found = [Row(1, tuple(columns))] if columns else []
    for number, cells in enumerate(zip(*columns.values(), strict=True), 2):
        check_row(number, cells)
        if any(cells):
            found.append(Row(number, cells))
    return found


def _cards(text: str) -> list[_Card]:
    cards: list[_Card] = []
    before, is_nested = "", False
    for name, found in _properties(text):
        if name == "BEGIN":
            is_nested = before == "AGENT"  # the card of someone else within a card of version 2.1
            if not is_nested:
                cards.append({})
        elif name == "END":
            is_nested = False
        elif cards and not is_nested:
            cards[-1].setdefault(name, []).append(found)
        before = name
    return cards


def _properties(text: str) -> Iterator[tuple[str, _Property]]:
    lines = iter(_FOLD.sub("", text).split("\n"))
    for line in lines:
        match = _PROPERTY.fullmatch(line.rstrip("\r"))
        if not match:
            continue
        name, parameters, value = match[1].upper(), match[2].upper(), match[3]
        if "QUOTED-PRINTABLE" in parameters:
            while value.endswith("="):
                value = value[:-1] + next(lines, "").rstrip("\r")
            value = _decoded(value, parameters)
        if not _BINARY.search(parameters):
            yield name, _Property(name, parameters, value)


def _decoded(value: str, parameters: str) -> str:
    data, charset = quopri.decodestring(value.encode()), _CHARSET.search(parameters)
    try:
        return data.decode(charset[1] if charset else "utf-8", errors="replace")
    except LookupError:
        return data.decode("utf-8", errors="replace")


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], text)


def _texts(card: _Card, name: str) -> list[str]:
    return [found.text for found in card.get(name, ()) if found.text]


def _all(name: str, separator: str = ", ") -> Callable[[_Card], str]:
    return lambda card: separator.join(_texts(card, name))


def _name(card: _Card) -> str:
    family, given, additional, prefix, suffix = [
        *(card["N"][0].parts if "N" in card else ()), "", "", "", "", ""
    ][:5]  # fmt: skip
    parts = " ".join(filter(None, (prefix, given, additional, family, suffix)))
    name = next(iter(_texts(card, "FN")), parts)
    kinds = [*_texts(card, "KIND"), *_texts(card, "X-ABSHOWAS")]
    is_business = {kind.upper() for kind in kinds} & {"ORG", "COMPANY"}
    same = folded(name) == folded(_company(card))
    return "" if _company(card) and (is_business or same) else name


def _company(card: _Card) -> str:
    return card["ORG"][0].parts[0] if "ORG" in card else ""


def _department(card: _Card) -> str:
    return ", ".join(filter(None, card["ORG"][0].parts[1:])) if "ORG" in card else ""


def _emails(card: _Card) -> list[str]:
    return [re.sub("^mailto:", "", text, flags=re.IGNORECASE) for text in _texts(card, "EMAIL")]


def _phones(card: _Card) -> list[str]:
    def rank(found: _Property) -> tuple[bool, bool, bool]:
        kinds = found.parameters
        return bool(_NO_CALLS.search(kinds)), not _MOBILE.search(kinds), "PREF" not in kinds

    found = (each for each in sorted(card.get("TEL", ()), key=rank) if each.text)
    return [re.sub("^tel:", "", each.text, flags=re.IGNORECASE) for each in found]


def _address(*places: int) -> Callable[[_Card], str]:
    def read(card: _Card) -> str:
        parts = [*(card["ADR"][0].parts if "ADR" in card else ()), *[""] * 7]
        return ", ".join(filter(None, (", ".join(parts[place].splitlines()) for place in places)))

    return read


_COLUMNS: Mapping[str, Callable[[_Card], str]] = {
    "Name": _name,
    "Company": _company,
    "Department": _department,
    "Job title": _all("TITLE"),
    "Email": lambda card: "".join(_emails(card)[:1]),
    "Other emails": lambda card: ", ".join(_emails(card)[1:]),
    "Phone": lambda card: "".join(_phones(card)[:1]),
    "Other phones": lambda card: ", ".join(_phones(card)[1:]),
    "Street": _address(2, 1, 0),
    "Postcode": _address(5),
    "City": _address(3),
    "Region": _address(4),
    "Country": _address(6),
    "Other addresses": lambda card: "; ".join(_texts({"ADR": card.get("ADR", [])[1:]}, "ADR")),
    "Website": _all("URL"),
    "Birthday": _all("BDAY"),
    "Categories of the card": _all("CATEGORIES"),
    "Notes": _all("NOTE", "\n"),
}
