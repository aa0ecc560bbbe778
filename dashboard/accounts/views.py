"""The account page, the preferences of a person, and signing out."""

from typing import Any

from allauth.account import views as account
from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from dashboard.accounts.models import User
from dashboard.accounts.permissions import signed_in
from dashboard.accounts.roles import role_of


class SignIn(account.LoginView):  # type: ignore[misc]
    """allauth's sign-in page with the ways of single sign-on."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """allauth's context with `providers`: names and addresses; `single_sign_on_only`."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["single_sign_on_only"] = settings.SINGLE_SIGN_ON_ONLY
        wanted = get_next_redirect_url(self.request)
        query = {"next": wanted} if wanted else {}
        context["providers"] = [
            (provider.name, provider.get_login_url(self.request, **query))
            for provider in get_adapter().list_providers(self.request)
        ]
        return context


@require_safe
def account_home(request: HttpRequest) -> HttpResponse:
    """The person, their role, and links to password, second step, sessions and keys."""
    role = role_of(signed_in(request))
    return render(request, "account/home.html", {"title": "Your account", "role": role})


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """The person's formats of numbers and dates, and the first day of their week."""

    class Meta:
        model = User
        fields = ("number_style", "day_style", "week_start")
        widgets = dict.fromkeys(fields, forms.RadioSelect)


def preferences(request: HttpRequest) -> HttpResponse:
    """Show and save the person's preferences."""
    form = PreferencesForm(request.POST or None, instance=signed_in(request))
    if request.method == "POST" and form.is_valid():
        form.save(commit=False).save(update_fields=form.changed_data)
        messages.success(request, "Your preferences were saved.")
        return redirect("account_preferences")
    context = {"title": "How you write", "form": form}
    return render(request, "account/preferences.html", context)


@login_not_required  # as allauth's view, which redirects
def sign_out(request: HttpRequest) -> HttpResponse:
    """allauth's page; once signed out, the browser forgets the pages that Back would show.

    Not "storage", which holds whether single keys are on in this browser: the page of the sign-in
    clears what belongs to a session (site.js).
    """
    response: HttpResponse = account.logout(request)
    if request.method == "POST":
        response.headers["Clear-Site-Data"] = '"cache"'
    return response
