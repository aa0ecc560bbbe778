"""The addresses of the pages of one resource."""

from collections.abc import Mapping

from django.urls import URLPattern, path

from dashboard.gateway.api import Operation
from dashboard.lists import saved_lists, views
from dashboard.people import permissions as may
from dashboard.records import delete, forms, picker_views, repeats
from dashboard.records.record_page import show_record
from dashboard.schema.resource import Resource, ResourcePage, record_page

Pages = dict[str, ResourcePage]


def urls_for(
    resource: Resource, others: Mapping[str, ResourcePage]
) -> tuple[list[URLPattern], str]:
    """Return the pages of a resource, each behind its permission, and the resource's namespace.

    others: pages of rooms above, which replace the default ones of the same name.
    """
    pages = {**_usual(resource), **resource.extra_pages, **others}
    patterns = [
        path(
            page.route,
            may.permission_required(page.permission)(page.view),
            {"resource": resource},
            name=name,
        )
        for name, page in pages.items()
    ]
    return patterns, resource.name


def _usual(resource: Resource) -> Pages:
    offered = resource.endpoint.operations | resource.endpoint.unpublished
    pages: dict[Operation, Pages] = {
        "list": {
            "list": ResourcePage("", views.list_records, may.VIEW_RECORDS),
            "save_view": ResourcePage("views/save/", saved_lists.save_view, may.VIEW_RECORDS),
            "edit_view": ResourcePage("views/<int:pk>/", saved_lists.save_view, may.VIEW_RECORDS),
            "first_view": ResourcePage("views/first/", saved_lists.choose_first, may.VIEW_RECORDS),
            "cells": ResourcePage("cells/", views.show_cells, may.VIEW_RECORDS),
            "look_through": ResourcePage("look-through/", views.look_through, may.VIEW_RECORDS),
            "sums": ResourcePage("sums/", views.sum_chosen, may.VIEW_RECORDS),
            "sum_all": ResourcePage("sum/", views.sum_all, may.VIEW_RECORDS),
            "panel": ResourcePage("panel/", views.show_panel, may.VIEW_RECORDS),
            "pick": ResourcePage("pick/", picker_views.suggest_matches, may.VIEW_RECORDS),
        },
        "create": {"create": ResourcePage("new/", forms.create, may.EDIT_RECORDS)},
        "get": {"detail": record_page("", show_record, may.VIEW_RECORDS)},
        "update": {"edit": record_page("edit/", forms.edit, may.EDIT_RECORDS)},
        "delete": {"delete": record_page("delete/", delete.delete, may.DELETE_RECORDS)},
    }
    usual = {name: page for key in pages if key in offered for name, page in pages[key].items()}
    if resource.repeats:
        usual["repeat"] = record_page("repeat/", repeats.change_repeat, may.EDIT_RECORDS)
    if resource.quick_form:
        usual["quick"] = ResourcePage("pick/new/", picker_views.create_in_place, may.EDIT_RECORDS)
    return usual
