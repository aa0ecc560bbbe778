"""The addresses of one resource."""

from collections.abc import Callable, Iterable
from functools import partial, update_wrapper

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from dashboard.accounts import permissions as may
from dashboard.gateway.fields import Operation

from . import picking, unsure, views
from .resource import Page, Resource

Pages = dict[str, Page]


def urls_for(resource: Resource) -> tuple[list[URLPattern], str]:
    """The pages of a resource, each behind its permission, under the resource's own namespace."""
    pages = {**_usual(resource), **resource.odd_pages}
    patterns = [path(page.route, _bound(page, resource), name=name) for name, page in pages.items()]
    return patterns, resource.name


def _usual(resource: Resource) -> Pages:
    offered = resource.endpoint.operations | resource.endpoint.unpublished
    pages: dict[Operation, Pages] = {
        "list": {
            "list": Page(route="", view=views.list_records, permission=may.VIEW_RECORDS),
            "pick": Page(route="pick/", view=picking.suggest, permission=may.VIEW_RECORDS),
        },
        "create": {"create": Page(route="new/", view=views.create, permission=may.EDIT_RECORDS)},
        "get": {"detail": _one("", views.show, may.VIEW_RECORDS)},
        "update": {"edit": _one("edit/", views.edit, may.EDIT_RECORDS)},
        "delete": {"delete": _one("delete/", views.delete, may.DELETE_RECORDS)},
    }
    usual = {name: page for key in pages if key in offered for name, page in pages[key].items()}
    if resource.quick_form:
        usual["quick"] = Page(route="pick/new/", view=picking.quick, permission=may.EDIT_RECORDS)
    return usual


def _one(route: str, view: Callable[..., HttpResponse], permission: str) -> Page:
    return Page(route=f"<int:record_id>/{route}", view=view, permission=permission)


def _bound(page: Page, resource: Resource) -> Callable[..., HttpResponseBase]:
    bound = update_wrapper(partial(page.view, resource=resource), page.view)
    return may.permission_required(page.permission)(bound)


def unsure_urls(resources: Iterable[Resource]) -> tuple[list[URLPattern], str]:
    """The pages that settle writes of unknown outcome, for all resources."""
    named = {resource.name: resource for resource in resources}
    pages = {
        "show": ("", unsure.show),
        "found": ("found/", unsure.found),
        "again": ("again/", unsure.send_again),
        "leave": ("leave/", unsure.leave),
    }
    patterns = []
    for name, (route, view) in pages.items():
        bound = update_wrapper(partial(view, resources=named), view)
        guarded = may.permission_required(may.EDIT_RECORDS)(bound)
        patterns.append(path(f"<int:pk>/{route}", guarded, name=name))
    return patterns, "unsure"
