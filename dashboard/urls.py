"""Every address of the dashboard."""

from django.urls import include, path

from dashboard.accounts import permissions as may
from dashboard.bulk.views import bulk_urls
from dashboard.declare.registry import RESOURCES
from dashboard.display import titles
from dashboard.documents import reminder_settings, settings_page
from dashboard.exports.pages import export_urls
from dashboard.exports.pages import pages_of as export_pages
from dashboard.figures.views import urls as figure_urls
from dashboard.imports.file_page import pages_of as import_pages
from dashboard.imports.pages import import_urls
from dashboard.jobs import services as jobs
from dashboard.jobs.views import job_urls
from dashboard.operations import health, overview
from dashboard.overviews import due_soon
from dashboard.overviews.pages import PAGES
from dashboard.pages import date_echo
from dashboard.pages.urls import history_urls, repeat_urls, unfinished_urls, unsure_urls, urls_for
from dashboard.search.views import urls as search_urls
from dashboard.setup import views as setup
from dashboard.site import views
from dashboard.staff import members, service
from dashboard.staff import views as staff
from dashboard.today.views import urls as today_urls

handler400, handler403, handler500 = (
    views.bad_request,
    views.permission_denied,
    views.server_error,
)
handler429 = views.too_many_attempts  # allauth asks for it by this name

urlpatterns = [
    # First, as what is asked for most is found soonest.
    *(
        path(
            f"{each.name}/",
            include(
                urls_for(
                    each,
                    {
                        **PAGES.get(each.name, {}),
                        **export_pages(each),
                        **import_pages(each),
                    },
                )
            ),
        )
        for each in RESOURCES.values()
    ),
    path("healthz", health.is_alive, name="healthz"),
    path("readyz", health.is_ready, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("", include(today_urls)),
    path("figures/", include(figure_urls)),
    path("search/", include(search_urls)),
    path("setup/", include(setup.urls)),
    path("day/", date_echo.echo_date, name="day"),
    path("settings/documents/", include(settings_page.urls)),
    path("settings/reminders/", include(reminder_settings.urls)),
    path("settings/task-reminders/", due_soon.settings, name="task_reminders"),
    path("accounts/", include("dashboard.accounts.urls")),
    path("settings/keys/", include("dashboard.credentials.urls")),
    path("settings/service/", include(service.urls)),
    path("settings/operation/", include(overview.urls)),
    path("settings/workspace/", include(members.urls)),
    path("titles/", may.permission_required(may.VIEW_RECORDS)(titles.late), name="titles"),
    path("settings/lists/", include("dashboard.catalogue.urls")),
    path("settings/", views.show_settings, name="settings"),
    path("help/", views.show_help, name="help"),
    path("help/keys/", views.show_keys, name="help_keys"),
    path("theme/", views.set_theme, name="theme"),
    path("staff/", include(staff.urls)),
    path("unfinished/", include(unfinished_urls())),
    path("repeats/", include(repeat_urls())),
    path("history/", include(history_urls(jobs.titles))),
    path("unsure/", include(unsure_urls())),
    path("bulk/", include(bulk_urls())),
    path("jobs/", include(job_urls())),
    path("exports/", include(export_urls())),
    path("imports/", include(import_urls())),
]
