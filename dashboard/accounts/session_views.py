"""Where a person is signed in, and addresses by which a page watches and prolongs its session."""

from http import HTTPStatus
from typing import cast

from allauth.account.decorators import reauthentication_required
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
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


@method_decorator(
    reauthentication_required(enabled=lambda request: request.method == "POST"), name="dispatch"
)
class Sessions(ListUserSessionsView):  # type: ignore[misc]
    """Where a person is signed in; POST, with the password, ends one session or all others."""

    def form_valid(self, form: Form) -> HttpResponse:
        """End the session of the pressed button, or all others."""
        chosen = self.request.POST.get("session", "")
        if not chosen.isdecimal():
            return cast(HttpResponse, super().form_valid(form))
        own = UserSession.objects.filter(user=self.request.user, pk=chosen)
        get_adapter().end_sessions(own)
        messages.success(self.request, "That browser is signed out.")
        return redirect("usersessions_list")


@login_not_required
@require_safe
def signed_in(request: HttpRequest) -> HttpResponse:
    """The page after sign-in in a window that was opened from a form."""
    return render(request, "account/signed_in.html")
