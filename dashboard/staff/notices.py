"""Notes what an administrator changes in the history, and mails the person whose account it is."""

from smtplib import SMTPException
from typing import cast

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from dashboard.accounts.models import User
from dashboard.audit import services as audit
from dashboard.audit.models import Entry


def note(
    request: HttpRequest,
    changes: audit.Changes,
    person: User | None = None,
    operation: str = "update",
) -> None:
    """Add changes of an account, or without one of the service's switches, to the history; no
    entry without changes. Raises DatabaseError.
    """
    if not changes:
        return
    administrator = cast(User, request.user)
    entry = Entry(
        person=administrator,
        who=administrator.get_username(),
        resource=audit.STAFF if person else audit.SERVICE,
        record_id=person.pk if person else None,
        operation=operation,
        outcome="saved",
        seconds=0,
    )
    label = f"account of {person.get_username()}" if person else "operations to try"
    audit.write(entry, label=label, changes=changes)


def tell(request: HttpRequest, person: User, changes: audit.Changes, *addresses: str) -> None:
    """Mail the changes, if there are any, to the person and to the other addresses given. The next
    page names the addresses that no mail could be sent to.
    """
    if not changes:
        return
    adapter = get_adapter(request)
    context = {"person": person, "administrator": request.user, "changes": changes}
    for address in sorted({person.email, *addresses} - {""}):
        try:
            adapter.deliver("account/email/changed", address, context)
        except (OSError, SMTPException):
            messages.warning(request, f"No mail about this could be sent to {address}.")


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
