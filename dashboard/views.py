"""Pages that belong to no room."""

from http import HTTPStatus
from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseRedirect,
    HttpResponseServerError,
)
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.drafts import marks
from dashboard.gateway import GatewayError
from dashboard.middleware import kept_for_later, page_of
from dashboard.records.context import StaffRequest
from dashboard.records.pages import form_drafts
from dashboard.shell import THEME_COOKIE, THEMES

A_YEAR = 365 * 24 * 60 * 60


@login_not_required
def set_theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the system says; remembered by the browser that asked."""
    back = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}):
        back = "/"
    response = HttpResponseRedirect(back)
    theme = request.POST.get("theme")
    if request.method != "POST":
        return response
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=A_YEAR, samesite="Lax", secure=settings.HTTPS_ONLY
        )
    else:
        response.delete_cookie(THEME_COOKIE)
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The 400 page. Unlike Django's own view it leaves the request alone: where its body cannot be
    read, looking for a CSRF token in it would fail again, and again in the view for that.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))


def server_error(request: HttpRequest) -> HttpResponse:
    """The 500 page, for which the same goes."""
    return HttpResponseServerError(render_to_string("500.html"))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page was open for too long, or cookies are off; the reason is for the log.

    A form comes back with everything typed and a fresh token, and is not sent; after the session
    has ended it is kept for its owner. Its signed mark says whose it is.
    """
    staff = cast(StaffRequest, request)
    mark = marks.read(request.POST.get(form_drafts.PARAM, "")) if not staff.htmx else None
    match = request.resolver_match
    if mark is None or match is None or mark.path != request.path:
        return render(request, "403_csrf.html", status=403)
    if not request.user.is_authenticated:
        return kept_for_later(request, mark)
    if not form_drafts.show_stale(staff, mark):
        return form_drafts.not_this_desk(staff, mark)
    try:
        response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    except GatewayError as error:
        return page_of(staff, error)
    if response.status_code == HTTPStatus.OK:
        response.status_code = HTTPStatus.CONFLICT
    return response
