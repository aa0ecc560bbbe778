"""Finds existing records: people and businesses by reader/identity.py, others by the fields of
Resource.identity_fields.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dashboard.gateway import Gateway, Record
from dashboard.imports.targets import BUSINESS, CONTACT_TYPE
from dashboard.jobs.bulk_selection import values_seen
from dashboard.people.context import RequestContext
from dashboard.reader import identity, listing, lookups
from dashboard.reader.all_rows import all_rows, expire_rows
from dashboard.reader.identity import PHONE, Identity, Key
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.plain import folded

ALSO = {"leads": "contacts"}
MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[ t](\d{2}:\d{2})")
MAX_PAGES = 50  # of the list that are read for the check of a file


class Existing(NamedTuple):
    """An existing record. `noun`: of its resource, if it is another one, which is never changed.
    `hint`: its email and number.
    """

    id: int
    title: str
    url: str
    noun: str = ""
    hint: str = ""


@dataclass
class Index:
    """The records of the list by id, and by identity keys with those of the resource in ALSO.
    `is_whole`: whether all were read; if not, each row is looked up when it is sent.
    """

    resource: Resource
    is_whole: bool
    records: dict[int, Record] = field(default_factory=dict)
    found: dict[Key, tuple[Resource, Record]] = field(default_factory=dict)

    def add(self, resource: Resource, records: Iterable[Record]) -> None:
        for record in records:
            for key in identity_of(resource, record).keys:
                self.found.setdefault(key, (resource, record))

    def read_records(self, gateway: Gateway, numbers: Iterable[int]) -> None:
        self.records |= lookups.read_records(gateway, self.resource.endpoint, numbers)

    def find(self, wanted: Identity) -> Existing | None:
        key = next((key for key in wanted.wanted if key in self.found), None)
        return self._existing(*self.found[key]) if key else None

    def find_similar(self, wanted: Identity) -> tuple[str, Existing] | None:
        """Return the word for a value that a record has in common, and the record."""
        for word, key in wanted.shared.items():
            if key in self.found:
                return word, self._existing(*self.found[key])
        return None

    def with_id(self, number: int) -> Existing | None:
        if record := self.records.get(number):
            return self._existing(self.resource, record)
        title = f"{self.resource.singular.capitalize()} {number}"
        unread = Existing(number, title, self.resource.url(number))
        return None if self.is_whole else unread

    def _existing(self, resource: Resource, record: Record) -> Existing:
        hint = [str(record[name]) for name in ("cstemail", PHONE) if record.get(name)]
        noun = "" if resource is self.resource else resource.singular
        url, title = resource.url(record.id), resource.title(record)
        return Existing(record.id, title, url, noun, ", ".join(hint))

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
    index.records = {record.id: record for record in records}
    index.add(resource, records)
    if also:
        others = _records(ctx, also, fresh=fresh)
        index.is_whole = others is not None
        index.add(also, others or [])
    return index


def expire_index(ctx: RequestContext, resource: Resource) -> None:
    """Let the next `read_index` read the records from the service."""
    for each in filter(None, (resource, also_of(resource))):
        expire_rows(ctx.gateway, each.endpoint)


def also_of(resource: Resource) -> Resource | None:
    """Return the resource whose records also count as existing, and are never changed."""
    return RESOURCES.get(ALSO.get(resource.name, ""))


def _records(ctx: RequestContext, resource: Resource, *, fresh: bool) -> Sequence[Record] | None:
    read = all_rows(ctx.gateway, resource.endpoint, most=MAX_PAGES, whole=True, fresh=fresh)
    return read.records if read.ended else None


def identity_of(resource: Resource, values: Mapping[str, object]) -> Identity:
    """Return the identity of a record; one without keys if the first of `identity_fields` is
    blank.
    """
    if identity_fields := resource.identity_fields:
        parts = tuple(_plain(values.get(name)) for name in identity_fields)
        return Identity((parts,), (parts,)) if parts[0] else Identity()
    is_business = str(values.get(CONTACT_TYPE)) == BUSINESS
    return identity.identity_of(values, is_business=is_business)


def search(
    gateway: Gateway, resource: Resource, body: Mapping[str, object], others: Container[str] = ()
) -> tuple[Record | None, Record | None]:
    """Return the same record from the service's search, and one that has an email or a name in
    common and is none of `others` (digests of identities). Raises GatewayError.
    """
    wanted = identity_of(resource, body)
    texts = (str(body.get(name) or "") for name in ("cstemail", resource.title_field))
    similar: Record | None = None
    for text in dict.fromkeys(filter(None, texts)):
        page = gateway.list(resource.endpoint, search=text, page_size=listing.PAGE_SIZE)
        for record in page.records:
            other = identity_of(resource, record)
            if wanted.is_same(other):
                return record, None
            if similar is None and wanted.in_common(other) and other.digest not in others:
                similar = record
    return None, similar


def _plain(value: object) -> str:
    """Normalise a value for comparison: words in any case, moments to the minute."""
    text = folded("" if value is None else str(value))
    moment = MOMENT.match(text)
    return " ".join(moment.groups()) if moment else text
