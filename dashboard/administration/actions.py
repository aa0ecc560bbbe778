"""Changes of an account by one button. Each function takes the person and returns the changes,
empty if there was nothing to do. Call them in a transaction.
"""

from collections.abc import Callable
from functools import partial

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from dashboard.administration import staff_accounts
from dashboard.people import keys, sessions
from dashboard.people.models import KeyPair, User
from dashboard.writes.history import Changes


def set_active(person: User, *, active: bool) -> Changes:
    if person.is_active == active:
        return {}
    person.is_active = active
    person.save(update_fields=["is_active"])
    staff_accounts.end_sessions(person)
    return {"Active": ("no", "yes") if active else ("yes", "no")}


def end_sessions(person: User) -> Changes:
    count = len(sessions.open_sessions(person))
    staff_accounts.end_sessions(person)
    return {"Active sessions": (str(count), "0")} if count else {}


def switch_off_second_factor(person: User) -> Changes:
    """Delete the second factor of a person who lost their phone and their recovery codes, and
    revoke their access.
    """
    deleted, _ = Authenticator.objects.filter(user=person).delete()
    return {"Two-step sign-in": ("on", "off"), **revoke_access(person)} if deleted else {}


def revoke_access(person: User) -> Changes:
    """Remove the API keys and end the sessions of a person whose second factor or email address was
    changed: anyone who can sign in as them now finds no keys.
    """
    return {**remove_keys(person), **end_sessions(person)}


def remove_keys(person: User) -> Changes:
    if not KeyPair.objects.filter(user=person).exists():
        return {}
    keys.remove(person)
    return {"API keys": ("connected", "removed")}


def unlink_single_sign_on(person: User) -> Changes:
    """Unlink the person from their identity at the provider, and sign them out. The next identity
    with their address is linked.
    """
    deleted, _ = SocialAccount.objects.filter(user=person).delete()
    if not deleted:
        return {}
    staff_accounts.end_sessions(person)
    return {"Single sign-on": ("linked", "not linked")}


ACTIONS: dict[str, tuple[Callable[[User], Changes], str]] = {
    "activate": (partial(set_active, active=True), "{} can sign in again."),
    "end_sessions": (end_sessions, "{} is signed out everywhere."),
    "unlink": (unlink_single_sign_on, "Single sign-on is unlinked for {}."),
    "remove_keys": (remove_keys, "The API keys of {} were removed."),
    "second_factor": (switch_off_second_factor, "Two-step sign-in is off for {}."),
}
"""The name of the button -> what it does, and what the page says afterwards."""
