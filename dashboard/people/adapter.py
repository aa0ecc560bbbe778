"""allauth's account adapter: closed sign-up, delays after wrong passwords, emails by the worker."""

from datetime import timedelta
from time import time
from typing import Any, ClassVar

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.core import security_log
from dashboard.core.templates import absolute_url
from dashboard.people import attempts, mails, sign_in
from dashboard.people.models import User
from dashboard.text.dates import duration

# allauth's notices of what people change themselves, as the first sentence of our email.
OWN_CHANGES = {
    "account/email/password_changed": "Your password was changed",
    "account/email/password_reset": "Your password was reset with an emailed link",
    "mfa/email/recovery_codes_generated": "New recovery codes were created",
    "mfa/email/totp_activated": "An authenticator app was added to your account",
    "mfa/email/totp_deactivated": "The authenticator app was turned off",
    "mfa/email/webauthn_added": "A passkey was added to your account",
    "mfa/email/webauthn_removed": "A passkey was removed from your account",
    "socialaccount/email/account_connected": "Your account was linked with single sign-on",
}


NOT_SIGNED_IN = "Wrong username, email or password."
TOO_MANY_ATTEMPTS = "Too many failed attempts. Try again in {}."


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": NOT_SIGNED_IN,
        "username_password_mismatch": NOT_SIGNED_IN,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing: `authenticate` counts. allauth's counters here depend on the Host header."""

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the person with this password, also when it is confirmed later. Takes the time of
        one password hash for any name. Raises ValidationError while further attempts have to wait.
        """
        names = attempts.names_in(credentials)
        people = attempts.people_called(names)
        lanes = attempts.lanes_of(people, names, attempts.browser_marks(request))
        seconds = attempts.admit(lanes)
        who = people[0].pk if people else None  # not what was typed: it may be a password
        if seconds:
            security_log.record_event("sign-in delayed", person=who, seconds=seconds)
            words = TOO_MANY_ATTEMPTS.format(duration(timedelta(seconds=seconds)))
            raise ValidationError(words, code="too_many_login_attempts")
        # By one name only: allauth hashes the password again for each.
        name = people[0].username if people else min(names)
        user: User | None = super().authenticate(
            request, username=name, password=credentials["password"]
        )
        if user is None:
            security_log.record_event("sign-in failed", person=who)
        else:
            attempts.succeeded(lanes)
        return user

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return False for the second step right after sign-in, so that setting it up does not ask
        twice.
        """
        if app == "allauth.mfa":
            records = get_authentication_records(self.request, self.request.user)
            if records and time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
                return False
        return bool(super().is_reauthentication_required(app=app, **kwargs))

    def set_password(self, user: User, password: str) -> None:
        """Store a new password; attempts with the old one no longer count."""
        super().set_password(user, password)
        attempts.forget(user)

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link of an email for choosing a password, below SITE_URL if that is set: a
        request's Host header must not decide where the link leads.
        """
        url: str = super().get_reset_password_from_key_url(key)
        return absolute_url(url)

    def get_sign_in_url(self) -> str:
        return absolute_url(self.request.build_absolute_uri(reverse("account_login")))

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Return a page if the person may not sign in, or not by this method; otherwise None."""
        by_provider = "sociallogin" in (details["signal_kwargs"] or {})
        if user.is_active and (words := sign_in.refusal(user, by_provider=by_provider)):
            return sign_in.refusal_page(request, words, user, "sign-in refused")
        answer: HttpResponse | None = super().pre_login(request, user, **details)
        return answer

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Remember the browser, and redirect."""
        response: HttpResponse = super().post_login(request, user, **details)
        attempts.remember_browser(request, response, user)
        return response

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        what = OWN_CHANGES.get(template_prefix, "Your account was changed")
        details = {**(context or {}), "person": user, "what": what}
        super().send_notification_mail("account/email/own_change", user, details, email)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Let the worker send the email. Raises DatabaseError."""
        mails.post(template_prefix.rpartition("/")[2], [email], context)
