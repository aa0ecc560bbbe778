"""`manage.py db_worker` with a clock that is CLOCK seconds ahead."""

from datetime import UTC, datetime, timedelta
from os import environ

import time_machine
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    ahead = datetime.now(UTC) + timedelta(seconds=float(environ["CLOCK"]))
    time_machine.travel(ahead, tick=True).start()
    options = ["--interval", "0.1", "--no-startup-delay", "--verbosity", "0"]
    execute_from_command_line(["manage.py", "db_worker", *options])
