"""The settings of a dashboard that is served for a proof by processes of its own."""

import os
from pathlib import Path

from tests.settings import *  # noqa: F403

FOLDER = Path(os.environ["FAULTS_FOLDER"])
API_BASE_URL = os.environ["FAULTS_API"]
API_TIMEOUT = 5.0
API_UNPUBLISHED = frozenset(os.environ["FAULTS_UNPUBLISHED"].split())
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(FOLDER / "cache"),
    }
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.FileHandler", "filename": str(FOLDER / "log")}},
    "loggers": {},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
