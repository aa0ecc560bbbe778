"""Makes a contact of each of many leads, where no question is open."""

from collections.abc import Mapping
from typing import Any

from dashboard import resources
from dashboard.bulk.sending import fresh_record
from dashboard.gateway import CONTACTS, Record
from dashboard.jobs.kinds import Turn
from dashboard.jobs.rows import Skipped, Written
from dashboard.records.context import RequestContext
from dashboard.records.forms import pickers
from dashboard.records.writes import writer
from dashboard.resources.contacts import BUSINESS, INDIVIDUAL

CARRIED = ("cstname", "cstemail", "cstmobile")
EXPLAINED = (
    "Each lead becomes a contact with its name, email and phone, in the business of its company's "
    "name. One that may be a contact already, or whose business is not among the contacts, is left "
    "out and listed, to be converted by itself. The leads stay."
)
SAME_EMAIL = "There is a contact with this email already: {}."
SAME_NAME = "There is a contact of this name already, and the lead has no email to tell them apart."
NO_BUSINESS = "There is no business called “{}” yet, or several. Convert this lead by itself."


def send_contact(turn: Turn, content: Mapping[str, Any], token: str) -> Written:
    """Create the contact of a lead. Raises Skipped where a person must decide."""
    lead = fresh_record(turn, resources.BY_NAME[turn.params["of"]], content)
    _check_new(turn.ctx, lead)
    body = {name: lead[name] for name in CARRIED if isinstance(lead[name], str)}
    body["contact_type"] = INDIVIDUAL
    if company := lead["lead_company_name"]:
        body["contact_parent"] = _business(turn.ctx, str(company))
    contacts = resources.BY_NAME[CONTACTS.name]
    return Written(writer.create(ctx=turn.ctx, resource=contacts, body=body, token=token).id)


def _check_new(ctx: RequestContext, lead: Record) -> None:
    """Raises Skipped if the lead may be among the contacts."""
    email, name = str(lead["cstemail"] or ""), str(lead["cstname"] or "")
    found = pickers.search(
        ctx, CONTACTS, search=email or name, base_filters={"type": str(INDIVIDUAL)}
    )
    if not email and any(match.is_called(name) for match in found):
        raise Skipped(SAME_NAME)
    same = [match for match in found if email and match.hint.casefold() == email.casefold()]
    if same:
        raise Skipped(SAME_EMAIL.format(same[0].title), same[0].id)


def _business(ctx: RequestContext, name: str) -> int:
    found = pickers.search(ctx, CONTACTS, search=name, base_filters={"type": str(BUSINESS)})
    match = pickers.exact_match(found, name)
    if match is None:
        raise Skipped(NO_BUSINESS.format(name))
    return match.id
