"""How long a session still lasts."""

from django.contrib.sessions.models import Session
from django.utils import timezone


def seconds_left(session_key: str | None) -> int:
    """Seconds until the stored session expires; 0 if it has expired or does not exist.

    `request.session.get_expiry_date()` counts from now, as if the request had saved the session.
    """
    found = Session.objects.filter(session_key=session_key).values_list("expire_date", flat=True)
    ends = found.first()
    return max(0, int((ends - timezone.now()).total_seconds())) if ends else 0
