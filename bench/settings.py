"""The dashboard's own settings without its bound of requests."""

from dashboard.settings import *  # noqa: F403

REQUESTS_PER_MINUTE = 1_000_000
