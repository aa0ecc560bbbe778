"""Takes the network away from a query that waits for its answer, and prints how it ends.

python -m tests.outages.lost_network    as root, in a network of its own (unshare --net)
"""

import os
import subprocess
import threading

from tests import postgres


def loopback(state: str) -> None:
    """Let packets arrive, or be lost without a word."""
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


def main() -> None:
    """Wait for an answer over a connection of the site's settings."""
    loopback("up")
    with postgres.stoppable() as cluster:
        os.environ |= {"API_BASE_URL": "http://127.0.0.1:9", "DATABASE_URL": cluster.url}
        os.environ["COMMAND_WITHOUT_POOL"] = "yes"
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.outages.settings"
        import django
        from django.db import OperationalError, connection

        django.setup()
        connection.ensure_connection()
        threading.Timer(1, loopback, ["down"]).start()
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(600)")
        except OperationalError as error:
            print(error)
        loopback("up")


if __name__ == "__main__":
    main()
