"""The contacts that a lead may be already, and the business that its company may be."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from dashboard.core.templates import address
from dashboard.gateway import CONTACTS, GatewayError, Record
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.people.context import RequestContext
from dashboard.reader import find
from dashboard.reader.find import Match
from dashboard.schema import values
from dashboard.schema.values import DisplayValue

from .known_people import KNOWN_FIELDS, Value

CARRIED = ("cstname", "cstemail", "cstmobile")  # to the contact


class Matches(NamedTuple):
    """What was found among the contacts for a lead."""

    people: list[Match]
    businesses: list[Match]


def find_matches(ctx: RequestContext, lead: Record, *, tolerant: bool = False) -> Matches:
    """The people with the name or the email of a lead, and the businesses of its company's name.

    Raises GatewayError; `tolerant` of that, what could not be looked for counts as not found.
    """
    people: dict[int, Match] = {}
    for text in (lead["cstemail"], lead["cstname"]):
        matches = _search(ctx, text, INDIVIDUAL, tolerant=tolerant)
        people |= {match.id: match for match in matches}
    company = _search(ctx, lead["lead_company_name"], BUSINESS, tolerant=tolerant)
    return Matches(list(people.values()), company)


class Alike(NamedTuple):
    """A contact that a lead may be, and what both have in common, such as "same email"."""

    name: DisplayValue
    same: str
    hint: str


def alike(matches: list[Match], lead: Record) -> list[Alike]:
    """These matches for a page, those first that have most in common with the lead."""
    shown = [Alike(_link(each), ", ".join(_common(each, lead)), each.hint) for each in matches]
    return sorted(shown, key=lambda each: -len(each.same))


def _link(match: Match) -> DisplayValue:
    return values.link(address(CONTACTS.name, match.id), match.title)


def _common(match: Match, lead: Record) -> Iterator[str]:
    for name, word in {**KNOWN_FIELDS, "lead_company_name": "name"}.items():
        field = name if name in KNOWN_FIELDS else "cstname"
        theirs = match.record[field] if match.record else None
        key = Value(field, str(lead[name] or "")).key
        if key and key == Value(field, str(theirs or "")).key:
            yield f"same {word}"


def with_email(people: list[Match], lead: Record) -> Match | None:
    """The person with the email address of the lead."""
    email = str(lead["cstemail"] or "")
    return next(iter(find.called(people, email)), None) if email else None


def person_of(lead: Record) -> dict[str, Any]:
    """The body of the contact that the lead becomes, without its business."""
    body: dict[str, Any] = {name: lead[name] for name in CARRIED if isinstance(lead[name], str)}
    return {**body, "contact_type": INDIVIDUAL}


def _search(ctx: RequestContext, text: object, kind: int, *, tolerant: bool) -> list[Match]:
    if not isinstance(text, str) or not text.strip():
        return []
    try:
        return find.search(ctx.gateway, CONTACTS, text, {"type": str(kind)})
    except GatewayError:
        if tolerant:
            return []
        raise
