"""Finds the records that are there already: people by email, by number, or by name without either,
others by the fields of Resource.same_by.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dashboard.gateway import Gateway, Record
from dashboard.records.context import RequestContext
from dashboard.records.lists import paging
from dashboard.records.lists.query import ListQuery
from dashboard.records.resource import Resource
from dashboard.resources.known_people import KNOWN_FIELDS, Value

MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[ t](\d{2}:\d{2})")
MOST_PAGES = 50  # of the list that are read for the check of a file


@dataclass
class Index:
    """The records of the list by what they are known by. `is_whole`: whether all were read; if
    not, each row is looked up when it is sent.
    """

    is_whole: bool
    records: dict[str, tuple[int, str]] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)

    def find(self, keys: Iterable[str]) -> tuple[int, str] | None:
        """The id and the title of the record with one of these keys."""
        return next((self.records[key] for key in keys if key in self.records), None)

    def of_id(self, number: int, noun: str) -> tuple[int, str] | None:
        """The record with this id; None if there is certainly none."""
        if self.is_whole and number not in self.titles:
            return None
        return number, self.titles.get(number, f"{noun.capitalize()} {number}")


def read_index(ctx: RequestContext, resource: Resource) -> Index:
    """The records of a resource, unless they are too many to be read at once. Raises
    GatewayError.
    """
    query, first, _ = paging.begin(ctx, ListQuery(resource))
    if first.total_pages is None or first.total_pages > MOST_PAGES:
        return Index(is_whole=False)
    index = Index(is_whole=True)
    for page in paging.all_pages(ctx.gateway, query, first):
        for record in page.records:
            index.titles[record.id] = resource.title(record)
            for key in keys_of(resource, record):
                index.records.setdefault(key, (record.id, resource.title(record)))
    return index


def keys_of(resource: Resource, values: Mapping[str, object]) -> list[str]:
    """What a record is known by; nothing without the first field of `same_by`, or for a person
    without name, email and number.
    """
    if same_by := resource.same_by:
        parts = [_plain(values.get(name)) for name in same_by]
        return [" | ".join(parts)] if parts[0] else []
    given = {name: str(values.get(name) or "") for name in KNOWN_FIELDS}
    found = {name: Value(name, text).key for name, text in given.items()}
    keys = [f"{name} {key}" for name, key in found.items() if key]
    return [key for key in keys if not key.startswith("cstname ")] or keys


def search(gateway: Gateway, resource: Resource, body: Mapping[str, object]) -> Record | None:
    """The record that is there already, as the service finds it now. Raises GatewayError."""
    wanted = set(keys_of(resource, body))
    text = str(body.get("cstemail") or body.get(resource.title_field) or "")
    page = gateway.list(resource.endpoint, search=text, page_size=paging.PAGE_SIZE)
    same = (record for record in page.records if wanted & set(keys_of(resource, record)))
    return next(same, None)


def _plain(value: object) -> str:
    """A value as it is compared: words in any case, and moments to the minute."""
    text = " ".join(str("" if value is None else value).casefold().split())
    moment = MOMENT.match(text)
    return " ".join(moment.groups()) if moment else text
