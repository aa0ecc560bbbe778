"""Removes invisible characters from texts, and folds names for comparison."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

_MARKS = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(f"[{_MARKS}]")
_VISIBLE = f"[^\\s{_MARKS}]"
# Letters written from right to left; those that change their shape beside others; those without
# spaces between words.
_RIGHT_TO_LEFT = "\u05d0-\u05ff\u0620-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_JOINING = f"{_RIGHT_TO_LEFT}\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u18aa\u1900-\u1cff"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_IS_RIGHT_TO_LEFT = re.compile(f"[{_RIGHT_TO_LEFT}]")
_ISOLATED = re.compile("[\u2066-\u2068][^\u2066-\u2069]*\u2069")
_MARK = re.compile(
    f"(?P<needed>(?<=[{_JOINING}])[\u180e\u200c\u200d]|[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}]))"
    f"|(?P<turns>(?<={_VISIBLE})[\u061c\u200e\u200f](?=[\\s{_MARKS}]*{_VISIBLE}))"
    f"|[{_MARKS}]"
)
_SAME = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u2035`\u00b4\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
}
_PLAIN = str.maketrans({char: plain for plain, chars in _SAME.items() for char in chars})


def cleaned(text: str) -> str:
    """Remove zero width and direction marks, except joiners beside letters or emoji that they shape
    and, in a text with letters from right to left, pairs of isolates and marks between words.
    """
    if text.isascii() or not _INVISIBLE.search(text):
        return text
    is_mixed = bool(_IS_RIGHT_TO_LEFT.search(text))
    pairs = _ISOLATED.finditer(text) if is_mixed else ()
    isolates = {place for pair in pairs for place in (pair.start(), pair.end() - 1)}

    def keep_needed(mark: re.Match[str]) -> str:
        turns = (mark["turns"] and is_mixed) or mark.start() in isolates
        return mark[0] if mark["needed"] or turns else ""

    return _MARK.sub(keep_needed, text)


def clean_input(value: Any, opened: Any = None) -> Any:
    """Clean each text of a form field's value, except those that are also in the `opened` value."""
    if isinstance(value, str) and value.isascii():
        return value
    unchanged = {_without_spaces(text) for text in _texts(opened)}

    def clean(part: Any) -> Any:
        if isinstance(part, str):
            is_kept = part.isascii() or _without_spaces(part) in unchanged
            return part if is_kept else cleaned(part)
        if isinstance(part, Mapping):
            return {clean(name): clean(item) for name, item in part.items()}
        return [clean(item) for item in part] if isinstance(part, list) else part

    return clean(value)


def typed_text(given: Mapping[str, str], name: str) -> str:
    """Return a text of a URL or a posted form, cleaned."""
    return cleaned(given.get(name, "")).strip()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        parts = chain(*value.items()) if isinstance(value, Mapping) else value
        for part in parts:
            yield from _texts(part)


def _without_spaces(text: str) -> str:
    return re.sub(r"[\s\0]", "", text)


def plain(text: str) -> str:
    """Write a text as a keyboard does: without marks, with plain spaces, quotes and dashes."""
    visible = _INVISIBLE.sub("", text.translate(_PLAIN))
    return " ".join(unicodedata.normalize("NFKC", visible).split())


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Normalise a name for comparison: as `plain`, in one case, with "10 %" as "10%"."""
    return plain(text).replace(" %", "%").casefold()


def without_accents(text: str) -> str:
    """Return the text in lower case, with plain letters."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return "".join(char for char in parts if not unicodedata.combining(char))
