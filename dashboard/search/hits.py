"""The hits of the search, in groups. Beside its name a hit shows the record's owner, status and
amount, taken from the row that was found or from records read before: it costs no call.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dashboard.core.templates import page_url
from dashboard.gateway import Record
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.reader.find import Match
from dashboard.records.form_drafts import SendFilled
from dashboard.schema import values
from dashboard.schema.cells import Names
from dashboard.schema.money import currencies_of
from dashboard.schema.phones import phones_of
from dashboard.schema.resource import Resource
from dashboard.schema.titles import pointers
from dashboard.schema.values import DisplayValue

CUSTOMERS = ("customer_id", "cstid")  # the fields that name the contact of a record
ENTRY = re.compile(r"\+\s*(?P<kind>[a-z]*)(?:\s+(?P<line>.*))?", re.I | re.S)


def is_entry(text: str) -> bool:
    """Return whether the text starts a new record: a plus sign with letters, or alone."""
    return ENTRY.fullmatch(text) is not None


class Hit(NamedTuple):
    """A record or a page. `save`: submits the form there, which its URL fills. `preview`: the URL
    of the preview beside it; `about`: what stands there without one. `theme`: the theme that it
    chooses instead of opening the URL.
    """

    label: DisplayValue
    hint: str = ""
    icon: str = ""
    keys: str = ""
    save: SendFilled | None = None
    status: DisplayValue = values.EMPTY
    amount: str = ""
    preview: str = ""
    theme: str | None = None
    about: str = ""

    def marked(self, text: str) -> list[tuple[str, bool]]:
        """Split the name into pieces, each with whether it is a word of the searched text."""
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


def preview_of(resource: Resource, record_id: int, record: Record | None) -> str:
    """Return the preview URL of a contact, or of the contact that a record belongs to, or ""."""
    names = (each.name for each in resource.columns if each.name in CUSTOMERS)
    numbers = (record.get(name) for name in names) if record else ()
    contact = record_id if resource.name == "contacts" else next(iter(numbers), None)
    return preview_url(contact) if isinstance(contact, int) and contact > 0 else ""


def preview_url(contact: int) -> str:
    return f"{page_url('search:preview')}?contact={contact}"


def hits_of(ctx: RequestContext, resource: Resource, matches: Sequence[Match]) -> list[Hit]:
    records = [match.record for match in matches if match.record is not None]
    known = lookups.cached_titles(ctx.gateway, pointers(resource.columns, records))
    currencies = replace(currencies_of(ctx, resource.endpoint, records), common="")
    names = Names(titles=known, currencies=currencies)
    return [_hit(ctx, names, resource, match) for match in matches]


def _hit(ctx: RequestContext, names: Names, resource: Resource, match: Match) -> Hit:
    """Return a hit. Its amount is the last of the list's money columns that is not 0, so that a
    paid invoice shows its total.
    """
    record, link = match.record, values.link(resource.url(match.id), match.title)
    if record is None:
        return Hit(link, match.hint, resource.icon)
    columns = [column for column in resource.columns if column.is_amount]
    amounts = [each for each in columns if record.get(each.name)] or columns
    shown = (
        column.value(record, ctx, names) for column in resource.columns if not column.from_record
    )
    return Hit(
        link,
        _about(names, resource, match, record),
        resource.icon,
        status=next((value for value in shown if value.kind == "status"), values.EMPTY),
        amount=amounts[-1].value(record, ctx, names).text if amounts else "",
    )


def _about(names: Names, resource: Resource, match: Match, record: Record) -> str:
    owners = [each for each in pointers(resource.columns, [record]) if each[0] != resource.endpoint]
    if owners:
        return next(
            filter(None, (names.titles.get((of.name, number)) for of, number in owners)), ""
        )
    if match.has_distinct_hint:
        return match.hint
    return next(iter(phones_of(resource.create_form, record)), match.hint)
