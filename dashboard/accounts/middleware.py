"""Requires sign-in for every view that is not marked `login_not_required`."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth import logout
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from dashboard.accounts import second_step, sessions

# Pages for people who have to set up a second step first.
SETTING_UP = frozenset(
    {
        "second_step_required",
        "mfa_activate_totp",
        "mfa_add_webauthn",
        "account_reauthenticate",
    }
)


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    """Redirects to the sign-in page; answers an htmx request with 401 and a link to it.

    htmx follows a redirect and would swap the sign-in page into the middle of a table. The link
    opens a new tab, so that the page keeps what was typed.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        """Note that the sign-in is used, or end it if it has lasted too long. Whoever lacks a
        second step that their role requires gets no further than to setting one up.
        """
        if getattr(view_func, "login_required", True) and request.user.is_authenticated:
            if not sessions.use(request):
                logout(request)
            elif second_step.is_missing(request) and not _sets_up(request):
                return self._ask_for_second_step(request, view_func)
        return super().process_view(request, view_func, view_args, view_kwargs)

    def _ask_for_second_step(
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """A redirect to setting one up; what is posted is kept as at the end of a session."""
        if request.method in ("GET", "HEAD") and request.headers.get("HX-Request") != "true":
            return redirect("second_step_required")
        return self.handle_no_permission(request, view_func)

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """A 401 fragment for htmx, a redirect to the sign-in page for other requests."""
        if request.headers.get("HX-Request") != "true":
            return super().handle_no_permission(request, view_func)
        page = urlsplit(request.headers.get("HX-Current-URL", "")).path or "/"
        url = f"{reverse('account_login')}?{urlencode({'next': page})}"
        response = render(request, "account/_sign_in_again.html", {"url": url}, status=401)
        response["HX-Trigger"] = "sign-in-required"
        return response


def _sets_up(request: HttpRequest) -> bool:
    page = request.resolver_match
    return page is not None and page.url_name in SETTING_UP
