"""Tells on leaving a field whether a contact or lead with that name, email or number is there."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.core.templates import address
from dashboard.gateway import CONTACTS, LEADS, Endpoint, Gateway, GatewayError, Record, concurrency
from dashboard.people.context import StaffRequest
from dashboard.reader import lookups
from dashboard.schema.resource import DuplicateSearch, Resource

KNOWN_FIELDS = {"cstname": "name", "cstemail": "email", "cstmobile": "number"}
PHONE = "cstmobile"
PAGE = 100  # the service cannot search for numbers: those of the newest records are compared
LEAST_DIGITS = 6
MOST_SHOWN = 3
AT_ONCE = 8  # calls
# Finds a contact or lead again, by email address if it has one, else by name.
SAME_PERSON = DuplicateSearch(
    ask=lambda body: {"search": body.get("cstemail") or body.get("cstname") or ""},
    same={"cstname": "cstname", "cstemail": "cstemail"},
)


class Value(NamedTuple):
    """What was typed into one of KNOWN_FIELDS."""

    field: str
    text: str

    @property
    def key(self) -> str:
        """What two values have in common that are the same; "" for what is too short."""
        return _key(self.field, self.text)

    @property
    def search(self) -> str:
        """The search whose rows are compared; "" for the newest records."""
        return "" if self.field == PHONE else " ".join(self.text.split())


class Known(NamedTuple):
    """A record with the same value: its name, what tells it from others, and its address."""

    title: str
    hint: str
    noun: str
    url: str


def show_known(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The contacts and leads with the same ?value= of ?field=, as a fragment; empty for none."""
    value = Value(request.GET.get("field", ""), request.GET.get("value", "").strip())
    known = find_known(request.gateway, [value]).get(value, [])
    return render(request, "resources/people/_known.html", context_of_known(value, known))


def context_of_known(value: Value, known: Sequence[Known]) -> dict[str, Any]:
    """The context of the fragment resources/people/_known.html."""
    return {
        "known": known,
        "what": KNOWN_FIELDS.get(value.field, ""),
        "newest": PAGE if value.field == PHONE else 0,
    }


def find_known(gateway: Gateway, asked: Iterable[Value]) -> dict[Value, list[Known]]:
    """The contacts and leads that have one of these values, by value; at most MOST_SHOWN each.

    A search that fails finds nothing: the hint is left out, and saving is not affected.
    """
    values = [one for one in dict.fromkeys(asked) if one.field in KNOWN_FIELDS and one.key]
    searches = dict.fromkeys(one.search for one in values)
    calls = [(each, search) for search in searches for each in (CONTACTS, LEADS)]
    answers: dict[str, list[tuple[Endpoint, Record]]] = {search: [] for search in searches}
    read = partial(lookups.list_page, gateway, page_size=PAGE)
    pages = concurrency.map(lambda call: read(call[0], search=call[1]), calls, AT_ONCE)
    for (endpoint, search), page in zip(calls, pages, strict=True):
        rows = [] if isinstance(page, GatewayError) else page.records
        answers[search] += [(endpoint, record) for record in rows]
    return {one: _same(one, answers[one.search]) for one in values}


def _same(value: Value, rows: Iterable[tuple[Endpoint, Record]]) -> list[Known]:
    same = (
        _known(endpoint, record)
        for endpoint, record in rows
        if _key(value.field, str(record[value.field] or "")) == value.key
    )
    return list(islice(same, MOST_SHOWN))


def _known(endpoint: Endpoint, record: Record) -> Known:
    title = str(record[endpoint.label_field] or f"number {record.id}")
    hint = str(record["cstemail"] or record[PHONE] or "")
    return Known(title, hint, endpoint.singular, address(endpoint.name, record.id))


def _key(field: str, value: str) -> str:
    """What two values have in common that are the same: digits, or words in any case.

    "" for what is too short. Of a number the last nine digits count, so that "030 1234567" and
    "+49 30 1234567" are the same.
    """
    if field != PHONE:
        return " ".join(value.casefold().split())
    digits = re.sub(r"\D", "", value.replace("(0)", ""))
    return digits[-9:] if len(digits) >= LEAST_DIGITS else ""
