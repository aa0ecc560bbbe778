"""Notes the pauses that the circuit breaker makes (gateway/breaker.py)."""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from dashboard import retention
from dashboard.operations.models import Pause

SAME = timedelta(minutes=5)  # without a request: the next one begins another pause
KEPT_FOR = timedelta(days=7)


def note(person: int) -> None:
    """Note that a request of this person met a pause. Raises django.db.Error."""
    now = timezone.now()
    open_ones = Pause.objects.filter(person=person, last__gte=now - SAME)
    if not open_ones.update(last=now, requests=F("requests") + 1):
        Pause.objects.create(person_id=person, first=now, last=now)


def purge() -> int:
    """Delete those older than a week; how many."""
    return retention.delete(Pause.objects.filter(last__lt=timezone.now() - KEPT_FOR))
