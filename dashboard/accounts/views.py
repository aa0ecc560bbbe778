"""The account page: where a person's own sign-in is looked after."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dashboard.accounts.models import User
from dashboard.accounts.roles import role_of


@require_safe
@never_cache
def account_home(request: HttpRequest) -> HttpResponse:
    """Who is signed in, in which role; the ways to password, second step, sessions and keys."""
    role = role_of(cast(User, request.user))
    return render(request, "account/home.html", {"title": "Your account", "role": role})
