"""The settings of a dashboard that gunicorn serves for a test.

PROOF_API: address of the API. PROOF_CACHE: folder of the cache that the dashboards share.
"""

import os

from tests.settings import *  # noqa: F403

API_BASE_URL = os.environ["PROOF_API"]
API_TIMEOUT = 10.0
SESSION_COOKIE_AGE = 2 * 60 * 60  # Django ends a session by the clock of the site that reads it
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": os.environ["PROOF_CACHE"],
    }
}
