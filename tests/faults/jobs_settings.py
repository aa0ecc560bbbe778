"""The settings of the workers in the proof of jobs, whose database and API the proof brings."""

import os

from tests.outages.settings import *  # noqa: F403

API_TIMEOUT = 1.0
API_UNPUBLISHED: frozenset[str] = frozenset()
JOB_KINDS = (*JOB_KINDS, "tests.jobs.kinds.KINDS")  # noqa: F405
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"file": {"class": "logging.FileHandler", "filename": os.environ["FAULTS_LOG"]}},
    "root": {"handlers": ["file"], "level": "WARNING"},
}
