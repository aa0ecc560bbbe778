"""The known headings of columns in people's files: headings.toml, beside this module.

A table of that file is named for the content of a file and the field that a column goes to, such as
`[people.cstemail]`; `CONTENTS` lists the tables of each resource, by priority. To add a heading,
append it to the line of its language, after a comma: of two columns for one field the one whose
heading comes first is taken. To add the heading of another program's export that is not an office
word, append it to the line `exports`. A new language is a new line in each table. `[choices]` holds
the words for choices in cells, `[blanks]` those for no value. A word may occur once among the
fields of one kind of record.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import Path

from dashboard.text.plain import folded, without_accents

EXPORTS = "exports"
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt")
CONTENTS: Mapping[str, tuple[str, ...]] = {
    "contacts": ("contacts", "people"),
    "leads": ("leads", "people"),
    "deals": ("deals",),
    "tasks": ("tasks",),
    "estimates": ("documents",),
    "invoices": ("documents",),
}
LINES, CLAIMS, CHOICES, BLANKS = "lines", "claims", "choices", "blanks"
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]
TABLES: Tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@lru_cache(maxsize=4096)
def normalise(heading: str) -> str:
    """Normalise a heading for comparison: no case, accents, spaces or punctuation; "%" stays."""
    return re.sub(r"[^\w%]|_", "", without_accents(heading))


@cache
def aliases(content: str, name: str) -> tuple[str, ...]:
    """Return the normalised headings of a field, such as of "people" and "cstemail": the first ones
    of each language before the second ones, those of exports last.
    """
    table = TABLES.get(content, {}).get(name, {})
    lines = [_words(line) for language, line in table.items() if language != EXPORTS]
    ranked = [word for words in zip_longest(*lines, fillvalue="") for word in words if word]
    return tuple(dict.fromkeys(map(normalise, [*ranked, *_words(table.get(EXPORTS, ""))])))


@cache
def aliases_of_record(resource: str, name: str) -> tuple[str, ...]:
    return tuple(word for content in CONTENTS.get(resource, ()) for word in aliases(content, name))


def names_by_word(content: str) -> dict[str, str]:
    tables = TABLES[content].items()
    return {
        normalise(word): name
        for name, table in tables
        for line in table.values()
        for word in _words(line)
    }


def texts(content: str, name: str) -> frozenset[str]:
    lines = TABLES[content][name].values()
    return frozenset(folded(word) for line in lines for word in _words(line))


def _words(line: str) -> list[str]:
    return [word for part in line.split(",") if (word := part.strip())]
