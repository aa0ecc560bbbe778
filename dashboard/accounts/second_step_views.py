"""allauth's pages of the second step where ours differ: what follows on setting one up, recovery
codes, and the page for people whose role requires a second step.
"""

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.mfa.base.views import IndexView
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn import views as webauthn
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.accounts import recovery_codes, second_step
from dashboard.accounts.permissions import signed_in


def _next_page(request: HttpRequest) -> str:
    """Where to go after a second step was set up: first of all one needs recovery codes."""
    has_codes = recovery_codes.left(signed_in(request))
    return reverse("mfa_index" if has_codes else "recovery_codes")


class ActivateApp(ActivateTOTPView):  # type: ignore[misc]
    """Sets up an authenticator app."""

    def get_success_url(self) -> str:
        """The page of recovery codes, unless there are some."""
        return _next_page(self.request)


class AddPasskey(webauthn.AddWebAuthnView):  # type: ignore[misc]
    """Adds a passkey or a security key."""

    def get_success_url(self) -> str:
        """The page of recovery codes, unless there are some."""
        return _next_page(self.request)


class Overview(IndexView):  # type: ignore[misc]
    """What the person signs in with."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """allauth's context with `codes_left` and `is_required`."""
        user = signed_in(self.request)
        return {
            **super().get_context_data(**kwargs),
            "codes_left": recovery_codes.left(user),
            "is_required": second_step.is_required(user),
        }


login_with_passkey = login_not_required(webauthn.login_webauthn)


@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required(app="allauth.mfa")  # type: ignore[untyped-decorator]
def new_recovery_codes(request: HttpRequest) -> HttpResponse:
    """Asks whether to make new codes; POST makes them and shows them, this once."""
    user = signed_in(request)
    if not second_step.has_one(user):
        return redirect("mfa_index")
    context: dict[str, Any] = {"left": recovery_codes.left(user)}
    if request.method == "POST":
        context["codes"] = recovery_codes.renew(request, user)
    return render(request, "mfa/recovery_codes.html", context)


@require_safe
def required(request: HttpRequest) -> HttpResponse:
    """What people see whose role requires a second step, until they have one."""
    if not second_step.is_missing(request):
        return redirect("mfa_index")
    return render(request, "mfa/required.html")
