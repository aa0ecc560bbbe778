"""The addresses of one resource."""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from django.contrib.auth.decorators import permission_required
from django.http import HttpResponse
from django.urls import URLPattern, path

from . import views
from .resource import Resource

View = Callable[..., HttpResponse]
Pages = dict[str, tuple[str, View, str, str]]


def urls_for(resource: Resource) -> tuple[list[URLPattern], str]:
    """The pages of a resource, each behind its permission, under the resource's own namespace."""

    def page(view: View, permission: str) -> Any:
        bound = update_wrapper(partial(view, resource=resource), view)
        return permission_required(f"accounts.{permission}", raise_exception=True)(bound)

    offered = resource.endpoint.operations | resource.endpoint.unpublished
    pages: Pages = {
        "list": ("", views.list_records, "list", "view_records"),
        "create": ("new/", views.create, "create", "edit_records"),
        "detail": ("<int:record_id>/", views.show, "get", "view_records"),
        "edit": ("<int:record_id>/edit/", views.edit, "update", "edit_records"),
        "delete": ("<int:record_id>/delete/", views.delete, "delete", "delete_records"),
    }
    patterns = [
        path(route, page(view, permission), name=name)
        for name, (route, view, operation, permission) in pages.items()
        if operation in offered
    ]
    return patterns, resource.name
