"""Makes a contact of each of many leads, and its business, where no question is open."""

from collections.abc import Mapping
from typing import Any

from dashboard import resources
from dashboard.bulk.sending import fresh_record
from dashboard.gateway import CONTACTS, OutcomeUnknown, Record
from dashboard.jobs.kinds import Turn
from dashboard.jobs.rows import Skipped, Written
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.reader.find import MOST_MATCHES, Match, called
from dashboard.resources import leads_matching
from dashboard.writes import writer
from dashboard.writes.stored_outcomes import StillSending

SAME_EMAIL = "There is a contact with this email already: {}."
SAME_NAME = "There is a contact of this name already, and the lead has no email to tell them apart."
SEVERAL = "There may be several businesses called “{}”. Convert this lead by itself."
NOT_SURE = (
    "It is not sure whether the business “{}” was created: see Not sure. Then convert this lead by "
    "itself."
)
COMPANY = ":company"  # ends the token of the write of a business


def send_contact(turn: Turn, content: Mapping[str, Any], token: str) -> Written:
    """Create the contact of a lead. Raises Skipped where a person must decide."""
    lead = fresh_record(turn, resources.BY_NAME[turn.params["of"]], content)
    matches = leads_matching.find_matches(turn.ctx, lead)
    _check_new(matches.people, lead)
    body = leads_matching.person_of(lead)
    if company := " ".join(str(lead["lead_company_name"] or "").split()):
        body["contact_parent"] = _business(turn, matches.businesses, company, token)
    contacts = resources.BY_NAME[CONTACTS.name]
    writer.create(ctx=turn.ctx, resource=contacts, body=body, token=token)
    return Written()


def _check_new(people: list[Match], lead: Record) -> None:
    """Raises Skipped if the lead may be among the contacts."""
    name = str(lead["cstname"] or "")
    if same := leads_matching.with_email(people, lead):
        raise Skipped(SAME_EMAIL.format(same.title), same.id)
    if not lead["cstemail"] and called(people, name):
        raise Skipped(SAME_NAME)


def _business(turn: Turn, matches: list[Match], name: str, token: str) -> int:
    """The id of the business of that name, which is created if there is none. Raises Skipped."""
    same = called(matches, name)
    if len(same) == 1:
        return same[0].id
    if same or len(matches) >= MOST_MATCHES:
        raise Skipped(SEVERAL.format(name))
    return _created_before(turn, name) or _create_business(turn, name, token)


def _create_business(turn: Turn, name: str, token: str) -> int:
    contacts = resources.BY_NAME[CONTACTS.name]
    body = leads_matching.business_of(name)
    try:
        made = writer.create(ctx=turn.ctx, resource=contacts, body=body, token=token + COMPANY)
    except StillSending:
        raise
    except OutcomeUnknown:
        raise Skipped(NOT_SURE.format(name)) from None
    if made.id is None:
        raise Skipped(NOT_SURE.format(name))
    return made.id


def _created_before(turn: Turn, name: str) -> int | None:
    """The business that this job has created for another lead, or for this one in a turn that was
    broken off, as a search may not find what was just created.
    """
    written = Write.objects.filter(job=turn.job.pk, token__endswith=COMPANY)
    for row in written.filter(state=Write.State.SAVED):
        if ledger.label_of(row).casefold() == name.casefold():
            return row.record_id
    return None
