"""The form of a key pair, forgiving about how keys come out of the clipboard."""

import re
import unicodedata
from typing import Any

from allauth.account.adapter import get_adapter
from django import forms

from dashboard.accounts.models import User
from dashboard.credentials import services

_SENDABLE = re.compile(r"[\x21-\x7e]*\Z")
_LOOKS_SECRET = re.compile(r"(sk|secret)[-_.]", re.IGNORECASE)
_LOOKS_ACCESS = re.compile(r"(ak|pk|access)[-_.]", re.IGNORECASE)
_INVISIBLE = {
    "Cf",
    "Zs",
    "Zl",
    "Zp",
}  # zero-width characters, byte order marks, spaces of every width
_SWAPPED = "This looks like the {}. Are the two the wrong way round?"


class KeyField(forms.CharField):
    """Text for a header: spaces, line breaks and invisible characters of a copy are dropped."""

    default_error_messages = {
        "unsendable": "There is a character in this that no key has. Copy it again."
    }

    def to_python(self, value: Any) -> str:
        """The key as it was meant."""
        text = str(value or "")
        kept = (c for c in text if not c.isspace() and unicodedata.category(c) not in _INVISIBLE)
        return super().to_python("".join(kept)) or ""

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What stays in the field after an error: as typed, but for what no page may contain."""
        return "".join(c for c in data or "" if unicodedata.category(c) not in ("Cc", "Cs"))

    def validate(self, value: str) -> None:
        """Only what a header can carry."""
        super().validate(value)
        if not _SENDABLE.match(value):
            raise forms.ValidationError(self.error_messages["unsendable"], code="unsendable")


class ConfirmedForm(forms.Form):
    """Asks for the person's own password, unless they have given it within the last minutes."""

    password = forms.CharField(
        label="Your Entry Desk password",
        strip=False,
        error_messages={"required": "Enter your password: keys that are stored are about to go."},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    use_required_attribute = False

    def __init__(self, user: User, *args: Any, asks_password: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.asks_password = asks_password
        if not asks_password:
            del self.fields["password"]

    def clean_password(self) -> str:
        """The right one; allauth counts the attempts."""
        password: str = self.cleaned_data["password"]
        if password and not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError("That is not your password.", code="wrong")
        return password


class KeysForm(ConfirmedForm):
    """Both keys and the workspace; the person's password too where a stored pair is replaced."""

    access = KeyField(
        label="Access key",
        max_length=500,
        error_messages={"required": "Paste the access key."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    # Rendered back after an error, so that nobody has to fetch it twice: never from what is stored.
    secret = KeyField(
        label="Secret key",
        max_length=500,
        error_messages={"required": "Paste the secret key."},
        widget=forms.PasswordInput(
            render_value=True, attrs={"autocomplete": "off", "spellcheck": "false"}
        ),
    )
    workspace = forms.CharField(
        label="Workspace",
        max_length=100,
        help_text="Which workspace the keys belong to, in your words: the service does not say.",
        error_messages={"required": "Name the workspace the keys belong to."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    field_order = ("access", "secret", "workspace", "password")

    def __init__(self, *args: Any, testing: bool = False, **kwargs: Any) -> None:
        """`testing`: only the keys themselves are needed."""
        super().__init__(*args, **kwargs)
        self.testing = testing

    def clean_access(self) -> str:
        """Not the secret key, as far as its looks or the stored pair tell."""
        access: str = self.cleaned_data["access"]
        if _LOOKS_SECRET.match(access):
            raise forms.ValidationError(_SWAPPED.format("secret key"), code="swapped")
        return access

    def clean_secret(self) -> str:
        """Not the access key."""
        secret: str = self.cleaned_data["secret"]
        if _LOOKS_ACCESS.match(secret):
            raise forms.ValidationError(_SWAPPED.format("access key"), code="swapped")
        if secret == self.cleaned_data.get("access"):
            raise forms.ValidationError(
                "This is the access key again. The secret key is another one, shown beside it.",
                code="identical",
            )
        return secret

    def clean_password(self) -> str:
        """Not looked at for a test: nothing is replaced by it."""
        return "" if self.testing else super().clean_password()

    def clean(self) -> dict[str, Any]:
        """A test needs neither workspace nor password, which stay required on the page."""
        for name in ("workspace", "password"):
            if self.testing:
                self.errors.pop(name, None)
        return self.cleaned_data

    def save(self) -> None:
        """Store the pair, encrypted."""
        kept = {name: self.cleaned_data[name] for name in ("access", "secret", "workspace")}
        services.connect(self.user, **kept)
