"""The middleware of the site. It rejects malformed requests and protects responses from other sites
and caches; requires the sign-in and keeps what was typed when a session ended; limits the requests
of a person; and sets `request.gateway`, whose errors it answers with pages.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.middleware import LoginRequiredMiddleware, get_user
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, DisallowedHost
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, QueryDict
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import ResolverMatch, reverse
from django.utils.functional import SimpleLazyObject
from django_htmx.http import reselect, reswap, retarget
from django_htmx.middleware import HtmxDetails

from dashboard.core import after_response, rate_limit, sealed
from dashboard.core.templates import import_map_hash
from dashboard.gateway import Gateway, GatewayError, Missing
from dashboard.office import recents
from dashboard.outcomes import error_pages
from dashboard.people import sessions
from dashboard.people.context import StaffRequest
from dashboard.people.keys import gateway_for, owner_of, store_findings
from dashboard.reader.failures import KEY_LOST, Failure, describe
from dashboard.records import form_drafts
from dashboard.records.record_page import named_record
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.writes.drafts import PARAM, Mark
from dashboard.writes.models import Draft
from dashboard.writes.sidebar import sidebar_of

# As browsers write it: lower case, no dot at the end. Django accepts other spellings of a host of
# ALLOWED_HOSTS, and links in emails would repeat them.
HOST = re.compile(r"(?:[a-z0-9.-]*[a-z0-9-]|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?")
LAST_PORT = 65_535
LARGEST_ID = 2**63 - 1  # of a database column
NUL = "\0"  # PostgreSQL cannot store or compare it

METHODS = ("GET", "HEAD", "POST")
METHOD_NOT_ALLOWED = Failure(
    "This page can't be opened directly",
    "Go back and use the button. Nothing was changed.",
    HTTPStatus.METHOD_NOT_ALLOWED,
)

# What no page of ours asks a browser for.
DISABLED_FEATURES = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture",
    "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "serial",
    "usb", "xr-spatial-tracking",
)  # fmt: skip
SECURITY_POLICY = {
    **dict.fromkeys(("default-src", "base-uri", "frame-ancestors"), "'none'"),
    **dict.fromkeys(("style-src", "font-src"), "'self'"),
    **dict.fromkeys(("connect-src", "form-action"), "'self'"),
    "img-src": "'self' data:",  # the arrow of a select is a data: image
}
# On every answer that has no such header of its own: pages, static files, redirects and rejections.
ALWAYS = {
    "Cache-Control": "no-store",  # static files have their own
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{name}=()" for name in DISABLED_FEATURES),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@cache
def security_policy() -> str:
    """Return the content security policy. The import map is the only inline script."""
    policy = {**SECURITY_POLICY, "script-src": f"'self' {import_map_hash()}"}
    return "; ".join(map(" ".join, policy.items()))


def answer_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    """Add the headers of ALWAYS and, for scripts, the target of a redirect."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.headers.get("X-Sent-By") == "script" and 300 <= response.status_code < 400:
            _tell_address(response)
        for name, value in ALWAYS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", security_policy())
        return response

    return middleware


def _tell_address(response: HttpResponse) -> None:
    """Put the target of a redirect into a header: the script that sent the form
    (static/js/change_page.js) would follow the redirect, and the browser read that page again.
    """
    response.headers["X-Location"] = response.headers["Location"]
    del response.headers["Location"]
    response.status_code = HTTPStatus.NO_CONTENT


class ValidRequestMiddleware(CommonMiddleware):
    """Answers 400 to another spelling of the host and to NUL characters, 405 to a method that no
    page has, and 404 to a number in the path that no database column can hold; then redirects to
    the spelling of the path as Django does. NUL characters in a posted form are left to its fields,
    which reject them and keep what was typed.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:  # type: ignore[override]
        _refuse_other_spellings(request.META.get("HTTP_HOST", ""))
        redirected = super().process_request(request)  # raises DisallowedHost, for files, too
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        texts = (request.path_info, *request.COOKIES.values(), *_texts(request.GET))
        if any(NUL in text for text in texts):
            raise BadRequest("A NUL character was sent.")
        return redirected

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Explain a 405 in words; Django's answer is empty."""
        if isinstance(response, HttpResponseNotAllowed):
            context = {"failure": METHOD_NOT_ALLOWED}
            response.content = render_to_string("400.html", context).encode()
        return super().process_response(request, response)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
    ) -> None:
        if any(isinstance(value, int) and value > LARGEST_ID for value in kwargs.values()):
            raise Http404


