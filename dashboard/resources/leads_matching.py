"""The contacts that a lead may be already, and the business that its company may be."""

from typing import Any, NamedTuple

from dashboard.context import RequestContext
from dashboard.gateway import CONTACTS, GatewayError, Record
from dashboard.reader import find
from dashboard.reader.find import Match

from .contacts import BUSINESS, INDIVIDUAL

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
