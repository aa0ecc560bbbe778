"""Tells on leaving a field whether a contact or lead with that name, email or number is there."""

import re
from functools import partial
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.gateway import CONTACTS, LEADS, Endpoint, Gateway, GatewayError, Record, side_by_side
from dashboard.records.addresses import address
from dashboard.records.context import StaffRequest
from dashboard.records.references import lookups
from dashboard.records.resource import Resource

KNOWN_FIELDS = {"cstname": "name", "cstemail": "email", "cstmobile": "number"}
PHONE = "cstmobile"
PAGE = 100  # the service cannot search for numbers: those of the newest records are compared
LEAST_DIGITS = 6
MOST_SHOWN = 3


class Known(NamedTuple):
    """A record with the same value: its name, what tells it from others, and its address."""

    title: str
    hint: str
    noun: str
    url: str


def show_known(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The contacts and leads with the same ?value= of ?field=, as a fragment; empty for none.

    A search that fails finds nothing: this is a hint, and stops nobody from saving.
    """
    field, value = request.GET.get("field", ""), request.GET.get("value", "").strip()
    key = _key(field, value)
    found: list[Known] = []
    if field in KNOWN_FIELDS and key:
        calls = [partial(_find, request.gateway, each, field, value) for each in (CONTACTS, LEADS)]
        answers = side_by_side.run(calls)
        found = [one for each in answers if not isinstance(each, GatewayError) for one in each]
    context = {
        "known": found[:MOST_SHOWN],
        "what": KNOWN_FIELDS.get(field, ""),
        "newest": PAGE if field == PHONE else 0,
    }
    return render(request, "resources/people/_known.html", context)


def _find(gateway: Gateway, endpoint: Endpoint, field: str, value: str) -> list[Known]:
    search = "" if field == PHONE else " ".join(value.split())
    page = gateway.list(endpoint, search=search, page_size=PAGE)
    lookups.cache_rows(gateway, endpoint, page.records)
    same = [one for one in page.records if _key(field, str(one[field] or "")) == _key(field, value)]
    return [_known(endpoint, record) for record in same]


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
