"""Pages fail at once while PostgreSQL is away, and wait for a connection again afterwards."""

from types import SimpleNamespace

from django.db.backends.signals import connection_created
from psycopg_pool import ConnectionPool

from dashboard.core import database_pool
from tests.waits import wait_until


def test_nobody_waits_for_a_server_that_is_away_and_the_log_says_why_once(caplog):
    with ConnectionPool(
        "host=127.0.0.1 port=9",
        min_size=3,
        timeout=database_pool.TIMEOUT,
        reconnect_timeout=0.1,
        reconnect_failed=database_pool.note_outage,
    ) as pool:
        wait_until(lambda: pool.timeout == database_pool.AWAY_TIMEOUT)
        wait_until(lambda: not pool.get_stats()["pool_size"])
    [line] = [each for each in caplog.records if each.name == database_pool.__name__]
    assert "refused" in line.getMessage()


def test_a_connection_lets_requests_wait_again():
    pool = SimpleNamespace(timeout=database_pool.AWAY_TIMEOUT)
    made = SimpleNamespace(pool=pool, vendor="postgresql")
    connection_created.send(sender=ConnectionPool, connection=made)
    assert pool.timeout == database_pool.TIMEOUT
