"""Notes what an administrator changes in the history, and mails the person whose account it is."""

from collections.abc import Collection, Iterable

from allauth.account.adapter import get_adapter
from django.forms import BaseForm
from django.http import HttpRequest
from django.template.loader import render_to_string

from dashboard.accounts import mails
from dashboard.accounts.models import User
from dashboard.accounts.roles import ADMINISTRATOR, role_of
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from dashboard.credentials.models import Workspace
from dashboard.credentials.services import pair_of

SINGLE_SIGN_ON = "single sign-on"  # who changes a role by a person's groups


def note(
    request: HttpRequest,
    changes: audit.Changes,
    person: User | None = None,
    operation: str = "update",
    workspace: str | None = None,
) -> None:
    """Add changes of an account, or without one of the service's switches, to the history of a
    workspace, which is by default that of the account's keys; no entry without changes. Raises
    DatabaseError.
    """
    if not changes:
        return
    acting = request.user if isinstance(request.user, User) else None
    entry = Entry(
        person=acting,
        who=acting.get_username() if acting else SINGLE_SIGN_ON,
        workspace=_workspace_of(person) if workspace is None else workspace,
        resource=audit.STAFF if person else audit.SERVICE,
        record_id=person.pk if person else None,
        operation=operation,
        outcome="saved",
        seconds=0,
    )
    label = f"account of {person.get_username()}" if person else "operations to try"
    audit.write(entry, label=label, changes=changes)


def _workspace_of(person: User | None) -> str:
    pair = pair_of(person) if person else None
    return pair.workspace_id if pair else ""


def tell(request: HttpRequest, person: User, changes: audit.Changes, *addresses: str) -> None:
    """Let the worker mail the changes, if there are any, to the person and to the other addresses
    given; those of an administrator's account to all administrators as well.
    """
    if not changes:
        return
    own = {person.email, *addresses} - {""}
    _mail(request, "account/email/changed", own, person, changes)
    tell_administrators(request, person, changes, besides=own)


def tell_of_workspace(person: User, workspace: Workspace, state: str, *, by: str) -> None:
    """Let the worker mail a person that they were let into a workspace, invited or removed, which
    is no concern of the administrators of others. by: whose word it was.
    """
    if person.email:
        context = {"person": person, "workspace": workspace, "state": state, "by": by}
        subject = render_to_string("account/email/workspace_subject.txt", context).strip()
        body = render_to_string("account/email/workspace_message.txt", context)
        mails.post(subject, body, person.email)


def tell_administrators(
    request: HttpRequest, person: User, changes: audit.Changes, besides: Collection[str] = ()
) -> None:
    """Let the worker mail the changes of an administrator's account to all administrators, except
    to some addresses, so that no one of them takes over another unseen.
    """
    if ADMINISTRATOR not in (role_of(person), *changes.get("Role", ())):
        return
    all_of_them = User.objects.filter(groups__name=ADMINISTRATOR, is_active=True)
    addresses = set(all_of_them.values_list("email", flat=True)) - {"", *besides}
    _mail(request, "account/email/changed_other", addresses, person, changes)


def _mail(
    request: HttpRequest,
    template: str,
    addresses: Iterable[str],
    person: User,
    changes: audit.Changes,
) -> None:
    acting = request.user
    name = acting.display_name if isinstance(acting, User) else ""
    by = f"the administrator {name}" if name else SINGLE_SIGN_ON
    context = {"person": person, "by": by, "changes": changes}
    for address in sorted(addresses):
        get_adapter(request).send_mail(template, address, context)


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
