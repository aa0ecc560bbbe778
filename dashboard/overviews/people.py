"""The people of a business, as far as they are known: the service cannot list them."""

from collections.abc import Iterable

from dashboard.context import RequestContext
from dashboard.display import cells
from dashboard.gateway import CONTACTS, Record
from dashboard.markup import address
from dashboard.pages.blocks import Block, BlockRow
from dashboard.pages.history_words import CreatedRecord
from dashboard.reader import lookups
from dashboard.reader.lookups import Pointer
from dashboard.resources.contacts import BUSINESS

MOST = 8
NOTE = (
    "The service cannot list the people of a business. Shown are those seen lately or entered here."
)


def pointers(
    ctx: RequestContext, record: Record, created: Iterable[CreatedRecord]
) -> list[Pointer]:
    """The people that are known to belong to a business; none for a person."""
    if record["contact_type"] != BUSINESS:
        return []
    entered = [each.id for each in created if each.resource == CONTACTS.name]
    seen = lookups.cached_children(ctx.gateway, CONTACTS, record.id)
    return [(CONTACTS, number) for number in dict.fromkeys([*seen, *entered])][:MOST]


def blocks(
    ctx: RequestContext, record: Record, people: list[Pointer], *, may_edit: bool
) -> list[Block]:
    """The block of a business with its people; none for a person."""
    if record["contact_type"] != BUSINESS:
        return []
    new = address("contacts", page="create", query={"business": str(record.id)}) if may_edit else ""
    known = [number for _, number in people if ctx.titles.get((CONTACTS.name, number)) != ""]
    return [
        Block(
            "people",
            "People",
            new,
            link="New person",
            key="n" if may_edit else "",
            count=f"{len(known):,} we know of" if known else "",
            rows=tuple(BlockRow(cells.titled(CONTACTS, number, ctx)) for number in known),
            note=NOTE,
        )
    ]
