"""The project's own system checks.

`manage.py check` runs them, and gunicorn's `on_starting` hook with `--deploy --database default`.

dashboard.E001  a key of FIELD_ENCRYPTION_KEYS is not 32 bytes in URL-safe base64
dashboard.E002  API_BASE_URL or another address is not an http or https address
dashboard.E003  static files are not collected (with `--deploy`)
dashboard.E004  SECOND_FACTOR_ROLES or OIDC_ROLES names a role that does not exist
dashboard.E005  SINGLE_SIGN_ON_ONLY is on without OIDC_ISSUER
dashboard.E006  OIDC_SCOPES lacks openid, or OIDC_NEW_ACCOUNTS is on without OIDC_ROLES
dashboard.E007  API_ACCESS_HEADER or API_SECRET_HEADER cannot be the name of a header
dashboard.E008  API_UNPUBLISHED names an operation that does not exist
dashboard.E009  another setting has a form with which it cannot work
dashboard.E010  a resource declares what its endpoint or its forms do not have, or a taken letter
dashboard.E011  the tables are of a later release (with `--database default`)
dashboard.W002  stored API keys that no encryption key decrypts (with `--database default`)
dashboard.W003  API_BASE_URL is plain http on another machine (with `--deploy`)
dashboard.W004  another address leads to another machine without verified TLS (with `--deploy`)
dashboard.W005  SITE_URL is not the https address of this site (with `--deploy`)
dashboard.W006  SINGLE_SIGN_ON_EXCEPT names nobody who is a superuser (with `--database default`)
dashboard.W007  a variable is nearly called like a setting
dashboard.W008  the database does not answer (with `--deploy`)
dashboard.W009  the certificate of a server ends within 30 days (with `--deploy`)
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from dashboard.core import sealed
from dashboard.core.certificates import read_certificates
from dashboard.core.environment import is_web_address
from dashboard.people import keys
from dashboard.people.keys import UNPUBLISHED
from dashboard.people.models import User
from dashboard.people.permissions import ROLES
from dashboard.schema.checks import problems
from dashboard.schema.menu import taken_keys
from dashboard.schema.registry import RESOURCES

TAG = "dashboard"
HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # a token of RFC 9110, section 5.6.2
HOST_NAME = r"\*|\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]"  # as ALLOWED_HOSTS has it


Found = Iterator[tuple[str, str | None]]


def _check(
    code: str, *tags: str, deploy: bool = False
) -> Callable[[Callable[[], Found]], Callable[..., list[CheckMessage]]]:
    """Register a generator of (sentence, hint or None), which become messages with this code. One
    that reads the database finds nothing if that fails: E001 or `migrate` report it.
    """
    kind = Error if code.startswith("E") else Warning

    def decorate(find: Callable[[], Found]) -> Callable[..., list[CheckMessage]]:
        def check(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
            if Tags.database in tags and "default" not in (databases or ()):
                return []
            with suppress(DatabaseError, ImproperlyConfigured):
                return [kind(words, hint=hint, id=f"dashboard.{code}") for words, hint in find()]
            return []

        return register(TAG, *tags, deploy=deploy)(check)

    return decorate


@_check("E001")
def encryption_keys() -> Found:
    try:
        sealed.keyring("check")
    except ImproperlyConfigured as error:
        yield str(error), ".env.example has a command that generates one."


@_check("E002")
def base_url() -> Found:
    optional = ("BREACHED_PASSWORDS_URL", "OIDC_ISSUER")
    for name in ("API_BASE_URL", *(name for name in optional if getattr(settings, name))):
        if not is_web_address(getattr(settings, name)):
            hint = "It looks like https://api.example.com, with or without a path."
            yield f"{name} is not an http or https address.", hint


@_check("E004")
def roles_exist() -> Found:
    """Check for misspelt roles, which would leave people without what the setting promises."""
    named = {*settings.SECOND_FACTOR_ROLES, *settings.OIDC_ROLES.values()}
    for name in sorted(named - set(ROLES)):
        words = f"SECOND_FACTOR_ROLES or OIDC_ROLES contains the unknown role {name!r}."
        yield words, f"The roles are {', '.join(ROLES)}."


@_check("E005")
def some_way_in() -> Found:
    if settings.SINGLE_SIGN_ON_ONLY and not settings.OIDC_ISSUER:
        hint = "Set OIDC_ISSUER, or turn off SINGLE_SIGN_ON_ONLY."
        yield "SINGLE_SIGN_ON_ONLY is on, but single sign-on is not configured.", hint


@_check("E006")
def single_sign_on_complete() -> Found:
    if "openid" not in settings.OIDC_SCOPES:
        yield "OIDC_SCOPES lacks openid.", "Without it, providers don't say who signs in."
    if settings.OIDC_NEW_ACCOUNTS and not settings.OIDC_ROLES:
        hint = "Set OIDC_ROLES to the roles of groups, for example sales=Editor."
        yield "OIDC_NEW_ACCOUNTS is on, but no group has a role.", hint


@_check("E007")
def header_names() -> Found:
    for name in ("API_ACCESS_HEADER", "API_SECRET_HEADER"):
        if not re.fullmatch(HEADER_NAME, getattr(settings, name)):
            hint = "It looks like x-service-access-key, without spaces and colons."
            yield f"{name} is not a valid header name.", hint


@_check("E008")
def operations_exist() -> Found:
    """Check for misspelt operations, which would stay off without a message."""
    for name in sorted(settings.API_UNPUBLISHED - {*UNPUBLISHED}):
        hint = f"The operations are {', '.join(UNPUBLISHED)}."
        yield f"API_UNPUBLISHED contains the unknown operation {name!r}.", hint


@_check("E009")
def forms_of_settings() -> Found:
    """Check values with which the site would start, but pages, emails or metrics fail."""
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    metrics = settings.METRICS_DIR
    if not all(re.fullmatch(HOST_NAME, host) for host in settings.ALLOWED_HOSTS):
        form = "a list of host names separated by commas, without https:// and port"
        yield f"ALLOWED_HOSTS is not {form}.", None
    if not re.fullmatch(r"\S+@\S+", sender):
        yield "DEFAULT_FROM_EMAIL is not an email address.", None
    if not re.fullmatch(r"(\S+@\S+|https://\S+)?", settings.SECURITY_CONTACT):
        yield "SECURITY_CONTACT is not an email or https address.", None
    if metrics and not Path(metrics).is_dir():
        yield "PROMETHEUS_MULTIPROC_DIR is not a directory.", None


@_check("E003", deploy=True)
def static_files() -> Found:
    """Check that static files are collected: pages take their names from the manifest. Run with
    `--deploy` only, as commands such as `createsuperuser` need no static files.
    """
    storage: Any = staticfiles_storage
    if settings.DEBUG or not hasattr(storage, "read_manifest"):
        return
    collected = storage.load_manifest()[0]
    if not all(name in collected for name in _own_static_files()):
        yield (
            "The static files of this release were not collected, so that no page could be shown.",
            "Run `manage.py collectstatic --noinput`, then start again.",
        )


def _own_static_files() -> Iterator[str]:
    for root in map(Path, settings.STATICFILES_DIRS):
        yield from (p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


@_check("E011", Tags.database)
def tables_of_this_release() -> Found:
    if unknown := unknown_migrations(MigrationLoader(connection)):
        yield (
            f"The database belongs to a later release: it has {', '.join(unknown)}.",
            "Start that release, or restore the backup made before the upgrade.",
        )


def unknown_migrations(loader: MigrationLoader) -> list[str]:
    """Return the applied migrations of our apps that this release does not have."""
    ours = {app.label for app in apps.get_app_configs() if app.name.startswith("dashboard.")}
    unknown = loader.applied_migrations.keys() - loader.disk_migrations.keys()
    return sorted(f"{label}.{name}" for label, name in unknown if label in ours)


@_check("W002", Tags.database)
def stored_keys_open() -> Found:
    if count := len(keys.owners_of_unreadable_pairs()):
        yield (
            f"{count} stored API key pair(s) can't be decrypted with FIELD_ENCRYPTION_KEYS.",
            "Restore the key used to encrypt them, or ask their owners to enter them again.",
        )


@_check("W006", Tags.database)
def named_superusers() -> Found:
    """Check that the superusers who may use passwords exist."""
    active = User.objects.filter(is_superuser=True, is_active=True)
    for name in settings.SINGLE_SIGN_ON_EXCEPT if settings.SINGLE_SIGN_ON_ONLY else ():
        if not active.filter(username__iexact=name).exists():
            yield (
                f"SINGLE_SIGN_ON_EXCEPT contains {name!r}, who is not an active superuser.",
                "Correct the username, or create the account.",
            )


@_check("W003", deploy=True)
def encrypted_transport() -> Found:
    if _is_plain_http(settings.API_BASE_URL):
        words = "API_BASE_URL uses plain http, so that keys and records can be intercepted."
        yield words, "Use the https address."


def _is_plain_http(url: str) -> bool:
    try:
        return url.lower().startswith("http:") and _is_elsewhere(urlsplit(url).hostname)
    except ValueError:  # E002 reports it
        return False


def _is_elsewhere(host: str | None) -> bool:
    here = not host or host.startswith("/") or host in ("localhost", "::1")
    return not here and not str(host).startswith("127.")


@_check("W004", deploy=True)
def verified_tls() -> Found:
    """Check the connections that someone on the network could read or answer."""
    places = [
        ("DATABASE_URL", "Add ?sslmode=verify-full&sslrootcert=FILE.", _database_in_plain()),
        ("CACHE_URL", "Use rediss://...?ssl_ca_certs=FILE.", any(_caches_in_plain())),
        ("EMAIL_URL", "Use smtp+tls:// or smtp+ssl://.", _mail_in_plain()),
    ]
    for name in ("OIDC_ISSUER", "SENTRY_DSN", "BREACHED_PASSWORDS_URL"):
        found = _is_plain_http(getattr(settings, name))
        places.append((name, "Use the https address.", found))
    for name, hint, found in places:
        if found:
            yield f"{name} connects to another machine without verified TLS.", hint


def _database_in_plain() -> bool:
    database: dict[str, Any] = settings.DATABASES["default"]
    options = database.get("OPTIONS", {})
    verified = options.get("sslmode") == "verify-full"
    hosts = str(options.get("host") or database.get("HOST") or "").split(",")
    return connection.vendor == "postgresql" and not verified and any(map(_is_elsewhere, hosts))


def _caches_in_plain() -> Iterator[bool]:
    cache: dict[str, Any] = settings.CACHES["default"]
    given = cache.get("OPTIONS", {}).get("CONNECTION_POOL_KWARGS", {})
    options = {name: str(value).lower() for name, value in given.items()}
    verified = options.get("ssl_cert_reqs", "required") == "required"
    verified &= options.get("ssl_check_hostname", "true") == "true"
    location = cache.get("LOCATION") or ()
    for url in [location] if isinstance(location, str) else location:
        elsewhere = "://" in url and _is_elsewhere(urlsplit(url).hostname)
        yield elsewhere and not (url.startswith("rediss:") and verified)


def _mail_in_plain() -> bool:
    encrypted = settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL  # Django then verifies
    by_smtp = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    return by_smtp and not encrypted and _is_elsewhere(settings.EMAIL_HOST)


@_check("W005", deploy=True)
def address_in_mails() -> Found:
    """Check SITE_URL. Without it, links in emails start with the requested host, which a stranger
    chooses; with plain http, cookies and pages can be read on the way.
    """
    if not settings.SITE_URL or _is_plain_http(settings.SITE_URL):
        words = (
            "SITE_URL is not an https address, so that sessions and links in emails are not safe."
        )
        yield words, "It looks like https://desk.example.com."


@_check("W007")
def spelling() -> Found:
    for name, setting in sorted(settings.MISSPELT_SETTINGS.items()):
        yield f"{name} is not a setting and has no effect.", f"Did you mean {setting}?"


@_check("W008", deploy=True)
def database_answers() -> Found:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        hint = "Until it does, every page shows an error."
        yield f"The database does not answer: {' '.join(str(error).split())}", hint


@_check("W009", deploy=True)
def ends_of_certificates() -> Found:
    for each in read_certificates():
        if each.ends_soon:
            words = f"The certificate of {each.server} ends on {each.end:%-d %b %Y at %H:%M} UTC."
            yield words, "Replace it before then. Connections fail without a valid certificate."


@_check("E010")
def declarations() -> Found:
    letters = taken_keys((each.name, each.key) for each in RESOURCES.values())
    for words in (*problems(RESOURCES.values()), *letters):
        yield words, "Correct its module under dashboard/resources/, or its endpoint."
