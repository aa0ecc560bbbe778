"""The dashboard's own settings, with a folder of the test for static files."""

import os

from dashboard.settings import *  # noqa: F403

STATIC_ROOT = os.environ["STATIC_ROOT"]
