"""The dashboard's own settings, with DATABASE_URL, CACHE_URL and API_BASE_URL of a proof."""

import os

os.environ |= {
    "SECRET_KEY": "only-for-tests-and-therefore-no-secret-at-all-0123456789",
    "FIELD_ENCRYPTION_KEYS": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    "EMAIL_URL": os.environ.get("EMAIL_URL", "memorymail://"),
    "SITE_URL": "http://127.0.0.1",
    "DEBUG": "off",
    "SECOND_FACTOR_ROLES": "",
}

from dashboard.settings import *  # noqa: F403

LOGGING["root"]["level"] = os.environ.get("LOG_LEVEL", "INFO")  # noqa: F405
REQUESTS_PER_MINUTE = 1_000_000
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
