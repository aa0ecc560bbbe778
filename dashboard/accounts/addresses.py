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


def person_at(address: str) -> User | None:
    """Whose address it is, or was within the last week."""
    person = User.objects.filter(email=address.lower()).first()
    if person:
        return person
    former = FormerAddress.objects.filter(email__iexact=address).select_related("user")
    known = former.order_by("-replaced_at").first()
    return known.user if known else None
