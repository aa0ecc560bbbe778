"""The form of a staff account: name, email address and role."""

from typing import Any

from django import forms

from dashboard.administration import staff_accounts
from dashboard.core.templates import validate_one_line
from dashboard.people import members
from dashboard.people.models import User
from dashboard.people.permissions import ADMINISTRATOR, role_labels, set_role

NEW_ADDRESS = "A new address removes this person's API keys and ends their sessions."


class StaffForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    role = forms.ChoiceField(choices=role_labels, widget=forms.RadioSelect)

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email", "username")
        help_texts = {"username": "For signing in. The email address works too."}

    def __init__(self, *args: Any, acting: User | None, **kwargs: Any) -> None:
        """acting: who fills the form in; None for the operator, by a command."""
        super().__init__(*args, **kwargs)
        self.acting = acting
        role = self.fields["role"]
        for name in ("first_name", "last_name"):
            self.fields[name].validators.append(validate_one_line)
        self.fields["email"].required = True
        role.required = not self.instance.is_superuser
        if self.instance.pk:
            role.initial = self.instance.role
        if self.instance.pk and self.instance != acting:
            self.fields["email"].help_text = NEW_ADDRESS
        if acting and self.instance.pk == acting.pk:
            role.disabled = True
            role.help_text = "You can't change your own role. Ask another administrator."

    def clean_email(self) -> str:
        """Check uniqueness here: the error of the model's constraint belongs to no field."""
        email: str = self.cleaned_data["email"]
        others = User.objects.exclude(pk=self.instance.pk)
        if others.filter(email__iexact=email).exists():
            raise forms.ValidationError("This email address is taken.")
        return email

    def clean_role(self) -> str:
        """Keep one administrator. Raises ValidationError if none would be left."""
        role: str = self.cleaned_data["role"]
        steps_down = self.fields["role"].initial == ADMINISTRATOR != role
        if steps_down and staff_accounts.is_last_administrator(self.instance):
            raise forms.ValidationError(staff_accounts.LAST)
        return role

    def save(self, commit: bool = True) -> User:
        """Store the account and its role. A new one has no password yet, and is invited to the
        workspace of its creator.
        """
        if not self.instance.pk:
            self.instance.set_unusable_password()
        user: User = super().save(commit=False)
        if not commit:
            return user
        if user.pk:  # its password and whether it is active may be changed by others meanwhile
            user.save(update_fields=[name for name in self.changed_data if name != "role"])
        else:
            user.save(force_insert=True)
            if workspace := staff_accounts.workspace_of_new(self.acting):
                members.invite(user, workspace, by=self.acting)
        if "role" in self.changed_data and self.cleaned_data["role"]:
            set_role(user, self.cleaned_data["role"])
        return user
