"""Addresses that an open page uses to watch and prolong its session."""

from http import HTTPStatus

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.accounts import sessions


@login_not_required
@require_http_methods(["GET", "POST"])
def session(request: HttpRequest) -> HttpResponse:
    """JSON: {"person": id or null, "seconds": until the session ends, "last": seconds until it ends
    in any case, "csrf": a fresh token}.

    A GET does not prolong the session; a POST ("Stay signed in") does, up to its last second.
    """
    if request.user.is_authenticated and not sessions.lasts_for(request):
        logout(request)
    if not request.user.is_authenticated:
        answer = {"person": None, "seconds": 0, "last": 0, "csrf": get_token(request)}
        status = HTTPStatus.UNAUTHORIZED if request.method == "POST" else HTTPStatus.OK
        return JsonResponse(answer, status=status)
    if request.method == "POST":
        sessions.prolong(request)
    answer = {
        "person": request.user.pk,
        "seconds": sessions.seconds_left(request),
        "last": sessions.lasts_for(request),
        "csrf": get_token(request),
    }
    return JsonResponse(answer)


@login_not_required
@require_safe
def signed_in(request: HttpRequest) -> HttpResponse:
    """The page after sign-in in a window that was opened from a form."""
    return render(request, "account/signed_in.html")
