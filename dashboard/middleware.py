"""Puts the signed-in person's gateway on the request, and turns its failures into pages.

Keeps what is typed beyond the end of a session; one content security policy on every answer.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from csp.constants import HEADER
from csp.utils import build_policy
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django_htmx.http import reswap, retarget

from dashboard.accounts.middleware import SignInRequiredMiddleware
from dashboard.credentials.services import gateway_for, note_answer
from dashboard.drafts import marks
from dashboard.drafts.models import Draft
from dashboard.gateway import Gateway, GatewayError
from dashboard.records.context import StaffRequest
from dashboard.records.pages import form_drafts
from dashboard.records.pages.failures import describe


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """What settings.CONTENT_SECURITY_POLICY says, put together once per process.

    django-csp's own middleware does so for every answer; here no page has a policy of its own.
    """
    policy = build_policy()

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers[HEADER] = policy
        return response

    return middleware


class GatewayMiddleware:
    """`request.gateway` speaks to the API with the person's own keys, opened at first use."""

    def __init__(self, get_response: Callable[[StaffRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: StaffRequest) -> HttpResponse:
        opened: list[Gateway] = []

        def first_use() -> Gateway:
            opened.append(gateway_for(request.user))
            return opened[0]

        request.gateway = cast(Gateway, SimpleLazyObject(first_use))
        response = self.get_response(request)
        if opened:  # and where the service refused the keys, every page says so from now on
            note_answer(request.user, accepted=opened[0].accepted)
        return response

    def process_exception(self, request: StaffRequest, error: Exception) -> HttpResponse | None:
        """A page in plain words for what the API or the keys could not do."""
        return page_of(request, error) if isinstance(error, GatewayError) else None


def page_of(request: StaffRequest, error: GatewayError) -> HttpResponse:
    """What to show for it: the whole page, or for htmx the alert alone."""
    failure = describe(error)
    context = {"failure": failure}
    if not request.htmx:
        return render(request, "errors/page.html", context, status=failure.status)
    response = render(request, "errors/_alert.html", context, status=failure.status)
    return reswap(retarget(response, "#alerts"), "innerHTML")


class KeepTypedMiddleware(SignInRequiredMiddleware):
    """A form posted after its session has ended is kept for its owner, to go on with after
    signing in. The form's own mark says whose it is.
    """

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """As ever, but a form with a mark leads back to itself."""
        if request.method == "POST" and request.headers.get("HX-Request") != "true":
            mark = marks.read(request.POST.get(form_drafts.PARAM, ""))
            if mark is not None:
                return kept_for_later(request, mark)
        return super().handle_no_permission(request, view_func)


def kept_for_later(request: HttpRequest, mark: marks.Mark) -> HttpResponse:
    """To the sign-in page, and from there to the form with everything typed."""
    kept = form_drafts.keep_for_owner(mark, request.POST)
    draft = Draft.objects.filter(key=kept.key).first() if kept else None
    if kept is None or draft is None:
        status = HTTPStatus.SERVICE_UNAVAILABLE
        return render(request, "drafts/not_kept.html", {"mark": mark}, status=status)
    messages.info(request, "You have been signed out. Sign in to go on with what you typed.")
    return redirect_to_login(f"{kept.path}?{form_drafts.PARAM}={draft.pk}")
