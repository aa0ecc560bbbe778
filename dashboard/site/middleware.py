"""Sets `request.gateway` for the signed-in person, whose keys it compares with their workspace, and
answers gateway errors, and what no encryption key opens, with pages.

Keeps a form that is posted after its session has ended.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django_htmx.http import reswap, retarget

from dashboard import resources, sealed, write_status
from dashboard.accounts.middleware import SignInRequiredMiddleware
from dashboard.context import StaffRequest
from dashboard.credentials import placing
from dashboard.credentials.services import gateway_for, note_use
from dashboard.credentials.views import PUT_OUT
from dashboard.drafts import marks
from dashboard.drafts.models import Draft
from dashboard.gateway import Gateway, GatewayError, Missing
from dashboard.monitoring import rate_limit
from dashboard.pages import form_drafts, outages
from dashboard.preferences import recents
from dashboard.reader.sealed_cache import owner_of
from dashboard.writes.failures import KEY_LOST, Failure, describe


class WriteStatusMiddleware:
    """Knows what the request sends, and says Saved where the database went away afterwards."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with write_status.of_request() as sent:
            response = self.get_response(request)
            if sent.is_away and 300 <= response.status_code < 400 and outages.is_saved():
                return _saved_page(request, response)
        return response


def _saved_page(request: HttpRequest, redirect: HttpResponse) -> HttpResponse:
    """In place of a redirect to a page that the database may not be able to show."""
    response = outages.saved(request, resources.BY_NAME, redirect.headers["Location"])
    response.cookies = redirect.cookies
    return response


class BoundMiddleware:
    """Answers 429 once a person asks for more than REQUESTS_PER_MINUTE pages and forms."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: StaffRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """None within the bound, and for pages that need no sign-in, such as signing out."""
        person, most = request.user.pk, settings.REQUESTS_PER_MINUTE
        private = getattr(view, "login_required", True) and person is not None
        if not private or not rate_limit.exceeded("requests", person, most=most):
            return None
        response = _too_many(request)
        response.headers["Retry-After"] = str(rate_limit.seconds_left())
        return response


def _too_many(request: StaffRequest) -> HttpResponse:
    """The page beyond the bound; for htmx the status alone, which site.js words."""
    if request.htmx:
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS)
    form = form_drafts.kept_form(request) if request.method == "POST" else ""
    wait = f"Please wait {rate_limit.seconds_left()} seconds, then"
    if form:
        words = f"Nothing was sent. What you typed is kept. {wait} try again."
    elif request.method == "POST":
        words = f"Nothing was sent. {wait} reload this page: your browser sends it again."
    else:
        words = f"{wait} try again."
    failure = Failure(
        "That was too much for one minute",
        words,
        HTTPStatus.TOO_MANY_REQUESTS,
        retry=bool(form) or request.method != "POST",
    )
    context = {"failure": failure, "retry_url": form}
    return render(request, "errors/page.html", context, status=failure.status)


class GatewayMiddleware:
    """Sets `request.gateway`: calls to the API with the person's own keys, opened on first use.

    Once a day the keys are compared with those of the others in the workspace, before anything that
    they share is shown (credentials/placing.py).
    """

    def __init__(self, get_response: Callable[[StaffRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: StaffRequest) -> HttpResponse:
        opened: list[Gateway] = []

        def first_use() -> Gateway:
            opened.append(gateway_for(request.user))
            return opened[0]

        request.gateway = cast(Gateway, SimpleLazyObject(first_use))
        response = self.get_response(request)
        if opened:  # refused keys are recorded, for the notice on the following pages
            note_use(request.user, opened[0])
        return response

    def process_view(
        self, request: StaffRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> None:
        """Compare the keys of somebody who is signed in, if that is due."""
        private = getattr(view, "login_required", True)
        if private and request.user.is_authenticated and placing.check_if_due(request.user):
            messages.warning(request, PUT_OUT)

    def process_exception(self, request: StaffRequest, error: Exception) -> HttpResponse | None:
        """The page for a GatewayError or a sealed.Unreadable; None for any other exception."""
        if isinstance(error, Missing):
            _forget(request)
        if isinstance(error, sealed.Unreadable):
            return _page_of(request, KEY_LOST)
        return page_of(request, error) if isinstance(error, GatewayError) else None


def _forget(request: StaffRequest) -> None:
    """Drop the record of the page from the opened ones, as it is gone."""
    page = request.resolver_match
    if page and page.url_name == "detail":
        owner, record_id = owner_of(request.gateway), page.kwargs["record_id"]
        write_status.attempt(
            recents.forget, owner=owner, resource=page.namespace, record_id=record_id
        )


def page_of(request: StaffRequest, error: GatewayError) -> HttpResponse:
    """The error page; for an htmx request the alert alone."""
    return _page_of(request, describe(error))


def _page_of(request: StaffRequest, failure: Failure) -> HttpResponse:
    context = {"failure": failure}
    if not request.htmx:
        return render(request, "errors/page.html", context, status=failure.status)
    response = render(request, "errors/_alert.html", context, status=failure.status)
    return reswap(retarget(response, "#alerts"), "innerHTML")


class KeepTypedMiddleware(SignInRequiredMiddleware):
    """Stores a form that is posted after its session has ended as a draft of its owner.

    The signed mark in the form names the owner.
    """

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Store a form that has a valid mark; treat any other request as the base class does."""
        if request.method == "POST" and request.headers.get("HX-Request") != "true":
            mark = form_drafts.posted_mark(request)
            if mark is not None:
                return kept_for_later(request, mark)
        return super().handle_no_permission(request, view_func)


def kept_for_later(request: HttpRequest, mark: marks.Mark) -> HttpResponse:
    """A redirect to the sign-in page, which leads back to the form with everything typed."""
    kept = form_drafts.store_for_owner(mark, request.POST)
    draft = Draft.objects.filter(key=kept.key).first() if kept else None
    if kept is None or draft is None:
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return render(request, "drafts/not_kept.html", {"mark": mark}, status=status)
    messages.info(request, "You have been signed out. Sign in to go on with what you typed.")
    return redirect_to_login(f"{kept.path}?{form_drafts.PARAM}={draft.pk}")
