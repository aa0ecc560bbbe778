"""Reads and writes what is settled and remembered. A workspace without a name remembers nothing."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from dashboard.accounts.models import User

from .models import MOST_DAYS, Conversion, LastUsed, Office, Terms


def office(workspace: str) -> Office:
    """What is settled for a workspace; the usual where nothing is, unsaved."""
    return Office.objects.filter(workspace=workspace).first() or Office(workspace=workspace)


def note_agreement(workspace: str, codes: Collection[str], all_codes: Collection[str]) -> None:
    """Take note of the methods by which a total of the service comes out.

    A total that tells nothing is passed over; one that contradicts all before it starts anew.
    """
    if not workspace or not codes or len(codes) == len(all_codes):
        return
    known = office(workspace)
    agreeing = sorted(set(known.told) & set(codes)) or sorted(codes)
    if agreeing != known.told:
        known.told = agreeing
        known.save()


def method_code(settled: Office, codes: Sequence[str]) -> str:
    """The method to add up by: the chosen one, else the first that agreed, else the first."""
    if settled.method in codes:
        return settled.method
    return next((code for code in codes if code in settled.told), codes[0])


def due_days(workspace: str, customer: int | None) -> int:
    """How many days a customer has to pay: what they were given last, else the office's."""
    found = Terms.objects.filter(workspace=workspace, customer=customer or 0).first()
    return found.days if found else office(workspace).due_days


def remember_days(workspace: str, customer: int, days: int) -> None:
    """Keep the days a customer was given, if they are not what they would be given anyway."""
    if workspace and 0 <= days <= MOST_DAYS and days != due_days(workspace, customer):
        Terms.objects.update_or_create(
            workspace=workspace, customer=customer, defaults={"days": days}
        )


def last_used(user: User, workspace: str, fields: Iterable[str]) -> dict[str, str]:
    """What a person chose last in these fields."""
    found = LastUsed.objects.filter(user=user, workspace=workspace, field__in=list(fields))
    return {one.field: one.value for one in found}


def remember_used(user: User, workspace: str, values: Mapping[str, object]) -> None:
    """Keep what a person chose, for their next form."""
    known = last_used(user, workspace, values)
    for field, value in values.items() if workspace else ():
        text = str(value)[:200]
        if known.get(field) != text:
            LastUsed.objects.update_or_create(
                user=user, workspace=workspace, field=field, defaults={"value": text}
            )


def conversion_of(workspace: str, source: int) -> Conversion | None:
    """The latest document made of this one, if any was made here."""
    found = Conversion.objects.filter(workspace=workspace, source=source)
    return found.select_related("user").first()


def remember_conversion(
    user: User, workspace: str, source: int, *, made: int | None, label: str
) -> None:
    """Keep that a document was made of another."""
    Conversion.objects.create(
        user=user, workspace=workspace, source=source, made=made, label=label[:200]
    )
