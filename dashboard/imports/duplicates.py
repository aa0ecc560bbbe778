"""Finds existing records: people by email, by number and name, or by name without either,
businesses also by name, others by the fields of Resource.identity_fields.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dashboard.gateway import Gateway, Record
from dashboard.imports.targets import BUSINESS, CONTACT_TYPE
from dashboard.jobs.bulk_selection import values_seen
from dashboard.people.context import RequestContext
from dashboard.reader import identity, listing
from dashboard.reader.all_rows import all_rows, expire_rows
from dashboard.reader.identity import PHONE
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource

ALSO = {"leads": "contacts"}
NAME_ALONE = "Only the name is the same, which is not enough to change it. Give an email or number."
MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[ t](\d{2}:\d{2})")
MAX_PAGES = 50  # of the list that are read for the check of a file


class Other(NamedTuple):
    """A matching record of another resource: its noun, URL and title."""

    noun: str
    url: str
    title: str


@dataclass
class Index:
    """The records of the list by identity keys. `is_whole`: whether all were read; if not, each row
    is looked up when it is sent. `records`: by id, `ids` by key. `others`: the records of the
    resource in ALSO, by key. `by_number`: the titles of people by phone number.
    """

    resource: Resource
    is_whole: bool
    records: dict[int, Record] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    others: dict[str, Other] = field(default_factory=dict)
    by_number: dict[str, str] = field(default_factory=dict)

    def find(self, keys: Iterable[str]) -> tuple[int, str] | None:
        """Return the id and the title of the record with one of these keys."""
        return next((self.titled(self.ids[key]) for key in keys if key in self.ids), None)

    def find_other(self, keys: Iterable[str]) -> Other | None:
        return next((self.others[key] for key in keys if key in self.others), None)

    def titled(self, number: int) -> tuple[int, str]:
        record = self.records.get(number)
        noun = self.resource.singular.capitalize()
        return number, self.resource.title(record) if record else f"{noun} {number}"

    def may_have(self, number: int) -> bool:
        return number in self.records or not self.is_whole

    def values_of(self, number: int) -> dict[str, str]:
        """Return a record's values, to tell later whether it has changed."""
        record = self.records.get(number)
        return values_seen(self.resource, record) if record else {}


def read_index(ctx: RequestContext, resource: Resource, *, fresh: bool) -> Index:
    """Read the records of a resource, unless they are too many; at most a minute old, or read now
    if `fresh`. Raises GatewayError.
    """
    records, also = _records(ctx, resource, fresh=fresh), also_of(resource)
    if records is None:
        return Index(resource, is_whole=False)
    index = Index(resource, is_whole=True)
    if also:
        others = _records(ctx, also, fresh=fresh)
        index.is_whole = others is not None
        index.others = _by_key(also, others or [])
    for record in records:
        index.records[record.id] = record
        if number := identity.key(PHONE, record.get(PHONE)):
            index.by_number.setdefault(number, resource.title(record))
        for key in keys_of(resource, record):
            index.ids.setdefault(key, record.id)
    return index


def expire_index(ctx: RequestContext, resource: Resource) -> None:
    """Let the next `read_index` read the records from the service."""
    for each in filter(None, (resource, also_of(resource))):
        expire_rows(ctx.gateway, each.endpoint)


def _by_key(resource: Resource, records: Iterable[Record]) -> dict[str, Other]:
    return {
        key: Other(resource.singular, resource.url(record.id), resource.title(record))
        for record in records
        for key in keys_of(resource, record)
    }


def also_of(resource: Resource) -> Resource | None:
    """Return the resource whose records also count as existing, and are never changed."""
    return RESOURCES.get(ALSO.get(resource.name, ""))


def _records(ctx: RequestContext, resource: Resource, *, fresh: bool) -> Sequence[Record] | None:
    """All records of the list; None if they are too many. Raises GatewayError."""
    read = all_rows(ctx.gateway, resource.endpoint, most=MAX_PAGES, whole=True, fresh=fresh)
    return read.records if read.ended else None


def keys_of(resource: Resource, values: Mapping[str, object]) -> list[str]:
    """Return the identity keys of a record. Empty if the first of `identity_fields` is blank, or
    for a person without name, email and number.
    """
    if identity_fields := resource.identity_fields:
        parts = [_plain(values.get(name)) for name in identity_fields]
        return [" | ".join(parts)] if parts[0] else []
    is_business = str(values.get(CONTACT_TYPE)) == BUSINESS
    return identity.person_keys(values, is_business=is_business)


def search(
    gateway: Gateway, resource: Resource, body: Mapping[str, object]
) -> tuple[Record | None, bool]:
    """Return the existing record from the service's search, and whether only the name agrees.
    Raises GatewayError.
    """
    wanted = set(keys_of(resource, body))
    texts = [str(body.get(name) or "") for name in ("cstemail", resource.title_field)]
    if str(body.get(CONTACT_TYPE)) != BUSINESS:
        texts = [texts[0] or texts[1]]
    for text in dict.fromkeys(texts):
        page = gateway.list(resource.endpoint, search=text, page_size=listing.PAGE_SIZE)
        for record in page.records:
            if shared := wanted & set(keys_of(resource, record)):
                return record, identity.is_name_alone(shared)
    return None, False


def _plain(value: object) -> str:
    """Normalise a value for comparison: words in any case, moments to the minute."""
    text = identity.folded("" if value is None else str(value))
    moment = MOMENT.match(text)
    return " ".join(moment.groups()) if moment else text