def _refuse_other_spellings(host: str) -> None:
    match = HOST.fullmatch(host)
    if host and (match is None or int(match[1] or 0) > LAST_PORT):
        raise DisallowedHost("The Host header is spelt in another way than in ALLOWED_HOSTS.")


def _texts(given: QueryDict) -> Iterable[str]:
    for name, values in given.lists():
        yield name
        yield from map(str, values)


# Pages for people who have to set up a second step first.
SETTING_UP = (
    "second_step_required",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "account_reauthenticate",
)


class WriteStatusMiddleware:
    """Tracks the writes of the request, reports them as saved if the database fails afterwards, and
    runs deferred work after the response.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with after_response.of_request() as sent:
            response = self.get_response(request)
            if sent.after_response:
                after_response.run_on_close(response, sent.after_response)
            is_redirect = 300 <= response.status_code < 400
            if sent.database_down and is_redirect and after_response.is_saved():
                return _saved_page(request, response)
        return response


def _saved_page(request: HttpRequest, redirect: HttpResponse) -> HttpResponse:
    response = error_pages.saved(request, redirect.headers["Location"])
    response.cookies = redirect.cookies
    return response


def _too_many(request: StaffRequest) -> HttpResponse:
    """Return the page with 429; for htmx the status alone, for which htmx_setup.js has the text."""
    if request.htmx:
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS)
    form = form_drafts.store_unsent(request) if request.method == "POST" else ""
    seconds = rate_limit.seconds_left()
    wait = f"Wait {seconds} second{'' if seconds == 1 else 's'}, then"
    if form:
        words = f"Nothing was sent. What you typed is kept. {wait} try again."
    elif request.method == "POST":
        words = f"Nothing was sent. {wait} reload this page to send it again."
    else:
        words = f"{wait} try again."
    failure = Failure(
        "Too many requests in one minute",
        words,
        HTTPStatus.TOO_MANY_REQUESTS,
        retry=bool(form) or request.method != "POST",
    )
    context = {"failure": failure, "retry_url": form}
    return render(request, "outcomes/error_page.html", context, status=failure.status)


class PersonMiddleware(LoginRequiredMiddleware):
    """Requires the sign-in, limits requests, and sets `request.htmx` and `request.gateway`, which
    decrypts the person's keys on first use. Renders error pages for the gateway's errors.
    """

    get_response: Callable[[HttpRequest], HttpResponse]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Note rejected keys, for the notice on the following pages."""
        person_request = cast(StaffRequest, request)

        def first_use() -> Gateway:
            person_request.opened_gateway = gateway_for(person_request.user)
            return person_request.opened_gateway

        person_request.htmx = HtmxDetails(request)
        person_request.opened_gateway = None
        person_request.gateway = cast(Gateway, SimpleLazyObject(first_use))
        response = self.get_response(request)
        if person_request.opened_gateway:
            store_findings(person_request.user, person_request.opened_gateway)
        return response

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        """Redirect to the sign-in or to the second step that the role requires, or answer 429 above
        the limit. None for pages that need no sign-in, such as signing out.
        """
        if not getattr(view_func, "login_required", True):
            return None
        request.user = get_user(request)  # the person, not an object that asks for them at each use
        if request.user.is_authenticated:
            if not sessions.touch_session(request):
                logout(request)
            elif sessions.lacks_mfa(request):
                page = request.resolver_match
                if page is None or page.url_name not in SETTING_UP:
                    return self.handle_no_permission(request, view_func)
        if refusal := super().process_view(request, view_func, view_args, view_kwargs):
            return refusal
        return _check_use(cast(StaffRequest, request))

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Redirect to the sign-in page, or to setting up the missing second step. For htmx return a
        401 fragment with a link to it in a new tab: htmx would follow a redirect and swap the page
        into the middle of a table. A posted form with a valid mark is stored as a draft of the
        owner named by the mark.
        """
        if request.headers.get("HX-Request") == "true":
            return _sign_in_fragment(request)
        mark = form_drafts.posted_mark(request) if request.method == "POST" else None
        if mark is not None:
            return save_draft_and_login(request, mark)
        if request.user.is_authenticated:
            return redirect("second_step_required")
        return super().handle_no_permission(request, view_func)

    def process_exception(self, request: StaffRequest, error: Exception) -> HttpResponse | None:
        """Return the page for a GatewayError or a sealed.DecryptionError; None for any other
        exception.
        """
        if isinstance(error, Missing):
            _forget(request)
        if isinstance(error, sealed.DecryptionError):
            return render_failure(request, KEY_LOST)
        return render_failure(request, describe(error)) if isinstance(error, GatewayError) else None


def _sign_in_fragment(request: HttpRequest) -> HttpResponse:
    page = urlsplit(request.headers.get("HX-Current-URL", "")).path or "/"
    url = f"{reverse('account_login')}?{urlencode({'next': page})}"
    response = render(request, "account/_sign_in_again.html", {"url": url}, status=401)
    response["HX-Trigger"] = "sign-in-required"
    return response


def _check_use(request: StaffRequest) -> HttpResponse | None:
    if not request.user.is_authenticated:
        return None
    if rate_limit.exceeded("requests", request.user.pk, most=settings.REQUESTS_PER_MINUTE):
        response = _too_many(request)
        response.headers["Retry-After"] = str(rate_limit.seconds_left())
        return response
    return None


def _forget(request: StaffRequest) -> None:
    """Remove a deleted record from the sidebar, here and on later pages."""
    page = request.resolver_match
    if page and page.url_name == "detail":
        gone = page.namespace, page.kwargs["record_id"]
        sidebar = sidebar_of(request)
        others = (each for each in sidebar.starred if (each.resource, each.record_id) != gone)
        request.sidebar = sidebar._replace(starred=tuple(others))
        owner, (resource, record_id) = owner_of(request.gateway), gone
        after_response.run_after_response(
            recents.forget, owner=owner, resource=resource, record_id=record_id
        )


def render_failure(request: StaffRequest, failure: Failure) -> HttpResponse:
    """Return the error page; for an htmx request the alert alone."""
    page = request.resolver_match
    resource = RESOURCES.get(page.namespace) if page else None
    list_of = resource if failure.status == 404 else None
    context: dict[str, Any] = {"failure": failure, "list_of": list_of}
    if not request.htmx:
        if page and resource and failure.retry and "record_id" in page.kwargs:
            context["unread"] = _unread_of(request, resource, page)
        return render(request, "outcomes/error_page.html", context, status=failure.status)
    response = render(request, "outcomes/_alert.html", context, status=failure.status)
    return reselect(reswap(retarget(response, "#alerts"), "innerHTML"), "unset")


def _unread_of(request: StaffRequest, resource: Resource, page: ResolverMatch) -> dict[str, str]:
    """Return the cached name of the record that could not be read, its list, and its own page if
    this is another one of it.
    """
    record_id = page.kwargs["record_id"]
    named = named_record(request.gateway, resource, record_id)
    return {
        "name": resource.title(named) if named else f"{resource.singular.capitalize()} {record_id}",
        "list_url": resource.url(),
        "list_name": resource.name,
        "list_label": resource.label,
        "url": "" if page.url_name == "detail" else resource.url(record_id),
    }


def save_draft_and_login(request: HttpRequest, mark: Mark) -> HttpResponse:
    """Redirect to the sign-in page, which leads back to the form with everything typed; or to the
    second step for someone signed in whose role now requires one.
    """
    stored_mark = form_drafts.store_for_owner(mark, request.POST)
    if stored_mark is None:
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return render(request, "records/draft_not_stored.html", status=status)
    # None for a form without anything typed
    draft = Draft.objects.filter(token=stored_mark.token).first()
    if request.user.is_authenticated:
        messages.info(
            request,
            f"Nothing was sent. {form_drafts.DRAFT_STORED_MESSAGE if draft else ''}".strip(),
        )
        return redirect("second_step_required")
    if draft is None:
        messages.info(request, "You have been signed out.")
        return redirect_to_login(stored_mark.address)
    messages.info(
        request, "Your session has expired. Sign in to continue: what you typed is still here."
    )
    return redirect_to_login(f"{stored_mark.path}?{PARAM}={draft.pk}")
