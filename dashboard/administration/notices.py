"""Records an administrator's changes in the history, and emails the person concerned."""

from django.contrib.auth.models import AnonymousUser
from django.forms import BaseForm
from django.http import HttpRequest

from dashboard.administration import staff_accounts
from dashboard.people import mails
from dashboard.people.models import User, Workspace
from dashboard.people.permissions import ADMINISTRATOR
from dashboard.writes import history
from dashboard.writes.models import Event

SINGLE_SIGN_ON = "single sign-on"  # who changes a role by a person's groups
OPERATOR = "the operator"


class Operator(AnonymousUser):
    """The person who changes accounts with a command of manage.py."""


def record(
    request: HttpRequest,
    changes: history.Changes,
    person: User | None = None,
    operation: str = "update",
    workspace: str | None = None,
) -> None:
    """Add changes to the history of a workspace, by default that of the account's keys. Without an
    account they are changes of features. Nothing is added without changes. Raises DatabaseError.
    """
    if not changes:
        return
    acting = request.user if isinstance(request.user, User) else None
    if workspace is None:
        workspace = person.workspace_id if person else ""
    event = Event(
        person=acting,
        who=_without_account(request),
        workspace=workspace,
        resource=history.STAFF if person else history.SERVICE,
        record_id=person.pk if person else None,
        operation=operation,
    )
    label = f"account of {person.get_username()}" if person else "operations to try"
    history.add(event, label=label, changes=changes)


def record_and_notify(
    request: HttpRequest,
    changes: history.Changes,
    person: User,
    operation: str = "update",
    *,
    workspace: str | None = None,
    except_for: str = "",
) -> None:
    """Record changes of an account and let the worker email them, if there are any, to the person,
    also at an address that was replaced. Those of an administrator's account go to all
    administrators who may change the account as well.

    except_for: an address that gets an email of its own.
    """
    if not changes:
        return
    record(request, changes, person, operation, workspace)
    former, _ = changes.get("Email address", ("", ""))
    own = {person.email, former} - {""}
    context = {"person": person, "by": _by(request), "changes": changes}
    mails.post("changed", sorted(own - {except_for}), context)
    if ADMINISTRATOR in (person.role, *changes.get("Role", ())):
        # No takeover goes unnoticed.
        theirs = staff_accounts.administrators_of(person).values_list("email", flat=True)
        mails.post("changed_other", sorted({*theirs} - own), context)


def notify_of_workspace(person: User, workspace: Workspace, state: str, *, by: str) -> None:
    """Let the worker email a person that they were added to a workspace, invited or removed. Unlike
    changes of an account, this is not emailed to administrators. by: who decided it.
    """
    if person.email:
        context = {"person": person, "workspace": workspace, "state": state, "by": by}
        mails.post("workspace", [person.email], context)


def _by(request: HttpRequest) -> str:
    acting = request.user
    if not isinstance(acting, User):
        words = _without_account(request)
        return words[:1].upper() + words[1:]
    return f"The {'superuser' if acting.is_superuser else 'administrator'} {acting.display_name}"


def _without_account(request: HttpRequest) -> str:
    return OPERATOR if isinstance(request.user, Operator) else SINGLE_SIGN_ON


def changes_of(form: BaseForm) -> dict[str, tuple[str, str]]:
    changes = {}
    for name in form.changed_data:
        before, after = _words(form[name].initial), _words(form.cleaned_data[name])
        if before != after:
            changes[str(form[name].label)] = (before, after)
    return changes


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value or "")
