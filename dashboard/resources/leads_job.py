"""The job that makes a contact of each of many leads, and its business, where no question is open.

settings.JOB_KINDS names it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dashboard.gateway import CONTACTS, Record
from dashboard.gateway.api import BUSINESS
from dashboard.jobs.bulk_rows import fresh_record
from dashboard.jobs.kinds import JobKind, Turn
from dashboard.jobs.needed_contacts import the_one_or_new
from dashboard.jobs.rows import Skipped, Written, take_rows
from dashboard.reader.find import Match, called
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import BULK_PERMISSION
from dashboard.writes import writer

from . import leads_matching
from .leads import CONVERT

SAME_EMAIL = "There is a contact with this email already: {}."
SAME_NAME = "There is a contact of this name already, and the lead has no email to tell them apart."
BY_ITSELF = "Convert this lead by itself."


def send_contact(turn: Turn, content: Mapping[str, Any], token: str) -> Written:
    """Create the contact of a lead. Raises Skipped where a person must decide."""
    lead = fresh_record(turn, RESOURCES[turn.params["of"]], content)
    matches = leads_matching.find_matches(turn.ctx, lead)
    _check_new(matches.people, lead)
    body = leads_matching.person_of(lead)
    if company := " ".join(str(lead["lead_company_name"] or "").split()):
        body["contact_parent"] = the_one_or_new(
            turn, matches.businesses, company, BUSINESS, token, else_do=BY_ITSELF
        )
    contacts = RESOURCES[CONTACTS.name]
    writer.create(ctx=turn.ctx, resource=contacts, body=body, token=token)
    return Written()


def _check_new(people: list[Match], lead: Record) -> None:
    """Raises Skipped if the lead may be among the contacts."""
    name = str(lead["cstname"] or "")
    if same := leads_matching.with_email(people, lead):
        raise Skipped(SAME_EMAIL.format(same.title), same.id)
    if not lead["cstemail"] and called(people, name):
        raise Skipped(SAME_NAME)


KINDS = (
    JobKind(
        name=CONVERT.kind,
        turn=partial(take_rows, send=send_contact, at_once=1),  # so that each sees those before it
        permission=BULK_PERMISSION,
    ),
)
