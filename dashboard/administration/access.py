"""Access to the pages of the staff accounts, and confirmation of their changes."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from dashboard.people.permissions import CHANGE_STAFF, P, View, permission_required

NOTHING_TO_CONFIRM_WITH = "Add a passkey first. You need one to change accounts."


def for_administrators(view: View[P]) -> View[P]:
    """Require CHANGE_STAFF. A POST waits until the person has given their password again. After
    single sign-on they may have no password and no second step, and allauth then asks for nothing.
    """
    confirmed = reauthentication_required(view, enabled=lambda request: request.method == "POST")

    @permission_required(CHANGE_STAFF)
    @wraps(view)
    def confirmable(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        adapter = get_adapter(request)
        if request.method == "POST" and not adapter.get_reauthentication_methods(request.user):
            messages.error(request, NOTHING_TO_CONFIRM_WITH)
            return redirect("mfa_index")
        return cast(HttpResponseBase, confirmed(request, *args, **kwargs))

    return confirmable


def post_only_from(page: str) -> Callable[[View[P]], View[P]]:
    """Redirect a GET to the page, as after a second press on the page that asks for a password."""

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if request.method != "POST":
                return redirect(reverse(page, kwargs=kwargs))
            return view(request, *args, **kwargs)

        return guarded

    return guard
