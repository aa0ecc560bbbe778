"""The addresses of bulk jobs."""

from collections.abc import Callable

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from dashboard.accounts import permissions as may
from dashboard.bulk import views
from dashboard.bulk.kinds import MANY

PAGES: dict[str, tuple[str, Callable[..., HttpResponseBase]]] = {
    "show": ("<int:pk>/", views.show),
    "start": ("<int:pk>/start/", views.start),
    "discard": ("<int:pk>/discard/", views.discard),
    "undo": ("<int:pk>/undo/", views.undo),
    "choose": ("<str:name>/", views.choose),
}


def bulk_urls() -> tuple[list[URLPattern], str]:
    """The pages of bulk jobs, for those who may change many records."""
    allowed = may.permission_required(MANY)
    return [path(route, allowed(view), name=name) for name, (route, view) in PAGES.items()], "bulk"
