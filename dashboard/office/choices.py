"""Reads and writes remembered choices, of people and of a workspace.

Stores nothing for a workspace without a name.
"""

from collections import Counter
from collections.abc import Mapping

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import QuerySet

from dashboard.core.sealed import readable, sealed_text
from dashboard.people.models import User

from .models import MAX_DAYS, Conversion, ReminderTexts, SavedChoices, Terms

LAST_INVOICES = 5  # of a customer, whose days to pay are kept
OFTEN = 2  # of them, so that the days of one alone are not offered again
OWN_ID = "user.own_id"  # the field of the choices
MAX_CHOICE_LENGTH = 200  # characters


def due_days(workspace: str, customer: int | None, *, usual: int) -> int:
    """Return the days that a customer has to pay: those given most often in the last invoices, but
    not those of a single one; else the `usual` ones of the workspace, also without a customer.
    """
    if customer is None:
        return usual
    terms = Terms.objects.filter(workspace=workspace, customer=customer).first()
    given = Counter(reversed(terms.recent if terms else ()))  # of equally frequent ones the later
    days, times = given.most_common(1)[0] if given else (0, 0)
    return days if times >= OFTEN else usual


def remember_days(*, workspace: str, customer: int, days: int, usual: int) -> None:
    """Store the days that a customer was given, from the first that are not the workspace's `usual`
    ones.
    """
    if not workspace or not 0 <= days <= MAX_DAYS:
        return
    terms = Terms.objects.filter(workspace=workspace, customer=customer).first()
    if terms or days != usual:
        recent = [*(terms.recent if terms else ()), days][-LAST_INVOICES:]
        Terms.objects.update_or_create(
            workspace=workspace, customer=customer, defaults={"recent": recent}
        )


def choices_of(user: User, workspace: str) -> dict[str, str]:
    """Return the values that a user chose last in a workspace, by field. No query for the user of a
    request.
    """
    try:
        stored = user.choices.by_workspace.get(workspace, {})
    except ObjectDoesNotExist:
        return {}
    return dict(stored)


def remember_choices(*, user: User, workspace: str, values: Mapping[str, str]) -> None:
    chosen = {field: value[:MAX_CHOICE_LENGTH] for field, value in values.items()}
    if not workspace or chosen.items() <= choices_of(user, workspace).items():
        return
    with transaction.atomic():
        row, _ = SavedChoices.objects.select_for_update().get_or_create(user=user)
        row.by_workspace.setdefault(workspace, {}).update(chosen)
        row.save(update_fields=["by_workspace"])
    user.choices = row


def own_id(user: User, workspace: str) -> str:
    """Return the person's own user id in the service, as they chose it; "" if they did not."""
    return choices_of(user, workspace).get(OWN_ID, "")


def remember_own_id(user: User, workspace: str, code: str) -> None:
    """Store the person's own user id in the service; "" forgets it."""
    remember_choices(user=user, workspace=workspace, values={OWN_ID: code})


def conversion_of(workspace: str, source: int) -> Conversion | None:
    return _conversions(workspace).filter(source=source).first()


def source_of(workspace: str, made: int) -> Conversion | None:
    return _conversions(workspace).filter(made=made).first()


def _conversions(workspace: str) -> QuerySet[Conversion]:
    return Conversion.objects.filter(workspace=workspace)  # most pages find none: without the user


def remember_conversion(
    *, user: int, workspace: str, source: int, made: int | None, label: str
) -> None:
    """Store that the document `made` was created from `source` by a user (by id), once."""
    Conversion.objects.get_or_create(
        user_id=user, workspace=workspace, source=source, made=made, label=label[:200]
    )


def reminder_texts(workspace: str) -> dict[str, dict[str, str]]:
    """Return the office's subject and text of a reminder by tone; {} before there are any."""
    stored = ReminderTexts.objects.filter(workspace=workspace).first()
    return readable(stored, "content") if stored else {}


def change_reminder_texts(workspace: str, texts: Mapping[str, Mapping[str, str]]) -> None:
    row = ReminderTexts(workspace=workspace)
    row.content = texts
    ReminderTexts.objects.update_or_create(
        workspace=workspace, defaults={"content_sealed": sealed_text(row, "content")}
    )
