"""The words by which the columns of people's files are known: headings.toml, beside this module.

A table of that file is named for what the file is about and the field that a column goes to, such
as `[people.cstemail]`; `CONTENTS` says which of them count for which records, the first ones
first. To add a heading, write it into the line of its language, behind a comma; to add the head of
an export of another program that is no word of an office, write it into the line `exports`. A new
language is a new line in each table. `[choices]` holds the words of cells that are chosen from,
by the word of the choice. A word may stand once among the fields of one kind of record.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt")
CONTENTS: Mapping[str, tuple[str, ...]] = {
    "contacts": ("contacts", "people"),
    "leads": ("leads", "people"),
    "deals": ("deals",),
    "tasks": ("tasks",),
    "estimates": ("documents",),
    "invoices": ("documents",),
}
LINES, CHOICES = "lines", "choices"
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]
TABLES: Tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def plain(heading: str) -> str:
    """A heading as it is compared: without case, accents, spaces and punctuation; "%" counts."""
    parts = unicodedata.normalize("NFKD", heading.casefold().replace("ł", "l"))
    return re.sub(r"[^\w%]|_", "", "".join(one for one in parts if not unicodedata.combining(one)))


@cache
def aliases(content: str, name: str) -> frozenset[str]:
    """The headings of a field, such as of "people" and "cstemail", as `plain` compares them."""
    return frozenset(map(plain, _words(TABLES.get(content, {}).get(name, {}))))


def aliases_of_record(resource: str, name: str) -> frozenset[str]:
    """The headings of a field of a record, by the name of its resource."""
    return frozenset().union(*(aliases(content, name) for content in CONTENTS.get(resource, ())))


def names_by_word(content: str) -> dict[str, str]:
    """The field, or the choice, of each word of one table, as `plain` compares words."""
    tables = TABLES[content].items()
    return {plain(word): name for name, table in tables for word in _words(table)}


def _words(table: Mapping[str, str]) -> Iterator[str]:
    for line in table.values():
        yield from (word.strip() for word in line.split(","))
