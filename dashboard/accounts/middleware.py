"""Everything is private unless a view says otherwise."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware, get_user
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    """Sends nobody to the sign-in page; answers an htmx request with 401 and a link to it instead.

    htmx would follow a redirect and put the sign-in page into the middle of a table. The link opens
    in a tab of its own, so that what was typed on the page stays.
    """

    def process_view(
        self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        """As ever; the person it lets pass is then on the request as such.

        Django leaves a proxy there, which costs more with every look than what is looked at.
        """
        refusal = super().process_view(request, view_func, view_args, view_kwargs)
        if refusal is None and getattr(view_func, "login_required", True):
            request.user = get_user(request)
        return refusal

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """401 with a fragment for htmx, a redirect to the sign-in page for all else."""
        if request.headers.get("HX-Request") != "true":
            return super().handle_no_permission(request, view_func)
        page = urlsplit(request.headers.get("HX-Current-URL", "")).path or "/"
        url = f"{reverse('account_login')}?{urlencode({'next': page})}"
        response = render(request, "account/_sign_in_again.html", {"url": url}, status=401)
        response["HX-Trigger"] = "sign-in-required"
        return response
