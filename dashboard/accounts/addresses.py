"""The addresses for notices about an account: the present one, and former ones for a week."""

from django.utils import timezone

from dashboard.accounts.models import TOLD_FOR, FormerAddress, User


def note_former(person: User, address: str) -> None:
    """Keep an address that the account had until now; "" is none."""
    if address:
        FormerAddress.objects.create(user=person, email=address)


def former_of(person: User) -> set[str]:
    """The addresses that the account had within the last week, without the present one."""
    since = timezone.now() - TOLD_FOR
    former = FormerAddress.objects.filter(user=person, replaced_at__gt=since)
    return set(former.values_list("email", flat=True)) - {person.email}


def all_of(person: User) -> set[str]:
    """The present address, if there is one, and those of the last week."""
    return {person.email, *former_of(person)} - {""}
