"""Notes what an administrator changes about an account in the history, and mails the person."""

from collections.abc import Iterable
from smtplib import SMTPException
from typing import cast

from allauth.account.adapter import get_adapter
from django.forms import BaseForm
from django.http import HttpRequest

from dashboard.accounts.models import User
from dashboard.audit import services as audit
from dashboard.audit.models import Entry


def note(
    request: HttpRequest, person: User, changes: audit.Changes, operation: str = "update"
) -> None:
    """Add a change of an account to the history. Raises DatabaseError."""
    administrator = cast(User, request.user)
    entry = Entry(
        person=administrator,
        who=administrator.get_username(),
        resource=audit.STAFF,
        record_id=person.pk,
        operation=operation,
        outcome="saved",
        seconds=0,
    )
    audit.write(entry, label=f"account of {person.get_username()}", changes=changes)


def tell(
    request: HttpRequest, person: User, changes: audit.Changes, addresses: Iterable[str]
) -> list[str]:
    """Mail the changes to each address; returns those that no mail could be sent to."""
    adapter = get_adapter(request)
    context = {"person": person, "administrator": request.user, "changes": changes}
    failed = []
    for address in sorted({address for address in addresses if address}):
        try:
            adapter.deliver("account/email/changed", address, context)
        except (OSError, SMTPException):
            failed.append(address)
    return failed


def changes_of(form: BaseForm) -> dict[str, tuple[str, str]]:
    """The changed fields of a valid form by their labels."""
    found = {}
    for name in form.changed_data:
        before, after = _words(form[name].initial), _words(form.cleaned_data[name])
        if before != after:
            found[str(form[name].label)] = (before, after)
    return found


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value or "")
