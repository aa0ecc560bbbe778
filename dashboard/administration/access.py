"""Access to the pages of the staff accounts, and confirmation of their changes."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.people import permissions as may

NOTHING_TO_CONFIRM_WITH = "Add a passkey first: changes of accounts ask for it."

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def for_administrators(permission: str) -> Callable[[View[P]], View[P]]:
    """Require the permission. A POST waits until the person has given their password again."""

    def guard(view: View[P]) -> View[P]:
        confirmed = reauthentication_required(
            view, enabled=lambda request: request.method == "POST"
        )

        @wraps(view)
        def confirmable(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method == "POST" and not _can_confirm(request):
                messages.error(request, NOTHING_TO_CONFIRM_WITH)
                return redirect("mfa_index")
            return cast(HttpResponse, confirmed(request, *args, **kwargs))

        return cast("View[P]", may.permission_required(permission)(confirmable))

    return guard


def post_only_from(page: str) -> Callable[[View[P]], View[P]]:
    """Redirect a GET to the page, as after a second press on the page that asks for a password."""

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method != "POST":
                return redirect(reverse(page, kwargs=kwargs))
            return view(request, *args, **kwargs)

        return guarded

    return guard


def _can_confirm(request: HttpRequest) -> bool:
    """Whether the person has a password or a second step. After single sign-on they may lack both,
    and allauth then asks for nothing.
    """
    return bool(get_adapter(request).get_reauthentication_methods(request.user))
