"""The addresses of jobs."""

from collections.abc import Callable, Iterable
from functools import partial, update_wrapper

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from dashboard.accounts import permissions as may
from dashboard.declare.resource import Resource
from dashboard.jobs import not_sure_page, views


def job_urls(resources: Iterable[Resource]) -> tuple[list[URLPattern], str]:
    """The pages of jobs, whose rows are records of these resources."""
    named = {resource.name: resource for resource in resources}
    show = update_wrapper(partial(views.show_job, resources=named), views.show_job)
    not_sure = update_wrapper(partial(not_sure_page.show, resources=named), not_sure_page.show)
    pages: dict[str, tuple[str, Callable[..., HttpResponseBase]]] = {
        "list": ("", views.list_jobs),
        "show": ("<int:pk>/", show),
        "pause": ("<int:pk>/pause/", views.pause),
        "resume": ("<int:pk>/continue/", views.resume),
        "stop": ("<int:pk>/stop/", views.stop),
        "repeat": ("<int:pk>/again/", views.repeat_refused),
        "not_sure": ("<int:pk>/not-sure/", not_sure),
        "not_sure_begin": ("<int:pk>/not-sure/begin/", not_sure_page.begin),
    }
    allowed = may.permission_required(may.EDIT_RECORDS)
    return [path(route, allowed(view), name=name) for name, (route, view) in pages.items()], "jobs"
