"""allauth's forms as this desk shows them."""

from typing import Any

from allauth.account.forms import LoginForm


class SignInForm(LoginForm):  # type: ignore[misc]
    """Name, password, Enter: nothing stands between the two fields for Tab to stop at."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""  # the way to a new password is below the card
        if not self.is_bound:
            self.fields["login"].widget.attrs["autofocus"] = True
