"""Finds the texts of a column that are the same name, so that it is asked for once."""

import re
import unicodedata
from collections.abc import Iterable

from dashboard.resources.signatures import LEGAL_FORM

_SAME_FORM = {"limited": "ltd", "incorporated": "inc", "corporation": "corp", "company": "co"}


def first_spellings(texts: Iterable[str], *, of_businesses: bool = False) -> dict[str, str]:
    """By each text, the first one of the same name: in any case, width and spaces.

    of_businesses: without its legal form as well, unless the same name stands with two: "Acme" is
    "Acme GmbH" where there is no "Acme AG".
    """
    split = {text: _split(text) if of_businesses else (_plain(text), "") for text in texts}
    forms: dict[str, set[str]] = {}
    for name, form in split.values():
        forms.setdefault(name, set()).update({form} - {""})
    first: dict[tuple[str, str], str] = {}
    return {
        text: first.setdefault((name, form if len(forms[name]) > 1 else ""), text)
        for text, (name, form) in split.items()
    }


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _split(text: str) -> tuple[str, str]:
    """The name of a business and its legal form, "" for none, as they are compared."""
    plain = _plain(text)
    name = " ".join(LEGAL_FORM.sub(" ", plain).split()).strip(" ,.&-")
    if not name:
        return plain, ""
    words = (re.sub(r"\W", "", found[0]) for found in LEGAL_FORM.finditer(plain))
    return name, " ".join(_SAME_FORM.get(word, word) for word in words)
