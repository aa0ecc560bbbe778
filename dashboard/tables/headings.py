"""The known headings of columns in people's files: headings.toml, beside this module.

A table of that file is named for the content of a file and the field that a column goes to, such as
`[people.cstemail]`; `CONTENTS` lists the tables of each resource, by priority. To add a heading,
append it to the line of its language, after a comma; to add the heading of another program's export
that is not an office word, append it to the line `exports`. A new language is a new line in each
table. `[choices]` holds the words for choices in cells. A word may occur once among the fields of
one kind of record.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from dashboard.text.dates import without_accents

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt")
CONTENTS: Mapping[str, tuple[str, ...]] = {
    "contacts": ("contacts", "people"),
    "leads": ("leads", "people"),
    "deals": ("deals",),
    "tasks": ("tasks",),
    "estimates": ("documents",),
    "invoices": ("documents",),
}
LINES, CLAIMS, CHOICES = "lines", "claims", "choices"
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]
TABLES: Tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def plain(heading: str) -> str:
    """Normalise a heading for comparison: no case, accents, spaces or punctuation; "%" stays."""
    return re.sub(r"[^\w%]|_", "", without_accents(heading))


@cache
def aliases(content: str, name: str) -> frozenset[str]:
    """The normalised headings of a field, such as of "people" and "cstemail"."""
    return frozenset(map(plain, _words(TABLES.get(content, {}).get(name, {}))))


def aliases_of_record(resource: str, name: str) -> frozenset[str]:
    """The normalised headings of a field, by the name of the record's resource."""
    return frozenset().union(*(aliases(content, name) for content in CONTENTS.get(resource, ())))


def names_by_word(content: str) -> dict[str, str]:
    """The field or choice by each normalised word of one table."""
    tables = TABLES[content].items()
    return {plain(word): name for name, table in tables for word in _words(table)}


def _words(table: Mapping[str, str]) -> Iterator[str]:
    for line in table.values():
        yield from (word.strip() for word in line.split(","))
