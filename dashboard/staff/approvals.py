"""Changes of accounts that one administrator asks for and a second one has to approve.

By a link for a new password, by switching off the second step and by a new address somebody could
take over an account. Where its person has connected keys, an administrator asks for these, and
another administrator of the workspace, or a superuser, approves. Call what changes something in a
transaction that holds `people.lock` of the person.
"""

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.accounts import addresses
from dashboard.accounts.models import WAITS_FOR, AccountRequest, User
from dashboard.accounts.permissions import CHANGE_STAFF
from dashboard.ledger import history
from dashboard.ledger.history import Changes
from dashboard.staff import actions, people

Kind = AccountRequest.Kind
CHANGED_WITHIN = timedelta(days=7)
GONE = "This request waits no more: it was answered, withdrawn or has expired."
OWN_REQUEST = "You asked for this yourself. Another administrator or a superuser has to approve it."
OWN_ACCOUNT = "This is about your own account. Another administrator or a superuser decides."
CHANGED = (
    "Another administrator has made or changed your account, or that of the person who asks, in "
    "the last seven days. A superuser or somebody else has to approve this."
)


def is_needed(administrator: User, person: User) -> bool:
    """Whether an administrator needs a second one for the changes of Kind to an account.

    Not for one's own, and not for people who have never connected keys. Superusers need none.
    """
    if administrator.is_superuser or administrator == person:
        return False
    return people.has_connected(person)


def ask(
    administrator: User, person: User, kind: Kind, new_address: str = ""
) -> tuple[AccountRequest, Changes]:
    """Store a request, which replaces one of the same kind for another address; returns it with
    the words for the history. Raises ValidationError if the same was asked for, or nothing would
    change.
    """
    for each in _valid(waiting().filter(person=person, kind=kind)):
        if each.new_address == new_address:
            raise ValidationError(f"{each.asked_by.display_name} has asked for this already.")
    if kind == Kind.SECOND_STEP and not person.second_factor:  # type: ignore[attr-defined]
        raise ValidationError(f"Two-step sign-in of {person.display_name} is off already.")
    AccountRequest.objects.filter(person=person, kind=kind).delete()
    asked = AccountRequest.objects.create(
        person=person,
        asked_by=administrator,
        kind=kind,
        address=person.email,
        new_address=new_address,
    )
    return asked, {_title(asked): ("", "waiting")}


def waiting_for(administrator: User, person: User | None = None) -> list[AccountRequest]:
    """The requests about accounts that an administrator may change, or about one of them."""
    requests = waiting()
    requests = requests.filter(person=person) if person else requests
    return [each for each in _valid(requests) if people.may_change(administrator, each.person)]


def find(pk: int, administrator: User) -> AccountRequest | None:
    """The request if it still waits, with the lock of its account. Raises PermissionDenied if that
    is of another workspace.
    """
    person = AccountRequest.objects.filter(pk=pk).values_list("person", flat=True).first()
    if person is None:
        return None
    people.lock(person, administrator)
    return next(iter(_valid(waiting().filter(pk=pk))), None)


def why_not(administrator: User, asked: AccountRequest) -> str:
    """Why an administrator of the workspace may not approve a request; "" if they may."""
    if administrator == asked.asked_by:
        return OWN_REQUEST
    if administrator == asked.person:
        return OWN_ACCOUNT
    if not administrator.is_superuser:
        lately = any(map(_was_changed_lately, (administrator, asked.asked_by)))
        return CHANGED if lately else ""
    return ""


def approve(asked: AccountRequest) -> Changes:
    """Carry a request out, but for the mail of a link, and end it; what changed. Raises
    IntegrityError if somebody else has the new address by now.
    """
    _end(asked)
    if asked.kind == Kind.LINK:
        changes: Changes = {"Link for choosing a password": ("", asked.person.email)}
    elif asked.kind == Kind.SECOND_STEP:
        changes = actions.switch_off_second_factor(asked.person)
    else:
        changes = _change_address(asked.person, asked.new_address)
    return {**changes, "Asked by": ("", asked.asked_by.get_username())} if changes else {}


def decline(asked: AccountRequest) -> Changes:
    """End a request without carrying it out; the words for the history."""
    _end(asked)
    return {_title(asked): ("waiting", "declined")}


def after_change_of_address(person: User, former: str) -> Changes:
    """Keep the former address for notices and end all requests about the account, which name it;
    the words for the history.
    """
    addresses.note_former(person, former)
    ended = list(waiting().filter(person=person))
    AccountRequest.objects.filter(person=person).delete()
    return {_title(each): ("waiting", "cancelled") for each in ended}


def words_of(asked: AccountRequest) -> str:
    """What is asked for, with the addresses that it concerns."""
    if asked.kind == Kind.LINK:
        return f"{asked.get_kind_display()} to {asked.address}"
    if asked.kind == Kind.ADDRESS:
        before = f" from {asked.address}" if asked.address else ""
        return f"{asked.get_kind_display()}{before} to {asked.new_address}"
    return str(asked.get_kind_display())


def ends_at(asked: AccountRequest) -> datetime:
    """When the request expires."""
    return asked.asked_at + WAITS_FOR


def _valid(requests: QuerySet[AccountRequest]) -> list[AccountRequest]:
    """Those whose account still has its address, and whose asker might still ask."""
    return [
        each
        for each in requests
        if each.person.email == each.address
        and each.asked_by.is_active
        and each.asked_by.has_perm(CHANGE_STAFF)
        and people.may_change(each.asked_by, each.person)
    ]


def _was_changed_lately(administrator: User) -> bool:
    """Whether another administrator has made this account or changed it within the last week: of
    the two that are needed, none is to be made by the other. Superusers need no other.
    """
    since = timezone.now() - CHANGED_WITHIN
    lately = history.of_office(history.STAFF, administrator.pk).filter(at__gt=since)
    return lately.filter(person__is_superuser=False).exclude(person=administrator).exists()


def _change_address(person: User, address: str) -> Changes:
    former, person.email = person.email, address
    person.save(update_fields=["email"])
    return {"Email address": (former, address), **after_change_of_address(person, former)}


def _end(asked: AccountRequest) -> None:
    AccountRequest.objects.filter(pk=asked.pk).delete()


def _title(asked: AccountRequest) -> str:
    return f"Request to {words_of(asked)}"


def waiting() -> QuerySet[AccountRequest]:
    """The requests that have not expired, the oldest first, with the people they name."""
    since = timezone.now() - WAITS_FOR
    requests = AccountRequest.objects.filter(asked_at__gt=since)
    return requests.select_related("person", "asked_by").order_by("pk")
