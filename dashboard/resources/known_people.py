"""Tells on leaving a field whether a contact or lead with that name, email or number is there."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.core.templates import address
from dashboard.gateway import CONTACTS, LEADS, Endpoint, Gateway, GatewayError, Record, concurrency
from dashboard.people.context import StaffRequest
from dashboard.reader import identity, lookups
from dashboard.schema.resource import DuplicateSearch, Resource

PAGE = 100  # the service cannot search for numbers: those of the newest records are compared
MAX_SHOWN = 3
AT_ONCE = 8  # calls
# Finds a contact or lead again, by email address if it has one, else by name.
SAME_PERSON = DuplicateSearch(
    ask=lambda body: {"search": body.get("cstemail") or body.get("cstname") or ""},
    same={"cstname": "cstname", "cstemail": "cstemail"},
)


class Known(NamedTuple):
    """A record with the same value: its name, what tells it from others, and its address."""

    title: str
    hint: str
    noun: str
    url: str


def show_known(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The contacts and leads with the same ?value= of ?field=, as a fragment; empty for none."""
    field, text = request.GET.get("field", ""), request.GET.get("value", "").strip()
    known = find_known(request.gateway, {field: text}).get(field, [])
    return render(request, "resources/people/_known.html", context_of_known(field, known))


def context_of_known(field: str, known: Sequence[Known]) -> dict[str, Any]:
    """The context of the fragment resources/people/_known.html."""
    return {
        "known": known,
        "what": identity.FIELDS.get(field, ""),
        "newest": PAGE if field == identity.PHONE else 0,
    }


def find_known(gateway: Gateway, typed: Mapping[str, str]) -> dict[str, list[Known]]:
    """The contacts and leads with the same value, by field; at most MAX_SHOWN each. `typed`: texts
    by field, of which those of identity.FIELDS count.

    A search that fails finds nothing: the hint is left out, and saving is not affected.
    """
    keys = {each: key for each in identity.FIELDS if (key := identity.key(each, typed.get(each)))}
    searches = {each: _search(each, typed[each]) for each in keys}
    calls = [(each, text) for text in set(searches.values()) for each in (CONTACTS, LEADS)]
    read = partial(lookups.list_page, gateway, page_size=PAGE)
    pages = concurrency.map(lambda call: read(call[0], search=call[1]), calls, AT_ONCE)
    rows = [
        (text, endpoint, record)
        for (endpoint, text), page in zip(calls, pages, strict=True)
        if not isinstance(page, GatewayError)
        for record in page.records
    ]
    return {
        field: [
            _known(endpoint, record)
            for text, endpoint, record in rows
            if text == searches[field] and identity.key(field, record[field]) == key
        ][:MAX_SHOWN]
        for field, key in keys.items()
    }


def _search(field: str, text: str) -> str:
    """The search whose rows are compared; "" for the newest records."""
    return "" if field == identity.PHONE else " ".join(text.split())


def _known(endpoint: Endpoint, record: Record) -> Known:
    title = str(record[endpoint.label_field] or f"number {record.id}")
    hint = str(record["cstemail"] or record[identity.PHONE] or "")
    return Known(title, hint, endpoint.singular, address(endpoint.name, record.id))
