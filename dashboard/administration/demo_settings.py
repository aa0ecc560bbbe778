"""The settings of the demo: static files and emails in its own folder, a log of errors."""

from dashboard.administration.demo import DEMO_DIR
from dashboard.settings import *  # noqa: F403
from dashboard.settings import LOGGING

EMAIL_BACKEND = "dashboard.administration.demo_mail.EmailBackend"
STATIC_ROOT = DEMO_DIR / "static"
LOGGING["root"]["level"] = "ERROR"
