"""Every address of the dashboard."""

from django.urls import include, path

from dashboard.accounts.permissions import VIEW_RECORDS
from dashboard.declare.registry import RESOURCES
from dashboard.declare.resource import Resource, ResourcePage, record_page
from dashboard.exports.pages import pages_of as export_pages
from dashboard.imports.file_page import pages_of as import_pages
from dashboard.jobs import services as jobs
from dashboard.overviews.pages import PAGES
from dashboard.pages.history import show_record_history
from dashboard.pages.urls import urls_for

handler400 = "dashboard.site.views.bad_request"
handler403 = "dashboard.site.views.permission_denied"
handler429 = "dashboard.site.views.too_many_attempts"  # allauth asks for it by this name
handler500 = "dashboard.site.views.server_error"


def _pages_of(name: str, resource: Resource) -> dict[str, ResourcePage]:
    history = record_page("history/", show_record_history, VIEW_RECORDS)
    above = {"history": history, **PAGES.get(name, {})}
    return above | export_pages(resource) | import_pages(resource)


urlpatterns = [
    # First, as what is asked for most is found soonest.
    *(
        path(f"{name}/", include(urls_for(each, _pages_of(name, each))))
        for name, each in RESOURCES.items()
    ),
    path("", include("dashboard.operations.health")),
    path("", include("dashboard.overviews.today")),
    path("figures/", include("dashboard.figures.views")),
    path("search/", include("dashboard.search.views")),
    path("setup/", include("dashboard.setup.views")),
    path("day/", include("dashboard.pages.date_echo")),
    path("titles/", include("dashboard.display.titles")),
    path("accounts/", include("dashboard.accounts.urls")),
    path("staff/", include("dashboard.staff.views")),
    path("settings/documents/", include("dashboard.documents.settings_page")),
    path("settings/reminders/", include("dashboard.documents.reminder_settings")),
    path("settings/task-reminders/", include("dashboard.overviews.due_soon")),
    path("settings/keys/", include("dashboard.credentials.urls")),
    path("settings/service/", include("dashboard.staff.service")),
    path("settings/operation/", include("dashboard.operations.overview")),
    path("settings/workspace/", include("dashboard.staff.members")),
    path("settings/lists/", include("dashboard.catalogue.urls")),
    path("", include("dashboard.site.views")),
    path("", include("dashboard.pages.unfinished")),
    path("repeats/", include("dashboard.pages.repeating")),
    path("history/", include("dashboard.pages.history"), {"job_titles": jobs.titles}),
    path("bulk/", include("dashboard.bulk.views")),
    path("jobs/", include("dashboard.jobs.views")),
    path("exports/", include("dashboard.exports.pages")),
    path("imports/", include("dashboard.imports.pages")),
]
