"""The dashboard's own settings, with a folder for static files and without a bound of requests."""

import os
from pathlib import Path

from dashboard.settings import *  # noqa: F403
from dashboard.settings import LOGGING

STATIC_ROOT = Path(os.environ["STATIC_ROOT"])
REQUESTS_PER_MINUTE = 1_000_000
LOGGING["root"]["level"] = os.environ.get("LOG_LEVEL", "INFO")
