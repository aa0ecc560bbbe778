"""Forms of a key pair. They remove white space and invisible characters from pasted keys."""

import re
import unicodedata
from typing import Any

from django import forms
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from dashboard.core.templates import validate_one_line
from dashboard.gateway import Keys
from dashboard.people import keys as services
from dashboard.people import members
from dashboard.people.comparison import Destination
from dashboard.people.models import User

_SENDABLE = re.compile(r"[\x21-\x7e]*\Z")
# Unicode categories: zero-width characters, byte order marks, spaces of every width.
_INVISIBLE = {"Cf", "Zs", "Zl", "Zp"}
NOT_INVITED = (
    "Enter a name for the new workspace, for example your company. If your colleagues already "
    "have one, ask its administrator to add you."
)
TAKEN = (
    "That workspace name is taken. If you work there, ask its administrator to add you. Otherwise"
    " choose another name."
)


class KeyField(forms.CharField):
    default_error_messages = {
        "unsendable": "Contains a character that isn't used in keys. Copy the key again."
    }

    def to_python(self, value: Any) -> str:
        text = str(value or "")
        visible = (c for c in text if not c.isspace() and unicodedata.category(c) not in _INVISIBLE)
        return super().to_python("".join(visible)) or ""

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return the typed text without control characters and surrogates, which HTML
        cannot hold.
        """
        return "".join(c for c in data or "" if unicodedata.category(c) not in ("Cc", "Cs"))

    def validate(self, value: str) -> None:
        super().validate(value)
        if not _SENDABLE.match(value):
            raise forms.ValidationError(self.error_messages["unsendable"], code="unsendable")


class KeysForm(forms.Form):
    use_required_attribute = False
    focused_field = "access"

    access = KeyField(
        label="Access key",
        max_length=500,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    # Rendered again after an error, so that it need not be copied twice; never from the database.
    secret = KeyField(
        label="Secret key",
        max_length=500,
        widget=forms.PasswordInput(
            render_value=True, attrs={"autocomplete": "off", "spellcheck": "false"}
        ),
    )
    workspace = forms.CharField(  # shown once it is asked for
        label="Workspace name",
        max_length=100,
        required=False,
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not self.data.get("workspace"):
            self.fields["workspace"].widget = forms.HiddenInput()

    def clean_secret(self) -> str:
        secret: str = self.cleaned_data["secret"]
        if secret == self.cleaned_data.get("access"):
            raise forms.ValidationError(
                "This is the access key. Paste the secret key, which is shown next to it.",
                code="identical",
            )
        return secret

    @sensitive_variables()
    def keys(self) -> Keys:
        return Keys(access=self.cleaned_data["access"], secret=self.cleaned_data["secret"])

    @sensitive_variables()
    def save(self, destination: Destination) -> None:
        """Store the pair, encrypted, in the workspace that it joins.

        A new one needs a name of its own: without it nothing is stored, and the form asks for it.
        Keys that contradict those of a workspace start one in any case.
        """
        workspace, name = destination.workspace, self.cleaned_data["workspace"].strip()
        if not name and destination.contradicted:
            name = members.own_name(self.user)
        elif workspace is None and (not name or members.is_taken(name)):
            self.fields["workspace"].widget = self.base_fields["workspace"].widget
            self.fields["workspace"].required = True
            self.add_error("workspace", TAKEN if name else NOT_INVITED)
            return
        with transaction.atomic():
            keys = {key: self.cleaned_data[key] for key in ("access", "secret")}
            services.connect(
                self.user, **keys, workspace=workspace or members.create_workspace(name)
            )
