"""The pages that a resource has beyond its own, or in the place of those."""

from collections.abc import Mapping

from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS
from dashboard.declare.resource import ResourcePage
from dashboard.gateway import CONTACTS, DEALS, TASKS

from . import agenda, board, contact, customer, deal, due_soon, merge, statement, task

PAGES: Mapping[str, Mapping[str, ResourcePage]] = {
    CONTACTS.name: {
        "detail": ResourcePage(
            route="<int:record_id>/", view=contact.show, permission=VIEW_RECORDS
        ),
        "card": ResourcePage(
            route="<int:record_id>/card/", view=customer.show_card, permission=VIEW_RECORDS
        ),
        "statement": ResourcePage(
            route="<int:record_id>/statement/", view=statement.show, permission=VIEW_RECORDS
        ),
        "merge": ResourcePage(
            route="<int:record_id>/merge/", view=merge.merge, permission=EDIT_RECORDS
        ),
        "remind": ResourcePage(
            route="<int:record_id>/remind/", view=statement.remind, permission=EDIT_RECORDS
        ),
    },
    DEALS.name: {
        "detail": ResourcePage(route="<int:record_id>/", view=deal.show, permission=VIEW_RECORDS),
        "stage": ResourcePage(
            route="<int:record_id>/stage/", view=deal.move, permission=EDIT_RECORDS
        ),
        "board": ResourcePage(route="board/", view=board.show, permission=VIEW_RECORDS),
    },
    TASKS.name: {
        "detail": ResourcePage(route="<int:record_id>/", view=task.show, permission=VIEW_RECORDS),
        "agenda": ResourcePage(route="agenda/", view=agenda.show, permission=VIEW_RECORDS),
        "due": ResourcePage(route="due/", view=due_soon.list_due, permission=VIEW_RECORDS),
        "due_one": ResourcePage(
            route="due/<int:record_id>/", view=due_soon.show_due, permission=VIEW_RECORDS
        ),
        "done": ResourcePage(
            route="<int:record_id>/done/", view=task.complete, permission=EDIT_RECORDS
        ),
    },
}
