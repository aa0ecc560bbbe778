"""Finds records by a name, a number or an email address.

The service searches for a text, in fields that differ per resource (section 4).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial

from dashboard.gateway import Endpoint, Gateway, Record, concurrency, whole_number
from dashboard.reader import listing, lookups
from dashboard.text.plain import folded, plain

MAX_MATCHES = 8
MAX_ALIKE = 100  # records with a word of a name, which may be spelt in another way
FAMILY_WAIT = 0.3  # seconds for what the matches belong to
LISTED_WAIT = (
    0.1  # seconds for the names of those that come first; the next key has those that are late
)
_LONG_WORD = 4  # letters
_HAS_ONE_SPELLING = re.compile(r"\w*|\S*@\S*", re.ASCII)
_NUMBERED = re.compile(r"([A-Za-z]+)[^A-Za-z0-9]?0*([0-9]+)")
_FOLDED = re.compile(r"[^ -~]|['\"`-]|  ")  # what `folded` changes, or makes of other signs


@dataclass(frozen=True)
class Match:
    """A record that matches a text. `hint`: tells it from others of the same name. `record`: its
    list row; None if the service did not find it by this text.
    """

    id: int
    title: str
    hint: str = ""
    record: Record | None = None

    @property
    def has_distinct_hint(self) -> bool:
        """Return whether the hint says more than the number of the record."""
        return self.hint != f"#{self.id}"

    def is_called(self, text: str) -> bool:
        """Return whether the title or the email address is this text, in any case and spelling."""
        return folded(text) in map(folded, (self.title, self.hint))


def search(
    gateway: Gateway,
    endpoint: Endpoint,
    text: str,
    filters: Mapping[str, str] | None = None,
    *,
    prefers: str = "",
    listed: Sequence[int] = (),
    parent: int = 0,
    most: int = MAX_MATCHES,
    in_any_spelling: bool = True,
) -> list[Match]:
    """Return the first matches: those named `text` before all others, then children of `parent` or
    those with ids `listed`, then those that pass `prefers` (a filter and its value).
    in_any_spelling: a second call looks for a name that the first does not find. Raises
    GatewayError.
    """
    asked = [dict(filters or {})]
    if prefers:
        name, _, value = prefers.partition(":")
        asked.insert(0, {**asked[0], name: value})
    matches = _first_of_each(gateway, endpoint, text, asked, most)
    if in_any_spelling and not matches and (word := word_of(text)):
        same_word = _first_of_each(gateway, endpoint, word, asked[-1:], MAX_ALIKE)
        matches = [each for each in same_word if folded(text) in folded(each.title)]
    if listed:
        matches = _listed_first(gateway, endpoint, matches, listed, text)
    if parent:
        matches = _family_first(gateway, endpoint, matches, parent, text)
    return sorted(matches, key=lambda match: not match.is_called(text))[:most]


def search_documents(gateway: Gateway, endpoint: Endpoint, text: str) -> list[Match]:
    """Return the first matches; for a number also with other zeros before its digits: INV-00124 for
    "INV-124". Raises GatewayError.
    """
    matches = search(gateway, endpoint, text, in_any_spelling=has_folded_signs(text))
    number = _document_number(text)
    if number is None or exact_matches(matches, text):
        return matches
    digits = _first_of_each(gateway, endpoint, number[1], [{}], MAX_ALIKE)
    same = [each for each in digits if _document_number(each.title) == number]
    return [*same, *(each for each in matches if each not in same)][:MAX_MATCHES]


def _document_number(text: str) -> tuple[str, str] | None:
    found = _NUMBERED.fullmatch(text)
    return (found[1].casefold(), found[2]) if found else None


def search_alike(
    gateway: Gateway, endpoint: Endpoint, text: str, filters: Mapping[str, str]
) -> list[Match]:
    """Return the most similar of the records with the first word of a name. Raises GatewayError."""

    def likeness(match: Match) -> float:
        return SequenceMatcher(None, folded(text), folded(match.title), autojunk=False).ratio()

    found = _first_of_each(gateway, endpoint, word_of(text) or text, [filters], MAX_ALIKE)
    return sorted(found, key=likeness, reverse=True)[:MAX_MATCHES]


def exact_matches(matches: Iterable[Match], text: str) -> list[Match]:
    return [match for match in matches if match.is_called(text)]


def unambiguous_match(matches: list[Match], text: str) -> Match | None:
    """Return the only match with this name, or None if another may exist."""
    same = exact_matches(matches, text)
    return same[0] if len(same) == 1 and len(matches) < MAX_MATCHES else None


def title_of(endpoint: Endpoint, record: Record) -> str:
    return str(record[endpoint.label_field] or numbered(endpoint, record.id))


def numbered(endpoint: Endpoint, record_id: int) -> str:
    """Return the title of a record without a name, such as "Contact 17"."""
    return f"{endpoint.singular.capitalize()} {record_id}"


def read_title(gateway: Gateway, endpoint: Endpoint, record_id: int) -> str:
    """Return the title of a record; its number if no title arrives within a second."""
    titles = lookups.load_titles(gateway, [(endpoint, record_id)], seconds=1)
    return titles.get((endpoint.name, record_id)) or numbered(endpoint, record_id)


def has_folded_signs(text: str) -> bool:
    """Return whether a text that is still being typed may be spelt in another way; spaces alone do
    not count.
    """
    return bool(_FOLDED.search(text))


def word_of(text: str) -> str:
    """Return the first long word of a name, of the letters that have one spelling, else a part of a
    word; "" if the whole name has one.
    """
    if _HAS_ONE_SPELLING.fullmatch(text):
        return ""
    patterns = (r"\b[A-Za-z0-9]{2,}\b", "[A-Za-z0-9]{2,}", r"\w+")
    words = next(filter(None, (re.findall(each, plain(text)) for each in patterns)), [])
    longest = max(words, key=len, default="")
    return next((each for each in words if len(each) >= _LONG_WORD), longest)


def _first_of_each(
    gateway: Gateway,
    endpoint: Endpoint,
    text: str,
    asked: Sequence[Mapping[str, str]],
    most: int,
) -> list[Match]:
    read = partial(lookups.list_page, gateway, endpoint, search=text, page_size=most)
    calls = [partial(read, filters=_filter_values(endpoint, each)) for each in asked]
    pages = concurrency.gather(calls) if len(calls) > 1 else [calls[0]()]
    first = concurrency.unwrap(pages[0])
    whole = {"page_size": most, "filters": _filter_values(endpoint, asked[0])}
    listing.note_ignored_search(gateway, endpoint, first, text, whole)
    records: dict[int, Record] = {}
    for page in map(concurrency.unwrap, pages):
        for record in page.records[:most]:  # a service with a page size of its own sends more
            records.setdefault(record.id, record)
    gateway.unfit.get(endpoint.name, set()).difference_update(records)  # only not preferred
    return [
        Match(each.id, title_of(endpoint, each), _hint(each), each) for each in records.values()
    ]


def _hint(record: Record) -> str:
    address = next((record[key] for key in record if key.endswith("email")), None)
    return str(address or f"#{record.id}")


def _family_first(
    gateway: Gateway, endpoint: Endpoint, matches: list[Match], parent: int, text: str
) -> list[Match]:
    """Put the children of `parent`, matches and cached ones, before the other matches."""
    children = lookups.cached_children(gateway, endpoint, parent)
    matches = _with_named(gateway, endpoint, matches, children, text, seconds=0)
    pointers = [(endpoint, match.id) for match in matches]
    of = lookups.load_parents(gateway, pointers, seconds=FAMILY_WAIT)
    inside = [match for match in matches if of.get((endpoint.name, match.id)) == parent]
    family = f"belongs to {read_title(gateway, endpoint, parent)}" if inside else ""
    others = [match for match in matches if match not in inside]
    return [*(replace(match, hint=family) for match in inside), *others][:MAX_MATCHES]


def _listed_first(
    gateway: Gateway, endpoint: Endpoint, matches: list[Match], listed: Sequence[int], text: str
) -> list[Match]:
    """Put the records in `listed` with the text in their title, in that order, before the
    matches.
    """
    found = _with_named(gateway, endpoint, matches, listed, text, seconds=LISTED_WAIT)
    place = {number: at for at, number in enumerate(listed)}
    return sorted(found, key=lambda match: place.get(match.id, len(place)))


def _with_named(
    gateway: Gateway,
    endpoint: Endpoint,
    matches: Sequence[Match],
    ids: Iterable[int],
    text: str,
    *,
    seconds: float,
) -> list[Match]:
    """Append the records with these ids whose title contains the text. Titles that take longer than
    `seconds` are ignored.
    """
    pointers = [(endpoint, number) for number in ids]
    names = lookups.load_titles(gateway, pointers, seconds=seconds)
    known = [Match(number, names.get((endpoint.name, number), "")) for _, number in pointers]
    found = {match.id for match in matches}
    named = [each for each in known if each.title and folded(text) in folded(each.title)]
    return [*matches, *(each for each in named if each.id not in found)]


def _filter_values(endpoint: Endpoint, filters: Mapping[str, str]) -> dict[str, int | str]:
    kinds = {each.name: each.kind for each in endpoint.filters}
    numbers = {
        name: whole_number(text, least=0)
        for name, text in filters.items()
        if kinds[name] == "integer"
    }
    return {**filters, **{name: each for name, each in numbers.items() if each is not None}}
