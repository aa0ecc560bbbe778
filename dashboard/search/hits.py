"""The hits of the search, in groups."""

import re
from typing import NamedTuple

from dashboard.records.form_drafts import SendFilled
from dashboard.schema import values
from dashboard.schema.values import DisplayValue

ENTRY = re.compile(r"\+\s*(?P<kind>[a-z]*)(?:\s+(?P<line>.*))?", re.I | re.S)


def is_entry(text: str) -> bool:
    """Whether the text begins a record: a plus sign with letters, or alone."""
    return ENTRY.fullmatch(text) is not None


class Hit(NamedTuple):
    """A record or a page: its name, where it leads, and what tells it from others. `save`: what
    saves the form there as its address fills it. `preview`: the address of what is shown beside it.
    """

    label: DisplayValue
    hint: str = ""
    icon: str = ""
    keys: str = ""
    save: SendFilled | None = None
    status: DisplayValue = values.EMPTY
    amount: str = ""
    preview: str = ""

    def marked(self, text: str) -> list[tuple[str, bool]]:
        """The name in pieces, each with whether it is a word of the text that was searched for."""
        words = [re.escape(word) for word in text.split() if not is_entry(text)]
        pieces = re.split(f"({'|'.join(words)})", self.label.text, flags=re.I) if words else []
        return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece] or [
            (self.label.text, False)
        ]


class HitGroup(NamedTuple):
    """Hits under a heading; `failure` says why there are none."""

    title: str
    hits: list[Hit]
    failure: str = ""
