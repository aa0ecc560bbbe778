"""Limits how long a request waits for a database connection while PostgreSQL is away."""

import logging
from typing import Any

TIMEOUT = 5.0  # seconds
AWAY_TIMEOUT = 0.2  # seconds, while PostgreSQL is away

logger = logging.getLogger(__name__)


def note_outage(pool: Any) -> None:
    """Log why, once, and drop the connections that were cut. The pool (psycopg_pool) calls this in
    one of its threads for each connection that it could not make within its `reconnect_timeout`.
    """
    from psycopg import OperationalError  # where PostgreSQL is used

    if pool.timeout == AWAY_TIMEOUT:
        return
    pool.timeout = AWAY_TIMEOUT  # before the other threads ask
    try:
        pool.connection_class.connect(pool.conninfo, **(pool.kwargs or {})).close()
    except OperationalError as error:
        logger.error("the database does not answer: %s", " ".join(str(error).split()))
        pool.check()
    else:
        pool.timeout = TIMEOUT


def restore_timeout(*, connection: Any, **kwargs: object) -> None:
    """Restore the timeout (a receiver of connection_created)."""
    if pool := getattr(connection, "pool", None):
        pool.timeout = TIMEOUT
