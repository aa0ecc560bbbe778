"""Finds existing contacts that a lead or its company may be, and the job that converts many leads
to contacts where no question is open. settings.JOB_KINDS names it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from dashboard.gateway import CONTACTS, GatewayError, Record
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.jobs.bulk_rows import fresh_record
from dashboard.jobs.kinds import JobKind, Slice
from dashboard.jobs.needed_contacts import get_or_create_unique
from dashboard.jobs.rows import SentRow, Skipped, send_rows
from dashboard.people.context import RequestContext
from dashboard.reader import find
from dashboard.reader.find import Match
from dashboard.reader.identity import Identity, identity_of
from dashboard.schema.new_record import build_body
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import BULK_PERMISSION, BulkAction
from dashboard.writes import writer

CARRIED = ("cstname", "cstemail", "cstmobile")  # to the contact
MAY_EXIST = "A contact already has this {}: {}."
BY_ITSELF = "Convert this lead separately."
CONVERT = BulkAction(
    name="convert",
    label="Convert to contacts",
    key="p",
    kind="bulk convert",
    verb="Convert",
    writes="contacts",
    explained=(
        "Each lead becomes a contact with its name, email and phone, in the business of its "
        "company's name, which is created if there is none. Possible duplicates are skipped and "
        "listed, so that you can convert them one by one. The leads are kept."
    ),
)


class Matches(NamedTuple):
    people: list[Match]
    businesses: list[Match]


def find_matches(ctx: RequestContext, lead: Record, *, tolerant: bool = False) -> Matches:
    """Return the people with a lead's name or email, and the businesses of its company's name.

    Raises GatewayError; if `tolerant`, a failed search counts as no match.
    """
    people: dict[int, Match] = {}
    for text in (lead["cstemail"], lead["cstname"]):
        matches = _search(ctx, text, INDIVIDUAL, tolerant=tolerant)
        people |= {match.id: match for match in matches}
    company = _search(ctx, lead["lead_company_name"], BUSINESS, tolerant=tolerant)
    return Matches(list(people.values()), company)


def same_person(people: list[Match], lead: Record) -> Match | None:
    wanted = identity_of(lead, is_business=False)
    return next((each for each in people if wanted.is_same(_identity(each))), None)


def _identity(match: Match) -> Identity:
    return identity_of(match.record or {}, is_business=False)


def _search(ctx: RequestContext, text: object, kind: int, *, tolerant: bool) -> list[Match]:
    if not isinstance(text, str) or not text.strip():
        return []
    try:
        return find.search(ctx.gateway, CONTACTS, text, {"type": str(kind)})
    except GatewayError:
        if tolerant:
            return []
        raise


def send_contact(job_slice: Slice, content: Mapping[str, Any], token: str) -> SentRow:
    """Create the contact of a lead. Raises Skipped if a person must decide."""
    lead = fresh_record(job_slice, RESOURCES[job_slice.params["of"]], content)
    matches = find_matches(job_slice.ctx, lead)
    _check_new(matches.people, lead)
    person = {name: lead[name] for name in CARRIED if isinstance(lead[name], str)}
    person["contact_type"] = INDIVIDUAL
    if company := " ".join(str(lead["lead_company_name"] or "").split()):
        person["contact_parent"] = get_or_create_unique(
            job_slice, matches.businesses, company, BUSINESS, else_do=BY_ITSELF
        )
    ctx, contacts = job_slice.ctx, RESOURCES[CONTACTS.name]
    body = build_body(ctx, contacts, person)
    writer.create(ctx=ctx, resource=contacts, body=body, token=token)
    return SentRow()


def _check_new(people: list[Match], lead: Record) -> None:
    wanted = identity_of(lead, is_business=False)
    for match in people:
        if shared := wanted.in_common(_identity(match)):
            raise Skipped(MAY_EXIST.format(" and ".join(shared), match.title), match.id)


KINDS = (
    JobKind(
        name=CONVERT.kind,
        run=partial(send_rows, send=send_contact, at_once=1),  # so that each sees those before it
        permission=BULK_PERMISSION,
        operation="create",
    ),
)
