"""The pages of a person: account, password, second step, sessions, and signing out; allauth's
pages without sign-up and email addresses, which administrators manage.
"""

from http import HTTPStatus
from typing import Any, cast

from allauth.account import views as account
from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.webauthn.views import login_webauthn
from allauth.socialaccount.adapter import get_adapter
from allauth.usersessions.adapter import get_adapter as sessions_adapter
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django import forms
from django.apps import apps
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import include, path, re_path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from dashboard.people import attempts, sessions
from dashboard.people.models import User
from dashboard.people.permissions import signed_in
from dashboard.people.sign_in import NO_LINK, may_use_password


class SignIn(account.LoginView):  # type: ignore[misc]
    """allauth's sign-in page with the ways of single sign-on."""

    def get_initial(self) -> dict[str, Any]:
        """Keep the user name where a session ended on the way to a page."""
        initial: dict[str, Any] = super().get_initial()
        if get_next_redirect_url(self.request):
            initial["login"] = attempts.last_name(self.request)
        return initial

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["single_sign_on_only"] = settings.SINGLE_SIGN_ON_ONLY
        next_url = get_next_redirect_url(self.request)
        query = {"next": next_url} if next_url else {}
        context["providers"] = [
            (provider.name, provider.get_login_url(self.request, **query))
            for provider in get_adapter().list_providers(self.request)
        ]
        return context


class FormatsForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    class Meta:
        model = User
        fields = ("number_style", "day_style", "week_start")


def account_home(request: HttpRequest) -> HttpResponse:
    """Show the person's account on one page; a POST saves the formats."""
    user = signed_in(request)
    form = FormatsForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save(commit=False).save(update_fields=form.changed_data)
        messages.success(request, "Your formats were saved.")
        return redirect("account_home")
    context = {
        "form": form,
        "has_password": _has_password(user),
        "sessions": sessions.open_sessions(user),
    }
    return render(request, "account/home.html", context)


def _has_password(user: User) -> bool:
    return user.has_usable_password() and may_use_password(user)


def change_password(request: HttpRequest) -> HttpResponse:
    """Show allauth's page, for people who have a usable password."""
    if not _has_password(signed_in(request)):
        messages.info(request, NO_LINK)
        return redirect("account_home")
    return cast(HttpResponse, account.password_change(request))


@login_not_required  # as allauth's view, which redirects
def sign_out(request: HttpRequest) -> HttpResponse:
    """Show allauth's page. Once signed out, the browser forgets the pages that Back would show. Not
    "storage", which holds whether single keys are on in this browser: the sign-in page clears what
    belongs to a session (list_return.js).
    """
    response: HttpResponse = account.logout(request)
    if request.method == "POST":
        response.headers["Clear-Site-Data"] = '"cache"'
    return response


login_with_passkey = login_not_required(login_webauthn)


@require_safe
def required(request: HttpRequest) -> HttpResponse:
    """Show the page until a person has the second step that their role requires."""
    if not sessions.lacks_mfa(request):
        return redirect("mfa_index")
    return render(request, "mfa/required.html")


@login_not_required
def session(request: HttpRequest) -> HttpResponse:
    """Return JSON: {"person": id or null, "seconds": until the session ends, "last": seconds until
    it ends in any case, "csrf": a fresh token}. A GET does not prolong the session; a POST ("Stay
    signed in") does, up to its last second.
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
    """POST, with the password, ends one session of a person or all others."""

    template_name = None  # every answer is a redirect

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Redirect to the page for which the password was asked."""
        return redirect(f"{reverse('account_home')}#sessions")

    def form_valid(self, form: Form) -> HttpResponse:
        chosen = self.request.POST.get("session", "")
        if not chosen.isdecimal():
            return cast(HttpResponse, super().form_valid(form))
        own = UserSession.objects.filter(user=self.request.user, pk=chosen)
        sessions_adapter().end_sessions(own)
        messages.success(self.request, "That browser is signed out.")
        return redirect("usersessions_list")


@login_not_required
@require_safe
def show_signed_in(request: HttpRequest) -> HttpResponse:
    return render(request, "account/signed_in.html")


urlpatterns = [
    path("", account_home, name="account_home"),
    path("session/", session, name="account_session"),
    path("signed-in/", show_signed_in, name="account_signed_in"),
    path("login/", SignIn.as_view(), name="account_login"),
    path("logout/", sign_out, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", change_password, name="account_change_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("two-step/required/", required, name="second_step_required"),
    path("two-step/webauthn/login/", login_with_passkey, name="mfa_login_webauthn"),
    path("two-step/", include("allauth.mfa.urls")),
    path("sessions/", Sessions.as_view(), name="usersessions_list"),
]

if apps.is_installed("allauth.socialaccount.providers.openid_connect"):  # see OIDC_ISSUER
    from allauth.socialaccount import views as social

    from dashboard.people import openid

    urlpatterns += [
        path("oidc/cancelled/", social.login_cancelled, name="socialaccount_login_cancelled"),
        path("oidc/<slug:provider_id>/login/", openid.login, name="openid_connect_login"),
        path(
            "oidc/<slug:provider_id>/login/callback/",
            openid.callback,
            name="openid_connect_callback",
        ),
    ]
