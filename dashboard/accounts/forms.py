"""Changes to allauth's forms."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import LoginForm, ResetPasswordForm
from allauth.mfa.base.forms import AuthenticateForm
from django.http import HttpRequest

from dashboard.accounts import mails


class SignInForm(LoginForm):  # type: ignore[misc]
    """The sign-in form, without a link between its two fields where Tab would stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""  # the link to the password reset is below the card
        self.fields["login"].label = "Username or email"
        if not self.is_bound:
            self.fields["login"].widget.attrs["autofocus"] = True


class ResetForm(ResetPasswordForm):  # type: ignore[misc]
    """Asks for a link to choose a password; the worker looks whether the address is known."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Let the worker mail the link. Raises DatabaseError."""
        email: str = self.cleaned_data["email"]
        link = get_adapter(request).get_reset_password_from_key_url(mails.LINK_KEY)
        mails.post_reset_link(email, link)
        return email


class CodeForm(AuthenticateForm):  # type: ignore[misc]
    """The code of the second step, whose only field has the focus."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["code"].widget.attrs["autofocus"] = True
