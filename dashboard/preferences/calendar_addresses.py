"""Secret addresses of the calendars of people's own tasks. Of an address its mark alone is stored,
so that it can be shown only as it is made.
"""

import secrets
from datetime import timedelta

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from dashboard.monitoring import security
from dashboard.sealed import marks_of

from .models import CalendarAddress

PURPOSE = "calendar addresses"
OCTETS = 32  # of a key
AN_HOUR = timedelta(hours=1)


@sensitive_variables()
def make(person: int) -> str:
    """The key of a new address, in place of one that the person had."""
    key = secrets.token_urlsafe(OCTETS)
    values = {"mark": marks_of(key, PURPOSE)[0], "made_at": timezone.now(), "read_at": None}
    CalendarAddress.objects.update_or_create(person_id=person, defaults=values)
    security.note("calendar address made", person=person)
    return key


@sensitive_variables()
def find(key: str) -> CalendarAddress | None:
    """The address with this key. After a rotation of keys those under the earlier ones, too."""
    return CalendarAddress.objects.filter(mark__in=marks_of(key, PURPOSE)).first()


def of_person(person: int) -> CalendarAddress | None:
    """The one that the person has."""
    return CalendarAddress.objects.filter(person=person).first()


def end(address: CalendarAddress) -> bool:
    """Let it lead nowhere; whether it did until now."""
    deleted, _ = CalendarAddress.objects.filter(pk=address.pk).delete()
    security.note("calendar address ended", person=address.person_id)
    return bool(deleted)


def note_read(address: CalendarAddress) -> None:
    """Note that it was read, once an hour. Raises DatabaseError."""
    now = timezone.now()
    if address.read_at is None or address.read_at < now - AN_HOUR:
        CalendarAddress.objects.filter(pk=address.pk).update(read_at=now)
