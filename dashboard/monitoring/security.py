"""The log of what concerns security: who signed in, failed, was limited, changed roles or keys.

Its lines come from the logger `security`, so that they can be sent somewhere else. They name people
by their id; what a stranger typed is never in them, as it may be a password.
"""

from typing import Any

import structlog

logger = structlog.stdlib.get_logger("security")


def note(event: str, *, person: int | None = None, **facts: Any) -> None:
    """Log an event such as "signed in", with facts that are no secrets."""
    logger.info(event, person=person, **facts)
