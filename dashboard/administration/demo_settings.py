"""The settings of the demo: static files in its own folder, a log of errors alone."""

from dashboard.administration.demo import DEMO_DIR
from dashboard.settings import *  # noqa: F403
from dashboard.settings import LOGGING

STATIC_ROOT = DEMO_DIR / "static"
LOGGING["root"]["level"] = "ERROR"
