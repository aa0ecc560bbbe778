"""The preview beside the palette's hits: the customer of the selected hit, their documents, and
forms that can be opened for them.

At most two calls, only for the selected hit: the contact if it was not read before, and their
invoices.
"""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.core.templates import address
from dashboard.documents.cells import OPEN
from dashboard.documents.invoices import INVOICES
from dashboard.gateway import Page, Record
from dashboard.gateway.records import read_id
from dashboard.overviews.contact import twelve_months
from dashboard.overviews.customer import CustomerPanel
from dashboard.people.context import RequestContext, page
from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.reader.find import Match
from dashboard.records.panels import gather
from dashboard.resources.contacts import CONTACTS, TYPES
from dashboard.schema import values
from dashboard.search.hits import Hit, HitGroup, hits_of

MAX_INVOICES = 3
CREATED_FOR_THEM = ("invoices", "tasks")  # what is offered to begin for a customer


class Preview(CustomerPanel):
    """A contact, with their documents and actions as further hits. subject: the contact's id."""

    name, template = "preview", "search/_preview.html"
    contact: Record | None = None
    about = ""
    groups: tuple[HitGroup, ...] = ()

    @property
    def contacts(self) -> list[int]:
        return [self.subject]

    def build(self, invoices: Page | None = None, **contacts: Record) -> None:
        super().build(invoices, **contacts)
        self.contact = next(iter(self.records), None)
        if self.contact is None:
            return
        self.title, self.about = CONTACTS.title(self.contact), _about(self.contact)
        listed = invoices.records if invoices else ()
        self.picture = twelve_months(self.ctx, listed, self.subject)
        documents, actions = (
            _documents(self.ctx, self.contact, listed),
            _actions(self.ctx, self.contact),
        )
        self.groups = (*documents, *actions)


PREVIEW_PANELS = (Preview,)


@require_safe
@permission_required(VIEW_RECORDS)
@page
def show_preview(ctx: RequestContext) -> HttpResponse:
    contact = read_id(ctx.params.get("contact", ""))
    if contact is None:
        raise Http404
    return ctx.render("records/_panels.html", {"panels": gather(PREVIEW_PANELS, ctx, contact)})


def _about(record: Record) -> str:
    words = [TYPES.get(record["contact_type"], ""), record.get("cstaddress")]
    return " · ".join(str(each) for each in words if each and isinstance(each, str))


def _documents(
    ctx: RequestContext, contact: Record, invoices: tuple[Record, ...]
) -> list[HitGroup]:
    if not invoices:
        return []
    first = sorted(invoices, key=lambda each: each["inv_status"] != OPEN)[:MAX_INVOICES]
    matches = [Match(each.id, INVOICES.title(each), "", each) for each in first]
    hits = [hit._replace(hint="") for hit in hits_of(ctx, INVOICES, matches)]
    name = CONTACTS.title(contact)
    all_url = address(INVOICES.name, query={"cstid": str(contact.id)})
    statement = CONTACTS.url(contact.id, "statement")
    for url, label in (
        (all_url, f"All invoices of {name}"),
        (statement, f"Statement for {name}"),
    ):
        hits.append(Hit(values.link(url, label), "", INVOICES.icon))
    return [HitGroup(f"Invoices of {name}", hits)]


def _actions(ctx: RequestContext, contact: Record) -> list[HitGroup]:
    if not ctx.may(EDIT_RECORDS):
        return []
    name = CONTACTS.title(contact)
    hits = [
        Hit(values.link(url, f"{start.label} for {name}"), "", "plus")
        for start in CONTACTS.creates
        if start.target in CREATED_FOR_THEM
        and start.target not in ctx.closed_areas
        and not start.rare
        if (url := start.url(contact))
    ]
    return [HitGroup("Create", hits)] if hits else []
