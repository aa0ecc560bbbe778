"""The page of a contact: what they owe, and the records of other resources that are theirs."""

from typing import Any

from django.http import HttpResponse

from dashboard.documents.invoices import INVOICES
from dashboard.gateway import TASKS
from dashboard.people.context import RequestContext, page
from dashboard.records.panels import MAIN, summarise_failures
from dashboard.records.record_page import RecordPage
from dashboard.schema.resource import Resource
from dashboard.writes.history_words import Happening

from .contact_panels import CONTACT_PANELS


class ContactPage(RecordPage):
    """A contact with what they owe, their documents, deals, tasks and people."""

    panel_types = CONTACT_PANELS
    with_events = True
    happenings: list[Happening] = []

    def more(self) -> dict[str, Any]:
        main = self.on_side(MAIN)
        has_nothing = not any(each.shown or each.count or each.failure for each in main)
        closed = self.ctx.closed_areas
        statement_url = self.resource.url(self.record_id, "statement")
        more = super().more()
        return {
            **more,
            "timeline": self.history.timeline(self.happenings),
            "panels": [] if has_nothing else main,
            "has_nothing": has_nothing,
            "tasks_note": next((each.note for each in main if each.name == TASKS.name), ""),
            "no_tasks": TASKS.name in closed,
            "trouble": summarise_failures(main),
            "statement_url": "" if INVOICES.name in closed else statement_url,
            "merge_url": self.resource.url(self.record_id, "merge"),
            "figures": [] if has_nothing else more["figures"],
        }


@page
def show(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    return ContactPage(ctx, resource, record_id).render()
