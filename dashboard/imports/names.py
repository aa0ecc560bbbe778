"""Names in the cells of a column: the records and entries that they mean, and numbers beside or
instead of them that may be ids.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from dashboard.gateway import GatewayError, concurrency, whole_number
from dashboard.people.context import RequestContext
from dashboard.reader import find, lookups
from dashboard.reader.find import Match
from dashboard.schema.pickers import PickerField
from dashboard.text.plain import folded
from dashboard.text.style import NotReadable

MAX_CONCURRENT_CALLS = 8  # calls
MAX_NAMES = 500  # of one file
MAX_MATCHES = 100  # of one name
MAX_TITLES = 100  # of the records whose ids are in a file
MAX_NEAR = 5  # that are offered for a name that none has
TITLES_TIMEOUT = 2.0  # seconds for the names of records whose ids stand where a name should
FAILED = "We couldn't look up this name. Check again, or enter its ID."
TOO_MANY = f"More than {MAX_NAMES} names are too many to look up at once. Enter its ID."
OTHER_EMAIL = "“{}” is there, but without the email {}. Choose one above, or enter its ID."
TOO_MANY_LIKE = "Too many matches for “{}”. Enter its ID."
SEVERAL = "{} records are called “{}”. Choose one above, or enter its ID."
NO_MATCH = "No match for “{}”. Choose one above, or enter its ID."

Key = tuple[str, tuple[tuple[str, str], ...], str]


class UnmatchedCell(NotReadable):
    """No record has the name, or several do; `suggestions`: possible records, by id as text."""

    def __init__(
        self, message: str, suggestions: Mapping[str, str], *, is_unknown: bool = False
    ) -> None:
        super().__init__(message)
        self.suggestions, self.is_unknown = suggestions, is_unknown


@dataclass
class ColumnNames:
    """The names in the columns of a target.

    `chosen`: what names stand for, by their spellings. `spellings`: by text, the spelling that
    represents all texts of the same name. `titles`: of the records whose ids are in the column.
    `doubts`: by row, why its number may be an id or not. `own_numbers`: those that are no ids, as
    the person said.
    """

    chosen: Mapping[str, str]
    spellings: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[int, str] = field(default_factory=dict)
    doubts: dict[int, str] = field(default_factory=dict)
    own_numbers: set[str] = field(default_factory=set)

    def spelling(self, text: str) -> str:
        return self.spellings.get(text, text)

    def meaning(self, text: str) -> str:
        return self.chosen.get(self.spelling(text.strip()), "")

    def caption(self, text: str) -> str:
        """Return the title of the record with an id, and the id; "" for other texts."""
        title = self.titles.get(number_of(text) or 0)
        return f"{title}, #{text}" if title else ""


class NameSearch:
    """Finds the records that cells name by title, or by the email address of a contact."""

    def __init__(self, ctx: RequestContext) -> None:
        self.ctx = ctx
        self.found: dict[Key, list[Match] | GatewayError] = {}

    def look_up(self, field: PickerField, texts: Iterable[str], *, are_ids: bool) -> None:
        """Search for the names among these texts, for MAX_NAMES at most; for those without a match,
        also for similar ones. are_ids: numbers among them are ids, not names.
        """
        names = (text for text in texts if not _is_id(text, are_ids=are_ids))
        wanted = {_key(field, text): text.strip() for text in names}
        room = MAX_NAMES - len(self.found)
        keys = [key for key, text in wanted.items() if text and key not in self.found][:room]
        named = {key: wanted[key] for key in keys}
        self._search(field, named, partial(find.search, most=MAX_MATCHES))
        unknown = {key: text for key, text in named.items() if self.same(field, text) == []}
        self._search(field, unknown, find.search_alike)

    def titles(self, field: PickerField, texts: Iterable[str]) -> dict[int, str]:
        """Return the titles of the records with these ids, of MAX_TITLES at most, that arrive in
        time; "" for a record that cannot be read.
        """
        numbers = dict.fromkeys(number for text in texts if (number := number_of(text)))
        if not numbers:
            return {}
        pointers = [(field.endpoint, number) for number in [*numbers][:MAX_TITLES]]
        found = lookups.load_titles(self.ctx.gateway, pointers, seconds=TITLES_TIMEOUT)
        return {number: title for (_, number), title in found.items()}

    def _search(
        self, field: PickerField, texts: Mapping[Key, str], search: Callable[..., list[Match]]
    ) -> None:
        search = partial(
            search, self.ctx.gateway, field.endpoint, filters=field.widget.base_filters
        )
        answers = concurrency.map(search, texts.values(), MAX_CONCURRENT_CALLS)
        for key, answer in zip(texts, answers, strict=True):
            before = self.found.get(key)
            if isinstance(before, list) and isinstance(answer, list):
                answer = list({each.id: each for each in (*before, *answer)}.values())
            self.found[key] = answer

    def id_of(
        self,
        field: PickerField,
        text: str,
        beside: str,
        email: str,
        *,
        is_id: bool,
        may_be_id: bool,
    ) -> str:
        """Return the id of the only record with this name, or the id itself; "" for no text.
        `beside`: the id that the file says beside it, which tells several records apart; `email`:
        the addresses beside it. is_id: a number is an id; may_be_id: it is one if no record has
        this name. Raises NotReadable.
        """
        if not text.strip() or _is_id(text, are_ids=is_id):
            return text.strip().removeprefix("#")
        found, same = self.found.get(_key(field, text)), self.same(field, text)
        if found is None:
            raise NotReadable(TOO_MANY)
        if isinstance(found, GatewayError):
            raise NotReadable(FAILED)
        if len(found) >= MAX_MATCHES:
            raise NotReadable(TOO_MANY_LIKE.format(text))
        if not same and may_be_id and number_of(text):
            return text.strip()
        if not same:
            offered = {str(each.id): ", ".join((each.title, each.hint)) for each in found}
            suggestions = dict(islice(offered.items(), MAX_NEAR))
            raise UnmatchedCell(NO_MATCH.format(text), suggestions, is_unknown=True)
        same = [each for each in same if each.id == number_of(beside)] or same
        return _only_one(text, same, email)

    def with_email(self, field: PickerField, text: str, email: str) -> list[Match]:
        same, addresses = self.same(field, text) or [], email.split()
        return [each for each in same if folded(each.hint) in addresses]

    def same(self, field: PickerField, text: str) -> list[Match] | None:
        """Return the records with this name; None if it was not found out (of an id)."""
        found = self.found.get(_key(field, text))
        return find.exact_matches(found, text) if isinstance(found, list) else None


def _only_one(text: str, same: Sequence[Match], email: str) -> str:
    """Return the id of the only record with this name, unless its email address is another one.
    Raises UnmatchedCell.
    """
    options = {
        str(each.id): ", ".join(dict.fromkeys((each.title, each.hint, f"#{each.id}")))
        for each in same
    }
    if len(same) > 1:
        raise UnmatchedCell(SEVERAL.format(len(options), text), options)
    own = folded(same[0].hint)
    if email and same[0].has_distinct_hint and own not in email.split():
        raise UnmatchedCell(OTHER_EMAIL.format(text, email), options)
    return str(same[0].id)


def number_of(text: str) -> int | None:
    """Return the number that a text is, which may have # before it; None for other texts."""
    return whole_number(text.strip().removeprefix("#"))


def _is_id(text: str, *, are_ids: bool) -> bool:
    """Return whether a text is an id: a number with # before it, or any number if `are_ids`."""
    return number_of(text) is not None and (are_ids or text.strip().startswith("#"))


def _key(field: PickerField, text: str) -> Key:
    filters = tuple(sorted(field.widget.base_filters.items()))
    return field.endpoint.name, filters, folded(text)


def first_spellings(texts: Iterable[str]) -> dict[str, str]:
    first: dict[str, str] = {}
    return {text: first.setdefault(folded(text), text) for text in texts}
