"""Reads and writes the settings of a workspace and remembered choices.

Stores nothing for a workspace without a name.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction

from dashboard.accounts.models import User

from .models import MOST_DAYS, Choices, Conversion, Office, Terms

LAST_INVOICES = 5  # of a customer, whose days to pay are kept
OFTEN = 2  # of them, so that the days of one alone are not offered again
OWN_ID = "user.own_id"  # the field of the choices
LONGEST_CHOICE = 200  # characters


def office(workspace: str) -> Office:
    """The settings of a workspace; an unsaved row of defaults if there are none."""
    return Office.objects.filter(workspace=workspace).first() or Office(workspace=workspace)


def change_office(workspace: str, **values: Any) -> None:
    """Store these settings of a workspace, and leave the others as they are stored."""
    if workspace:
        Office.objects.update_or_create(workspace=workspace, defaults=values)


def agreeing_methods(
    settings: Office, codes: Collection[str], all_codes: Collection[str]
) -> list[str]:
    """The methods that agree with every total of the service so far, and with one more, with which
    `codes` agree. A total that agrees with every method is ignored. If none of the methods before
    is among `codes`, `codes` replace them.
    """
    if not codes or len(codes) == len(all_codes):
        return list(settings.told)
    return sorted(set(settings.told) & set(codes)) or sorted(codes)


def method_code(settled: Office, codes: Sequence[str]) -> str:
    """The code of the method for totals: the chosen, else the first that agrees, else the first."""
    if settled.method in codes:
        return settled.method
    return next((code for code in codes if code in settled.told), codes[0])


def due_days(settings: Office, customer: int | None) -> int:
    """The days that a customer has to pay: those given most often in the last invoices, but not
    those of a single one; else the workspace's default, also without a customer.
    """
    if customer is None:
        return settings.due_days
    terms = Terms.objects.filter(workspace=settings.workspace, customer=customer).first()
    given = Counter(reversed(_recent_days(terms)))  # of equally frequent ones the later
    days, times = given.most_common(1)[0] if given else (0, 0)
    return days if times >= OFTEN else settings.due_days


def remember_days(*, workspace: str, customer: int, days: int) -> None:
    """Store the days that a customer was given, from the first that are not the default."""
    if not workspace or not 0 <= days <= MOST_DAYS:
        return
    terms = Terms.objects.filter(workspace=workspace, customer=customer).first()
    if terms or days != office(workspace).due_days:
        recent = [*_recent_days(terms), days][-LAST_INVOICES:]
        Terms.objects.update_or_create(
            workspace=workspace, customer=customer, defaults={"days": days, "recent": recent}
        )


def _recent_days(terms: Terms | None) -> list[int]:
    """The days of the last invoices; terms stored before these were kept count as usual ones."""
    if terms is None:
        return []
    return terms.recent or [terms.days] * OFTEN


def choices_of(user: User, workspace: str) -> dict[str, str]:
    """The values that a user chose last in a workspace, by field. No query for the user of a
    request.
    """
    try:
        stored = user.choices.by_workspace.get(workspace, {})
    except ObjectDoesNotExist:
        return {}
    return dict(stored)


def remember_choices(*, user: User, workspace: str, values: Mapping[str, str]) -> None:
    """Store the values that a user chose, as initial values of their next form."""
    chosen = {field: value[:LONGEST_CHOICE] for field, value in values.items()}
    if not workspace or chosen.items() <= choices_of(user, workspace).items():
        return
    with transaction.atomic():
        row, _ = Choices.objects.select_for_update().get_or_create(user=user)
        row.by_workspace.setdefault(workspace, {}).update(chosen)
        row.save(update_fields=["by_workspace"])
    user.choices = row


def own_id(user: User, workspace: str) -> str:
    """The person's own user id in the service, as they chose it; "" if they did not."""
    return choices_of(user, workspace).get(OWN_ID, "")


def remember_own_id(user: User, workspace: str, code: str) -> None:
    """Store the person's own user id in the service; "" forgets it."""
    remember_choices(user=user, workspace=workspace, values={OWN_ID: code})


def conversion_of(workspace: str, source: int) -> Conversion | None:
    """The latest document that was created from `source` through this dashboard."""
    conversions = Conversion.objects.filter(workspace=workspace, source=source)
    return conversions.select_related("user").first()


def source_of(workspace: str, made: int) -> Conversion | None:
    """How the document `made` was created from another through this dashboard."""
    conversions = Conversion.objects.filter(workspace=workspace, made=made)
    return conversions.select_related("user").first()


def remember_conversion(
    *, user: int, workspace: str, source: int, made: int | None, label: str
) -> None:
    """Store that the document `made` was created from `source` by a user (by id), once."""
    Conversion.objects.get_or_create(
        user_id=user, workspace=workspace, source=source, made=made, label=label[:200]
    )
