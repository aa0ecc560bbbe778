"""Removes from texts what nobody sees, and folds names for comparison."""

import re
import unicodedata

_MARKS = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(f"[{_MARKS}]")
_ENDS = re.compile(rf"^[\s{_MARKS}]+|[\s{_MARKS}]+$")
_NEED_MARKS = {"Lo", "Mc", "Mn", "So"}  # categories: of Arabic, Indic and Thai texts, and emoji
_SAME = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u2035`\u00b4\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
}
_PLAIN = str.maketrans({char: plain for plain, chars in _SAME.items() for char in chars})


def cleaned(text: str) -> str:
    """Remove direction and zero width marks; within letters that they may belong to, such as
    Arabic ones, only those at the ends.
    """
    if text.isascii() or not _INVISIBLE.search(text):
        return text
    if any(unicodedata.category(char) in _NEED_MARKS for char in text):
        return _ENDS.sub(lambda end: _INVISIBLE.sub("", end[0]), text)
    return _INVISIBLE.sub("", text)


def plain(text: str) -> str:
    """Write a text as a keyboard does: without marks, with plain spaces, quotes and dashes."""
    visible = _INVISIBLE.sub("", text.translate(_PLAIN))
    return " ".join(unicodedata.normalize("NFKC", visible).split())


def folded(text: str) -> str:
    """Normalise a name for comparison: as `plain`, in one case."""
    return plain(text).casefold()


def without_accents(text: str) -> str:
    """Return the text in lower case, with plain letters."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return "".join(char for char in parts if not unicodedata.combining(char))
