"""The WSGI application with a clock that is CLOCK seconds ahead, for gunicorn."""

import os
from datetime import UTC, datetime, timedelta

import time_machine

from dashboard.wsgi import application

ahead = datetime.now(UTC) + timedelta(seconds=float(os.environ["CLOCK"]))
time_machine.travel(ahead, tick=True).start()

__all__ = ["application"]
