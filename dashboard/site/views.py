"""The help page, the theme switch and the error pages of the whole site."""

import sys
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.exceptions import SessionInterrupted
from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    HttpResponseServerError,
)
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import defaults
from django.views.decorators.http import require_safe

from dashboard.core import security_log
from dashboard.gateway import GatewayError
from dashboard.outcomes import error_pages
from dashboard.people.context import StaffRequest
from dashboard.reader.failures import Failure, describe
from dashboard.records import form_drafts
from dashboard.site import key_letters
from dashboard.site.middleware import render_failure, save_draft_and_login
from dashboard.site.shell import KEYS_COOKIE, THEME_COOKIE, THEMES

NOT_READ = Failure(
    "Entry Desk could not read this",
    "The address is mistyped, or your browser sent incomplete data. Nothing was changed.",
    HTTPStatus.BAD_REQUEST,
)
OTHER_HOST = Failure(
    "Wrong web address",
    "Ask your administrator for the address.",
    HTTPStatus.BAD_REQUEST,
)
TOO_MUCH = Failure(
    "Too much data",
    "Nothing was changed. Go back in your browser: what you typed is still there. Try a smaller "
    "file or fewer rows.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
)
A_YEAR = 365 * 24 * 60 * 60


@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    return render(request, "site/help.html", {"key_groups": key_letters.GROUPS})


@require_safe
def show_keys(request: HttpRequest) -> HttpResponse:
    """Return the dialog of "?" as a fragment, or as a page of its own."""
    if request.headers.get("HX-Request") != "true":
        return render(request, "site/keys.html", {"key_groups": key_letters.GROUPS})
    response = render(request, "_keys.html", {"groups": key_letters.of_dialog()})
    response.set_cookie(KEYS_COOKIE, "1", samesite="Lax", secure=settings.HTTPS_ONLY)
    return response


@login_not_required
@require_safe
def show_security_contact(request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116), which expires within a year; 404 without a contact."""
    contact = settings.SECURITY_CONTACT
    if not contact:
        raise Http404
    scheme = "" if contact.startswith("https:") else "mailto:"
    expires = datetime.now(UTC) + timedelta(days=360)
    text = f"Contact: {scheme}{contact}\nExpires: {expires:%Y-%m-%dT00:00:00Z}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@login_not_required
def set_theme(request: HttpRequest) -> HttpResponse:
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
    """Return the page with 400, or with 413 for too large a form, rendered without the request:
    Django's own view looks for a CSRF token in the body, which fails again if the body cannot be
    read.
    """
    request.refused = type(exception).__name__  # type: ignore[attr-defined]  # for the log
    page = error_pages.answer(request, _failure_of_session(exception))
    return page or _refusal(exception)


def _refusal(error: Exception) -> HttpResponse:
    is_elsewhere = isinstance(error, DisallowedHost)
    failure = OTHER_HOST if is_elsewhere else NOT_READ
    if isinstance(error, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        failure = TOO_MUCH
    page = render_to_string("400.html", {"failure": failure, "is_elsewhere": is_elsewhere})
    return HttpResponse(page, status=failure.status)


def _failure_of_session(error: Exception) -> BaseException | None:
    """Return the database error that kept the session from being stored after the view, else None.
    Django raises SessionInterrupted also for a session that another request has ended; the cause is
    two steps back.
    """
    if not isinstance(error, SessionInterrupted) or error.__context__ is None:
        return None
    cause = error.__context__.__context__
    return cause if isinstance(cause, OperationalError | InterfaceError) else None


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page after an exception: the outcome of a write, 503 if the database is away, else
    500. Rendered without the request for the same reason.
    """
    page = error_pages.answer(request, sys.exception())
    return page or HttpResponseServerError(render_to_string("500.html"))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return Django's 403 page, and log who asked for what."""
    _log_refusal(request, "permission refused")
    return defaults.permission_denied(request, exception)


def _log_refusal(request: HttpRequest, event: str) -> None:
    match = request.resolver_match
    view = match.view_name if match else ""
    security_log.record_event(event, person=request.user.pk, view=view, method=request.method)


def too_many_attempts(request: HttpRequest) -> HttpResponse:
    """Return allauth's 429 page for a network address or person, and log who tried what."""
    _log_refusal(request, "attempts limited")
    return render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a POST with a missing or outdated CSRF token. `reason` is Django's, unused: it may
    quote the sender. A form with a valid mark is shown again with everything typed and a fresh
    token (409); nothing is sent to the service. After the session has ended it is stored as a draft
    of its owner.
    """
    _log_refusal(request, "form refused")
    staff = cast(StaffRequest, request)
    mark = form_drafts.posted_mark(staff) if not staff.htmx else None
    match = request.resolver_match
    if mark is None or match is None or mark.path != request.path:
        return render(request, "403_csrf.html", status=403)
    if not request.user.is_authenticated:
        return save_draft_and_login(request, mark)
    given = form_drafts.stale_input(staff, mark)
    if given is None:
        return form_drafts.render_not_own(staff, mark)
    staff.form_input = given
    try:
        response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    except GatewayError as error:
        return render_failure(staff, describe(error))
    if response.status_code == HTTPStatus.OK:
        response.status_code = HTTPStatus.CONFLICT
    return response


urlpatterns = [
    path("help/", show_help, name="help"),
    path("help/keys/", show_keys, name="help_keys"),
    path("theme/", set_theme, name="theme"),
    path(".well-known/security.txt", show_security_contact, name="security_contact"),
]
