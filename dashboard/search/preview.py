"""What the palette shows beside its hits: the customer of the hit in hand, and below the hits that
customer's documents and what can be begun for them.

Two calls at most, and only for the hit in hand: the contact, where it was not read before, and
their invoices.
"""

from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, page
from dashboard.display import values
from dashboard.documents.cells import OPEN
from dashboard.figures.sources import list_of
from dashboard.gateway import GatewayError, Page, Record
from dashboard.gateway.records import read_id
from dashboard.overviews.customer import read_customer, sums
from dashboard.overviews.months import twelve_months
from dashboard.reader.find import Match
from dashboard.resources.contacts import CONTACTS, TYPES
from dashboard.resources.invoices import INVOICES
from dashboard.search.facts import hits_of
from dashboard.search.hits import Hit, HitGroup
from dashboard.writes.failures import describe

SHOWN = 3
BEGUN = ("invoices", "tasks")  # what is offered to begin for a customer


@require_safe
@permission_required(VIEW_RECORDS)
@page
def show_preview(ctx: RequestContext) -> HttpResponse:
    """The contact in ?contact=, with their documents and actions as further hits."""
    contact = read_id(ctx.params.get("contact", ""))
    if contact is None:
        raise Http404
    [record], invoices = read_customer(ctx, [contact])
    if isinstance(record, GatewayError):
        return ctx.render("search/_preview.html", {"failure": describe(record).title})
    today = timezone.localdate()
    listed = invoices.records if isinstance(invoices, Page) else ()
    context: dict[str, Any] = {
        "name": CONTACTS.title(record),
        "about": _about(record),
        "reached": [
            each
            for each in (values.email(record["cstemail"]), values.phone(record["cstmobile"]))
            if each
        ],
        "sums": sums(ctx, invoices, today) if isinstance(invoices, Page) else [],
        "picture": twelve_months(ctx, listed, contact, today),
        "groups": [*_documents(ctx, record, listed), *_actions(ctx, record)],
        "failure": describe(invoices).title if isinstance(invoices, GatewayError) else "",
    }
    return ctx.render("search/_preview.html", context)


def _about(record: Record) -> str:
    words = [TYPES.get(record["contact_type"], ""), record.get("cstaddress")]
    return " · ".join(str(each) for each in words if each and isinstance(each, str))


def _documents(
    ctx: RequestContext, contact: Record, invoices: tuple[Record, ...]
) -> list[HitGroup]:
    """Their invoices: the open ones first, and the list of all."""
    if not invoices:
        return []
    first = sorted(invoices, key=lambda each: each["inv_status"] != OPEN)[:SHOWN]
    matches = [Match(each.id, INVOICES.title(each), "", each) for each in first]
    hits = [hit._replace(hint="") for hit in hits_of(ctx, INVOICES, matches)]
    name = CONTACTS.title(contact)
    all_url = list_of(ctx, INVOICES.name, cstid=str(contact.id)).url()
    hits.append(Hit(values.link(all_url, f"All invoices of {name}"), "", INVOICES.icon))
    return [HitGroup(f"Invoices of {name}", hits)]


def _actions(ctx: RequestContext, contact: Record) -> list[HitGroup]:
    """What is begun for the contact from here, for those who may."""
    if not ctx.may(EDIT_RECORDS):
        return []
    name = CONTACTS.title(contact)
    hits = [
        Hit(values.link(url, f"{start.label} for {name}"), "", "plus")
        for start in CONTACTS.creates
        if start.target in BEGUN and start.target not in ctx.closed_areas and not start.rare
        if (url := start.url(contact))
    ]
    return [HitGroup("Do", hits)] if hits else []
