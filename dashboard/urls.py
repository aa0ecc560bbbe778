"""Every address of the dashboard."""

from django.urls import include, path

from dashboard import views
from dashboard.accounts.admin import staff_site

urlpatterns = [
    path("accounts/", include("dashboard.accounts.urls")),
    path("settings/keys/", include("dashboard.credentials.urls")),
    path("admin/", staff_site.urls),
    path("theme/", views.set_theme, name="theme"),
]
