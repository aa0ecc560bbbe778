"""The addresses for notices about an account: the present one, and former ones for a week."""

from datetime import timedelta

from django.utils import timezone

from dashboard import retention
from dashboard.accounts.models import FormerAddress, User

TOLD_FOR = timedelta(days=7)


def note_former(person: User, address: str) -> None:
    """Keep an address that the account had until now; "" is none."""
    if address:
        FormerAddress.objects.create(user=person, email=address)


def former_of(person: User) -> set[str]:
    """The addresses that the account had within the last week, without the present one."""
    since = timezone.now() - TOLD_FOR
    found = FormerAddress.objects.filter(user=person, replaced_at__gt=since)
    return set(found.values_list("email", flat=True)) - {person.email}


def all_of(person: User) -> set[str]:
    """The present address, if there is one, and those of the last week."""
    return {person.email, *former_of(person)} - {""}


def purge() -> int:
    """Delete former addresses after a week; how many."""
    return retention.delete(
        FormerAddress.objects.filter(replaced_at__lte=timezone.now() - TOLD_FOR)
    )
