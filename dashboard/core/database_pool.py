"""How long a request waits for a connection of the pool: hardly at all while the pool knows that it
has none.
"""

from typing import Any

TIMEOUT = 5.0  # seconds
AWAY_TIMEOUT = 0.2  # seconds, while PostgreSQL is away


def wait_for_server(pool: Any) -> None:
    """Called by the pool (psycopg_pool), in one of its threads, when it could not connect for its
    `reconnect_timeout`. Let it try again, also without requests; if that fails, it calls again.
    """
    from psycopg import OperationalError  # where PostgreSQL is used

    if pool.get_stats()["pool_size"]:
        return
    pool.timeout = AWAY_TIMEOUT
    try:
        pool.putconn(pool.getconn(timeout=TIMEOUT))
    except OperationalError:
        return
    pool.timeout = TIMEOUT


def restore_timeout(*, connection: Any, **kwargs: object) -> None:
    """A receiver of connection_created."""
    if pool := getattr(connection, "pool", None):
        pool.timeout = TIMEOUT
