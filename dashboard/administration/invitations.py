"""Invites people by their email addresses: the page, and what `manage.py invite` shares."""

from collections.abc import Iterator
from email.utils import parseaddr
from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.administration import notices
from dashboard.administration.access import for_administrators
from dashboard.administration.staff_accounts import free_username
from dashboard.administration.staff_forms import StaffForm
from dashboard.people import mails
from dashboard.people.models import User
from dashboard.people.permissions import signed_in
from dashboard.people.sign_in import may_use_password

MAX_LINES = 200
TAKEN = "Nobody was invited: an address or username was just taken. Try again."


class InvitationsForm(forms.Form):
    """Email addresses, one per line, and the role of all. `accounts`: the form of each line."""

    use_required_attribute = False
    focused_field = "addresses"

    addresses = forms.CharField(
        label="Email addresses",
        help_text="One per line, with or without a name: Nina New <nina@example.com>",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off"}),
    )
    role = StaffForm.declared_fields["role"]

    def __init__(self, *args: Any, acting: User | None) -> None:
        """acting: who invites; None for the operator, by a command."""
        super().__init__(*args)
        self.acting = acting

    def clean(self) -> dict[str, Any]:
        self.accounts: list[StaffForm] = []
        if self.errors:
            return self.cleaned_data
        lines = self.cleaned_data["addresses"].splitlines()
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if len(numbered) > MAX_LINES:
            self.add_error("addresses", f"Enter at most {MAX_LINES} addresses at once.")
        elif errors := list(self._read(numbered)):
            self.add_error("addresses", errors)
        return self.cleaned_data

    def _read(self, lines: list[tuple[int, str]]) -> Iterator[str]:
        line_of: dict[str, int] = {}
        usernames: set[str] = set()
        for number, line in lines:
            values = {**_values(line, usernames), "role": self.cleaned_data["role"]}
            address = values["email"].lower()
            form = StaffForm(values, acting=self.acting)
            if address in line_of:
                yield f"Line {number}: Line {line_of[address]} has the same address."
            for errors in form.errors.values():
                yield from (f"Line {number}: {words}" for words in errors)
            line_of.setdefault(address, number)
            usernames.add(values["username"].lower())
            self.accounts.append(form)


def _values(line: str, usernames: set[str]) -> dict[str, str]:
    """Return the fields of "Nina New <nina@example.test>", or of an address alone."""
    line = " ".join(line.split())
    name, address = parseaddr(line) if line.endswith(">") else ("", line)
    first, _, last = name.rpartition(" ") if " " in name else (name, "", "")
    return {
        "first_name": first,
        "last_name": last,
        "email": address,
        "username": free_username(address, usernames),
    }


def invite_all(request: HttpRequest, form: InvitationsForm, *, by_mail: bool = True) -> bool:
    """Create the accounts of a valid form and let the worker email each a link. If an address or
    username was taken meanwhile, create none, add the error to the form and return False.
    """
    try:
        with transaction.atomic():
            for account in form.accounts:
                person, changes = account.save(), notices.changes_of(account)
                notices.record_and_notify(
                    request, changes, person, "create", except_for=person.email
                )
                if by_mail:
                    send_link(request, person)
    except IntegrityError:
        form.add_error("addresses", TAKEN)
        return False
    return True


def send_link(request: HttpRequest, person: User) -> str:
    """Let the worker email a new link in place of an unsent one, and record it. Return the kind of
    link. Raises DatabaseError.
    """
    if may_use_password(person):
        link, template = "Password link", "invitation"
    else:
        link, template = "Single sign-on link", "single_sign_on"
    mails.unsent_invitations().filter(person=person).delete()
    mails.post(template, [person.email], {"person": person, "url": link_for(request, person)})
    change = {link: ("", person.email)}
    notices.record_and_notify(request, change, person, except_for=person.email)
    return link


def link_for(request: HttpRequest, person: User) -> str:
    """Return a link for choosing a password, or to single sign-on where that is the person's only
    way in.
    """
    adapter = get_adapter(request)
    if may_use_password(person):
        return str(adapter.get_reset_password_from_key_url(mails.key_of(person)))
    return str(adapter.get_sign_in_url())


@for_administrators
def invite_people(request: HttpRequest) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    form = InvitationsForm(posted, acting=signed_in(request))
    if form.is_valid() and invite_all(request, form):
        many = len(form.accounts)
        who = "1 person is" if many == 1 else f"{many} people are"
        messages.success(request, f"{who} invited by email.")
        return redirect("staff:list")
    return render(
        request, "administration/invite.html", {"form": form}, status=422 if posted else 200
    )
