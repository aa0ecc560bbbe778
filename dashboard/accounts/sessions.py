"""Database sessions that cost one prepared query to read.

Not `cached_db`: with a cache of its own in each process, a sign-out (or a password entered again)
in one process would not be seen by the others.
"""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from dashboard.accounts.prepared import Prepared

_STORED = Prepared(
    lambda: (
        Session.objects.filter(session_key="")
        .filter(expire_date__gt=timezone.now())  # a call each: within one, Django sorts by name
        .values_list("session_data")
    )
)


class SessionStore(DatabaseStore):
    """Django's database sessions with a faster `load`."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Django's own table."""
        return Session

    def load(self) -> dict[str, Any]:
        """The session's data; {} (and no key any more) where there is none or it has expired."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        rows = _STORED.rows(self.session_key, now)
        if not rows:
            self._session_key = None
            return {}
        return self.decode(rows[0][0])


def seconds_left(session_key: str | None) -> int:
    """Until a session ends, as the database says; 0 where it has."""
    found = Session.objects.filter(session_key=session_key).values_list("expire_date", flat=True)
    ends = found.first()
    return max(0, int((ends - timezone.now()).total_seconds())) if ends else 0
