"""The project's own system checks. Run by `manage.py check`, and when a server starts (wsgi.py).

dashboard.E001  a key of FIELD_ENCRYPTION_KEYS is not a Fernet key
dashboard.E002  API_BASE_URL is not an http or https address
dashboard.E003  static files that were not collected (with `--deploy`, and when a server starts)
dashboard.W001  a cache that every process has for itself, and several of them (with `--deploy`)
dashboard.W002  stored API keys that none of the encryption keys opens (with `--database default`)
dashboard.W003  the service is called over plain http on another machine (with `--deploy`)
"""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import ERROR, CheckMessage, Error, Tags, Warning, register, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from dashboard import cipher, gunicorn
from dashboard.credentials import services

logger = logging.getLogger(__name__)

TAG = "dashboard"
_PER_PROCESS_CACHES = ("LocMemCache", "DummyCache")


@register(TAG)
def encryption_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Every key that is set must be usable: the first one seals what people enter."""
    try:
        cipher.fernets("check")
    except ImproperlyConfigured as error:
        hint = "Fernet.generate_key() of the package cryptography makes one."
        return [Error(str(error), hint=hint, id="dashboard.E001")]
    return []


@register(TAG)
def base_url(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Without a proper address nothing can be read."""
    if _is_address(settings.API_BASE_URL):
        return []
    return [
        Error(
            "API_BASE_URL is not an http or https address.",
            hint="It looks like https://api.example.com, with or without a path.",
            id="dashboard.E002",
        )
    ]


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = not (parts.username or parts.password or parts.query)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


@register(TAG, deploy=True)
def cache_shared_by_processes(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Limits on sign-in attempts are counted in the cache: each process would count for itself."""
    backend = settings.CACHES["default"]["BACKEND"].rsplit(".", 1)[-1]
    processes = os.environ.get("WEB_CONCURRENCY") or str(gunicorn.workers)
    if backend not in _PER_PROCESS_CACHES or processes == "1":
        return []
    return [
        Warning(
            f"{processes} processes, but CACHE_URL is a cache of each for itself ({backend}).",
            hint="Sign-in limits are then counted per process. Point CACHE_URL at Redis, "
            "or run one process and say WEB_CONCURRENCY=1.",
            id="dashboard.W001",
        )
    ]


@register(TAG, deploy=True)
def static_files(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Pages name style sheets and scripts as `collectstatic` wrote them down; without, none works.

    Not among the checks of every command: `createsuperuser` and the like need no style sheets.
    """
    storage: Any = staticfiles_storage
    if settings.DEBUG or not hasattr(storage, "read_manifest"):
        return []
    collected = storage.load_manifest()[0]
    if all(name in collected for name in _own_static_files()):
        return []
    return [
        Error(
            "The style sheets and scripts of this release were not collected: "
            "every page would be an error.",
            hint="Run `manage.py collectstatic --noinput`, then start again.",
            id="dashboard.E003",
        )
    ]


def _own_static_files() -> Iterator[str]:
    for root in map(Path, settings.STATICFILES_DIRS):
        yield from (p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


@register(Tags.database, TAG)
def stored_keys_open(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """A wrong or lost encryption key shows itself in pairs that cannot be opened."""
    if "default" not in (databases or ()):
        return []
    try:
        count = len(services.owners_of_unreadable_pairs())
    except (DatabaseError, ImproperlyConfigured):  # no tables yet; or E001 says it
        return []
    if not count:
        return []
    return [
        Warning(
            f"{count} stored API key pair(s) cannot be opened with FIELD_ENCRYPTION_KEYS.",
            hint="Put back the key that sealed them, or their owners must enter them again.",
            id="dashboard.W002",
        )
    ]


@register(TAG, deploy=True)
def encrypted_transport(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Keys travel with every call."""
    parts = urlsplit(settings.API_BASE_URL)
    if parts.scheme != "http" or parts.hostname in ("localhost", "127.0.0.1", "::1"):
        return []
    return [
        Warning(
            "API_BASE_URL is plain http: keys and records can be read on the way.",
            hint="Use the https address.",
            id="dashboard.W003",
        )
    ]


def look_around() -> None:
    """Run these checks as a server starts: log what they say, and refuse to serve on an error."""
    found = [*run_checks(tags=[TAG], databases=["default"]), *static_files(None)]
    connections.close_all()  # gunicorn may fork after this, and a connection must not be shared
    for message in found:
        logger.error("%s %s %s", message.id, message.msg, message.hint)
    if any(message.is_serious(ERROR) for message in found):
        raise ImproperlyConfigured("The settings cannot work: see the errors above.")
