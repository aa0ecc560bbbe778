"""Notes the pauses that the circuit breaker makes (gateway/breaker.py), in sites and workers."""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from dashboard.credentials.models import Pause

SAME = timedelta(minutes=5)  # without a request: the next one begins another pause


def note(person: int, *, by_worker: bool = False) -> None:
    """Note that a request of this person met a pause, or work that a worker does for them. Raises
    django.db.Error.
    """
    now = timezone.now()
    pauses = Pause.objects.filter(person=person, by_worker=by_worker)
    if not pauses.filter(last__gte=now - SAME).update(last=now, times=F("times") + 1):
        Pause.objects.create(person_id=person, by_worker=by_worker, first=now, last=now)
