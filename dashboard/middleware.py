"""Puts the signed-in person's gateway on the request, and turns its failures into pages.

And the one content security policy on every answer.
"""

from collections.abc import Callable
from typing import cast

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django_htmx.http import reswap, retarget

from dashboard.credentials.services import KeysUnreadable, NoKeys, gateway_for, note_refusal
from dashboard.gateway import Gateway, GatewayError, KeysRefused
from dashboard.records.failures import KEYS_UNREADABLE, NO_KEYS, Failure, describe
from dashboard.records.request import StaffRequest


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
        lazy = SimpleLazyObject(lambda: gateway_for(request.user))
        request.gateway = cast(Gateway, lazy)
        return self.get_response(request)

    def process_exception(self, request: StaffRequest, error: Exception) -> HttpResponse | None:
        """A page in plain words for what the API or the keys could not do."""
        if isinstance(error, NoKeys):
            return failure_page(request, NO_KEYS)
        if isinstance(error, KeysUnreadable):
            return failure_page(request, KEYS_UNREADABLE)
        if isinstance(error, KeysRefused):
            note_refusal(request.user)  # every page says so from now on
        if isinstance(error, GatewayError):
            return failure_page(request, describe(error))
        return None


def failure_page(request: StaffRequest, failure: Failure) -> HttpResponse:
    """The whole page, or for htmx the alert alone."""
    context = {"failure": failure}
    if not request.htmx:
        return render(request, "errors/page.html", context, status=failure.status)
    response = render(request, "errors/_alert.html", context, status=failure.status)
    return reswap(retarget(response, "#alerts"), "innerHTML")
