"""Every address of the dashboard."""

from django.urls import include, path

from dashboard.accounts.admin import staff_site

urlpatterns = [
    path("accounts/", include("dashboard.accounts.urls")),
    path("settings/keys/", include("dashboard.credentials.urls")),
    path("admin/", staff_site.urls),
]
