"""Changes to allauth's forms."""

from typing import Any

from allauth.account.forms import LoginForm, ReauthenticateForm
from allauth.mfa.base.forms import AuthenticateForm


class SignInForm(LoginForm):  # type: ignore[misc]
    """The sign-in form, without a link between its two fields where Tab would stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""  # the link to the password reset is below the card
        self.fields["login"].label = "Username or email"
        if not self.is_bound:
            self.fields["login"].widget.attrs["autofocus"] = True


class PasswordForm(ReauthenticateForm):  # type: ignore[misc]
    """The password that confirms a change, whose only field has the focus."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["password"].widget.attrs["autofocus"] = True


class CodeForm(AuthenticateForm):  # type: ignore[misc]
    """The code of the second step, whose only field has the focus."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            self.fields["code"].widget.attrs["autofocus"] = True
