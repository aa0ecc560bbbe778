"""The settings of a dashboard that is served for a proof, in processes of its own.

The proof itself works with tests.settings and the same keys and database file.
"""

import os

from tests.settings import *  # noqa: F403

from .cases import UNPUBLISHED

API_BASE_URL = os.environ["FAULTS_API"]
API_TIMEOUT = 5.0
API_UNPUBLISHED = UNPUBLISHED
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": os.environ["FAULTS_CACHE"],
    }
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"file": {"class": "logging.FileHandler", "filename": os.environ["FAULTS_LOG"]}},
    "root": {"handlers": ["file"], "level": "WARNING"},
}
