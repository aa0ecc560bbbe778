"""Finds the records that cells name, by searches of the service, several side by side."""

from collections.abc import Iterable
from functools import partial

from dashboard.context import RequestContext
from dashboard.forms.pickers import PickerField
from dashboard.gateway import GatewayError, side_by_side, whole_number
from dashboard.reader import find
from dashboard.reader.find import Match
from dashboard.tables.errors import UnreadableCell

AT_ONCE = 8  # calls
MOST_NAMES = 500  # of one file
MOST_MATCHES = 100  # of one name
FAILED = "This name could not be looked up just now. Check again, or write its ID."
TOO_MANY = f"More than {MOST_NAMES} names are too many to look up at once. Write its ID."

SEVERAL = "There are {} called “{}”. Choose one below, or write its ID."

Key = tuple[str, tuple[tuple[str, str], ...], str]


class SeveralMatches(UnreadableCell):
    """Several records have the name; `options`: what tells them apart, by their ids as text."""

    def __init__(self, text: str, matches: Iterable[Match]) -> None:
        told = {
            str(each.id): ", ".join(dict.fromkeys((each.title, each.hint, f"#{each.id}")))
            for each in matches
        }
        super().__init__(SEVERAL.format(len(told), text))
        self.options = told


class Names:
    """The records by what cells call them: a name, or the email address of a contact."""

    def __init__(self, ctx: RequestContext | None) -> None:
        self.ctx = ctx
        self.found: dict[Key, list[Match] | GatewayError] = {}

    def look_up(self, field: PickerField, texts: Iterable[str]) -> None:
        """Search for the names among these texts; for MOST_NAMES at most."""
        ctx = self.ctx
        if ctx is None:
            return
        wanted = {_key(field, text): text.strip() for text in texts if not _number(text)}
        room = MOST_NAMES - len(self.found)
        keys = [key for key, text in wanted.items() if text and key not in self.found][:room]
        filters = field.widget.base_filters
        asked = ((ctx.gateway, field.endpoint, wanted[key], filters) for key in keys)
        calls = (partial(find.search, *each, most=MOST_MATCHES) for each in asked)
        self.found |= zip(keys, side_by_side.stream(calls, AT_ONCE), strict=True)

    def id_of(self, field: PickerField, text: str, beside: str = "") -> str:
        """The id of the one record of that name, or the id itself; "" for no text. `beside`: what
        the column with the ids of these records says, which tells several of a name apart. Raises
        UnreadableCell.
        """
        if not text.strip() or _number(text):
            return text.strip().removeprefix("#")
        found = self.found.get(_key(field, text))
        if found is None:
            raise UnreadableCell(TOO_MANY)
        if isinstance(found, GatewayError):
            raise UnreadableCell(FAILED)
        if len(found) >= MOST_MATCHES:
            raise UnreadableCell(f"There are too many like “{text}”. Write its ID.")
        same = find.called(found, text)
        if not same:
            raise UnreadableCell(f"There is none called “{text}”. Write its ID.")
        meant = [each for each in same if each.id == _number(beside)] or same
        if len(meant) > 1:
            raise SeveralMatches(text, meant)
        return str(meant[0].id)


def _number(text: str) -> int | None:
    return whole_number(text.strip().removeprefix("#"))


def _key(field: PickerField, text: str) -> Key:
    filters = tuple(sorted(field.widget.base_filters.items()))
    return field.endpoint.name, filters, text.strip().casefold()
