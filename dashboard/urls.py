"""Every address of the dashboard."""

from collections.abc import Mapping

from django.urls import include, path

from dashboard.gateway import CONTACTS, DEALS, TASKS
from dashboard.imports.upload import pages_of as import_pages
from dashboard.jobs.export_views import pages_of as export_pages
from dashboard.outcomes.history import show_record_history
from dashboard.overviews import (
    agenda,
    board,
    contact,
    deal,
    due_soon,
    merge,
    statement,
    task,
)
from dashboard.people.permissions import EDIT_RECORDS, VIEW_RECORDS
from dashboard.records.urls import urls_for
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource, ResourcePage, record_page

handler400 = "dashboard.site.views.bad_request"
handler403 = "dashboard.site.views.permission_denied"
handler429 = "dashboard.site.views.too_many_attempts"  # allauth asks for it by this name
handler500 = "dashboard.site.views.server_error"

# The pages that a resource has beyond its own, or in the place of those.
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


def _pages_of(name: str, resource: Resource) -> dict[str, ResourcePage]:
    history = record_page("history/", show_record_history, VIEW_RECORDS)
    above = {"history": history, **PAGES.get(name, {})}
    return above | export_pages(resource) | import_pages(resource)


urlpatterns = [
    # First, because the most frequent requests are then found soonest.
    *(
        path(f"{name}/", include(urls_for(each, _pages_of(name, each))))
        for name, each in RESOURCES.items()
    ),
    path("", include("dashboard.administration.health")),
    path("", include("dashboard.overviews.today")),
    path("figures/", include("dashboard.overviews.figure_views")),
    path("search/", include("dashboard.search.views")),
    path("setup/", include("dashboard.administration.setup")),
    path("day/", include("dashboard.records.date_echo")),
    path("titles/", include("dashboard.schema.titles")),
    path("accounts/", include("dashboard.people.account_views")),
    path("staff/", include("dashboard.administration.staff_views")),
    path("settings/", include("dashboard.administration.settings_home")),
    path("settings/documents/", include("dashboard.documents.settings")),
    path("settings/reminders/", include("dashboard.documents.reminders")),
    path("settings/task-reminders/", include("dashboard.overviews.due_soon")),
    path("settings/keys/", include("dashboard.people.key_views")),
    path("settings/service/", include("dashboard.administration.service")),
    path("settings/operation/", include("dashboard.administration.status")),
    path("settings/workspace/", include("dashboard.administration.members")),
    path("settings/lists/", include("dashboard.office.urls")),
    path("", include("dashboard.site.views")),
    path("unsure/", include("dashboard.outcomes.write_page")),
    path("unfinished/", include("dashboard.outcomes.unfinished")),
    path("repeats/", include("dashboard.records.repeats")),
    path("history/", include("dashboard.outcomes.history")),
    path("bulk/", include("dashboard.jobs.bulk")),
    path("jobs/", include("dashboard.jobs.views")),
    path("imports/", include("dashboard.imports.views")),
]
