"""Changes to allauth's forms."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import (
    ChangePasswordForm,
    LoginForm,
    ReauthenticateForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
)
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ConfirmingForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.http import HttpRequest

from dashboard.core import security_log
from dashboard.core.templates import validate_one_line
from dashboard.people import mails
from dashboard.people.models import User
from dashboard.people.sign_in import NO_LINK, may_use_password

WAIT_FOR_NEXT = "That code isn't valid. Wait for the next one in your app, then try again."
PASSWORDS = {
    "oldpassword": "Current password",
    "password1": "New password",
    "password2": "New password again",
}
INCORRECT = "incorrect_code"  # allauth's


class SignInForm(LoginForm):  # type: ignore[misc]
    """The sign-in form, without a link between its two fields where Tab would stop."""

    focused_field = "login"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""  # the link to the password reset is below the card
        self.fields["login"].label = "Username or email"
        if self.initial.get("login"):
            self.focused_field = "password"


class ResetForm(ResetPasswordForm):  # type: ignore[misc]
    """Asks for a link to choose a password; the worker looks whether the address is known."""

    focused_field = "email"

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Let the worker email the link. Raises DatabaseError."""
        email: str = self.cleaned_data["email"]
        link = get_adapter(request).get_reset_password_from_key_url(mails.LINK_KEY)
        mails.post_reset_link(email, link)
        return email


class _Passwords(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & PASSWORDS.keys():
            self.fields[name].label = PASSWORDS[name]
            self.fields[name].widget.attrs.pop("placeholder", None)


class NewPasswordForm(_Passwords, ChangePasswordForm):  # type: ignore[misc]
    focused_field = "oldpassword"


class ChosenPasswordForm(_Passwords, ResetPasswordKeyForm):  # type: ignore[misc]
    focused_field = "password1"

    def clean(self) -> dict[str, Any] | None:
        """Raises ValidationError for a link from before SINGLE_SIGN_ON_ONLY."""
        if not may_use_password(self.user):
            raise forms.ValidationError(NO_LINK)
        return super().clean()


class PasswordForm(ReauthenticateForm):  # type: ignore[misc]
    focused_field = "password"


class _Code(forms.Form):
    """A code of an app, or a recovery code."""

    user: User
    focused_field = "code"
    is_identity_check = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].widget.attrs.pop("placeholder", None)  # the label says it

    def clean_code(self) -> str:
        """Tell people to wait for the next code: one of an app may have changed while they typed
        it.
        """
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except forms.ValidationError as wrong:
            if self.is_identity_check:
                security_log.record_event("code refused", person=self.user.pk, why=wrong.code)
            typed = self.cleaned_data["code"].replace(" ", "")
            if wrong.code == INCORRECT and typed.isdecimal():
                raise forms.ValidationError(WAIT_FOR_NEXT, code=INCORRECT) from None
            raise
        return code


class CodeForm(_Code, AuthenticateForm):  # type: ignore[misc]
    """The code of the second step of signing in."""


class ConfirmingCodeForm(_Code, ConfirmingForm):  # type: ignore[misc]
    """A code that confirms who is signed in."""


class AppForm(_Code, ActivateTOTPForm):  # type: ignore[misc]
    is_identity_check = False  # an app is added

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].widget.attrs["inputmode"] = "numeric"


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey, for signing in with it alone unless the person wants it otherwise."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(validate_one_line)
        self.fields["name"].help_text = "For example, office laptop"
        alone = self.fields["passwordless"]
        alone.initial = True
        alone.label = "Sign in without a password"
        alone.help_text = "You'll need your fingerprint, face or PIN."
