"""The pages that a resource has beyond its own, or in the place of those."""

from collections.abc import Mapping

from dashboard.gateway import CONTACTS, DEALS, TASKS
from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS
from dashboard.schema.resource import ResourcePage, record_page

from . import agenda, board, contact, deal, due_soon, merge, statement, task

PAGES: Mapping[str, Mapping[str, ResourcePage]] = {
    CONTACTS.name: {
        "detail": record_page("", contact.show_contact, VIEW_RECORDS),
        "statement": record_page("statement/", statement.show_statement, VIEW_RECORDS),
        "merge": record_page("merge/", merge.merge_contacts, EDIT_RECORDS),
        "remind": record_page("remind/", statement.open_reminder, EDIT_RECORDS),
    },
    DEALS.name: {
        "detail": record_page("", deal.show_deal, VIEW_RECORDS),
        "stage": record_page("stage/", deal.move_deal, EDIT_RECORDS),
        "board": ResourcePage("board/", board.show_board, VIEW_RECORDS),
    },
    TASKS.name: {
        "detail": record_page("", task.show_task, VIEW_RECORDS),
        "agenda": ResourcePage("agenda/", agenda.show_agenda, VIEW_RECORDS),
        "due": ResourcePage("due/", due_soon.list_due, VIEW_RECORDS),
        "due_one": ResourcePage("due/<int:record_id>/", due_soon.show_due, VIEW_RECORDS),
        "done": record_page("done/", task.complete_task, EDIT_RECORDS),
    },
}
