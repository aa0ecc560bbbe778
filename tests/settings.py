"""The dashboard's settings with an environment for tests."""

import os
import tempfile

from django.core.signals import setting_changed
from django.dispatch import receiver

os.environ.update(
    SECRET_KEY="only-for-tests-and-therefore-no-secret-at-all-0123456789",
    FIELD_ENCRYPTION_KEYS="MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    API_BASE_URL="http://127.0.0.1:9",  # no server listens here; the fixture `standin` replaces it
    DATABASE_URL=os.environ.get(
        "TEST_DATABASE_URL", f"sqlite:///{tempfile.gettempdir()}/never_written.sqlite3"
    ),
    CACHE_URL="locmemcache://?max_entries=10000",
    EMAIL_URL="memorymail://",
    DEBUG="off",
    SECOND_FACTOR_ROLES="",
)
os.environ.setdefault("SITE_URL", "http://testserver")

from dashboard.settings import *  # noqa: F403

INSTALLED_APPS.append("allauth.socialaccount.providers.openid_connect")  # noqa: F405
# The tables as the models are now; deployments and the tests of migrations run every migration.
DATABASES["default"]["TEST"] = {"MIGRATE": False}  # noqa: F405
if "TEST_DATABASE_URL" not in os.environ:
    # A file, as in memory all threads of a live server share a connection, so that one thread is in
    # the transaction of another.
    _folder = tempfile.TemporaryDirectory()
    DATABASES["default"]["TEST"]["NAME"] = f"{_folder.name}/db.sqlite3"  # noqa: F405
TEMPLATES[0]["OPTIONS"]["environment"] = "tests.templating.environment"  # noqa: F405
SITE_URL = ""  # links in mails begin with the address of a live server
LOGGING["root"]["level"] = "WARNING"  # noqa: F405  # of each request otherwise a line
REQUESTS_PER_MINUTE = 1_000_000
CACHES["default"]["BACKEND"] = "tests.caches.JsonLocMemCache"  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}


@receiver(setting_changed)
def _make_another_service(*, setting: str, **kwargs: object) -> None:
    """The service of a process is made once, so a test that changes its settings needs another."""
    from dashboard.people.keys import make_service

    if setting.startswith("API_") and make_service.cache_info().currsize:
        make_service().close()
        make_service.cache_clear()
