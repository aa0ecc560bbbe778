"""Forms of a key pair. They remove white space and invisible characters from pasted keys."""

import re
import unicodedata
from typing import Any, cast

from allauth.account.adapter import get_adapter
from django import forms

from dashboard.accounts.models import User
from dashboard.credentials import services

_SENDABLE = re.compile(r"[\x21-\x7e]*\Z")
_LOOKS_SECRET = re.compile(r"(sk|secret)[-_.]", re.IGNORECASE)
_LOOKS_ACCESS = re.compile(r"(ak|pk|access)[-_.]", re.IGNORECASE)
# Unicode categories: zero-width characters, byte order marks, spaces of every width.
_INVISIBLE = {"Cf", "Zs", "Zl", "Zp"}
NEW = "/new"  # the choice that begins a new workspace
_SWAPPED = "This looks like the {}. Are the two the wrong way round?"


class KeyField(forms.CharField):
    """An API key; white space and invisible characters are removed before validation."""

    default_error_messages = {
        "unsendable": "There is a character in this that no key has. Copy it again."
    }

    def to_python(self, value: Any) -> str:
        """The text without white space and invisible characters."""
        text = str(value or "")
        visible = (c for c in text if not c.isspace() and unicodedata.category(c) not in _INVISIBLE)
        return super().to_python("".join(visible)) or ""

    def bound_data(self, data: Any, initial: Any) -> Any:
        """The typed text without control characters and surrogates, which HTML cannot hold."""
        return "".join(c for c in data or "" if unicodedata.category(c) not in ("Cc", "Cs"))

    def validate(self, value: str) -> None:
        """Raise ValidationError for characters that an HTTP header cannot hold."""
        super().validate(value)
        if not _SENDABLE.match(value):
            raise forms.ValidationError(self.error_messages["unsendable"], code="unsendable")


class ConfirmedForm(forms.Form):
    """A form with a field for the user's own password.

    asks_password: False removes the field, for a user who has entered it within the last minutes.
    """

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
        """Check the password; allauth limits the attempts."""
        password: str = self.cleaned_data["password"]
        if password and not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError("That is not your password.", code="wrong")
        return password


class KeysForm(ConfirmedForm):
    """Both keys and the workspace, and the user's password if a stored pair is replaced."""

    access = KeyField(
        label="Access key",
        max_length=500,
        error_messages={"required": "Paste the access key."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    # Rendered again after an error, so that it need not be copied twice; never from the database.
    secret = KeyField(
        label="Secret key",
        max_length=500,
        error_messages={"required": "Paste the secret key."},
        widget=forms.PasswordInput(
            render_value=True, attrs={"autocomplete": "off", "spellcheck": "false"}
        ),
    )
    joins = forms.ChoiceField(
        label="Workspace",
        error_messages={"required": "Choose the workspace of the keys, or begin a new one."},
        help_text="Which workspace the keys belong to: the service does not say. Everybody in a "
        "workspace shares its lists and settings here.",
    )
    workspace = forms.CharField(
        label="Name of the new workspace",
        max_length=100,
        help_text="In your words, such as the name of the firm.",
        error_messages={"required": "Name the workspace the keys belong to."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    field_order = ("access", "secret", "joins", "workspace", "password")

    def __init__(self, *args: Any, testing: bool = False, **kwargs: Any) -> None:
        """testing: whether the keys are only tested, which needs no workspace and no password."""
        super().__init__(*args, **kwargs)
        self.testing = testing
        self.begun = {services.normal(name): name for name in services.workspaces()}
        self._offer_workspaces()

    def _offer_workspaces(self) -> None:
        """Offer the workspaces that exist; where there is none, only ask for a name."""
        if not self.begun:
            del self.fields["joins"]
            self.fields["workspace"].label = "Workspace"
            return
        names = [(name, name) for name in self.begun.values()]
        choices = [("", "Choose…"), *names, (NEW, "Begin a new workspace…")]
        cast(forms.ChoiceField, self.fields["joins"]).choices = choices
        pair = services.pair_of(self.user)
        self.initial["joins"] = self.begun[services.normal(pair.workspace)] if pair else ""

    def clean_access(self) -> str:
        """Refuse text that begins like a secret key."""
        access: str = self.cleaned_data["access"]
        if _LOOKS_SECRET.match(access):
            raise forms.ValidationError(_SWAPPED.format("secret key"), code="swapped")
        return access

    def clean_secret(self) -> str:
        """Refuse text that begins like an access key or repeats the access key."""
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
        """Skip the check for a test, which replaces nothing."""
        return "" if self.testing else super().clean_password()

    def clean(self) -> dict[str, Any]:
        """Drop the errors of workspace and password for a test, which needs neither."""
        for name in ("joins", "workspace", "password") if self.testing else ():
            self.errors.pop(name, None)
        if not self.testing:
            self._choose_workspace()
        return self.cleaned_data

    def _choose_workspace(self) -> None:
        """Set the chosen workspace, or the typed one if it exists or is begun on purpose."""
        chosen = self.cleaned_data.get("joins", "" if self.begun else NEW)
        typed = services.normal(self.cleaned_data.get("workspace", ""))
        existing = chosen if chosen not in ("", NEW) else self.begun.get(typed)
        if existing or not chosen:
            self.errors.pop("workspace", None)
        if existing:
            self.errors.pop("joins", None)
            self.cleaned_data["workspace"] = existing

    def save(self) -> None:
        """Store the pair, encrypted."""
        values = {name: self.cleaned_data[name] for name in ("access", "secret", "workspace")}
        services.connect(self.user, **values)
