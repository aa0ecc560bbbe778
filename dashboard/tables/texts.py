"""Distinguishes kinds of texts: delimited ones, vCards, and others, which are rejected."""

import re

from .cells import Guess, Row
from .limits import UnreadableTable
from .separated import read_separated
from .vcards import is_vcard, read_cards

_START = 4_000  # bytes of a file that tell its kind
_OTHERS = (
    (
        re.compile(rb"<(!doctype html|html|head|meta|body|table|style)\b", re.IGNORECASE),
        "This is a web page, even if its name ends in .xls. Open it in a spreadsheet program and "
        "save it as XLSX.",
    ),
    (
        re.compile(rb"<\?xml\b"),
        "This is an XML file. Open it in a spreadsheet program and save it as XLSX.",
    ),
    (
        re.compile(rb'\{\s*"|\[\s*[\[{]'),
        "This is a JSON file. Export the table as CSV or XLSX instead.",
    ),
    (
        re.compile(rb"BEGIN:VCALENDAR", re.IGNORECASE),
        "This is a calendar. Export its entries as CSV or XLSX instead.",
    ),
    (
        re.compile(rb"(?:[A-Z-]+:.*\n(?:[ \t].*\n)*)*(?:MIME-Version|Message-ID):", re.IGNORECASE),
        "This is an email. Save the table attached to it, and choose that file.",
    ),
    (
        re.compile(rb"%PDF|\{\\rtf"),
        "This is a document, not a table. Export the table as CSV or XLSX instead.",
    ),
)


def check_kind(data: bytes, *, takes_cards: bool) -> None:
    """Raise UnreadableTable for a text of another kind, which would be read as a table."""
    start = data[:_START].removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, reason in _OTHERS:
        if pattern.match(start):
            raise UnreadableTable(reason)
    if not takes_cards and is_vcard(start.decode("latin-1")):
        raise UnreadableTable("This is a vCard. Import it into contacts or leads.")


def read_text(text: str, separator: str = "") -> tuple[list[Row], Guess[str] | None]:
    """Return the rows that are not blank, and the separator, guessed if it is ""; none in vCards.
    Raises UnreadableTable.
    """
    return (read_cards(text), None) if is_vcard(text) else read_separated(text, separator)
