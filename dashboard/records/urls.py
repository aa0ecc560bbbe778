"""The addresses of one resource."""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from django.http import HttpResponse
from django.urls import URLPattern, path

from dashboard.accounts import permissions as may

from . import views
from .resource import Resource

View = Callable[..., HttpResponse]
Pages = dict[str, tuple[str, View, str, str]]


def urls_for(resource: Resource) -> tuple[list[URLPattern], str]:
    """The pages of a resource, each behind its permission, under the resource's own namespace."""

    def page(view: View, permission: str) -> Any:
        bound = update_wrapper(partial(view, resource=resource), view)
        return may.permission_required(permission)(bound)

    offered = resource.endpoint.operations | resource.endpoint.unpublished
    pages: Pages = {
        "list": ("", views.list_records, "list", may.VIEW_RECORDS),
        "create": ("new/", views.create, "create", may.EDIT_RECORDS),
        "detail": ("<int:record_id>/", views.show, "get", may.VIEW_RECORDS),
        "edit": ("<int:record_id>/edit/", views.edit, "update", may.EDIT_RECORDS),
        "delete": ("<int:record_id>/delete/", views.delete, "delete", may.DELETE_RECORDS),
    }
    patterns = [
        path(route, page(view, permission), name=name)
        for name, (route, view, operation, permission) in pages.items()
        if operation in offered
    ]
    return patterns, resource.name
