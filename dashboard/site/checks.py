"""The project's own system checks.

`manage.py check` runs them, and gunicorn's `on_starting` hook with `--deploy --database default`.

dashboard.E001  a key of FIELD_ENCRYPTION_KEYS is not a Fernet key
dashboard.E002  API_BASE_URL or another address is not an http or https address
dashboard.E003  static files are not collected (with `--deploy`)
dashboard.E004  SECOND_FACTOR_ROLES or OIDC_ROLES names a role that does not exist
dashboard.E005  SINGLE_SIGN_ON_ONLY is on without OIDC_ISSUER
dashboard.E006  OIDC_SCOPES lacks openid, or OIDC_NEW_ACCOUNTS is on without OIDC_ROLES
dashboard.E007  API_ACCESS_HEADER or API_SECRET_HEADER cannot be the name of a header
dashboard.E008  API_UNPUBLISHED names an operation that does not exist
dashboard.E009  another setting has a form with which it cannot work
dashboard.E010  a resource declares what its endpoint or its forms do not have, or a taken letter
dashboard.W001  a cache per process while there are several processes (with `--deploy`)
dashboard.W002  stored API keys that no encryption key decrypts (with `--database default`)
dashboard.W003  API_BASE_URL is plain http on another machine (with `--deploy`)
dashboard.W004  another address leads to another machine without verified TLS (with `--deploy`)
dashboard.W005  SITE_URL is not the https address of this site (with `--deploy`)
dashboard.W006  SINGLE_SIGN_ON_EXCEPT names nobody who is a superuser (with `--database default`)
"""

import re
from collections.abc import Iterator
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

from dashboard import resources, sealed
from dashboard.accounts.models import User
from dashboard.accounts.roles import ROLES
from dashboard.credentials import services
from dashboard.credentials.optional_operations import UNPUBLISHED
from dashboard.declare.checks import problems
from dashboard.site import key_letters
from dashboard.site.environment import is_web_address

TAG = "dashboard"
HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"  # a token of RFC 9110, section 5.6.2
HOST_NAME = r"\*|\.?[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]"  # as ALLOWED_HOSTS has it
_PER_PROCESS_CACHES = ("LocMemCache", "DummyCache")


@register(TAG)
def encryption_keys(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E001: every configured key must be valid."""
    try:
        sealed.fernets("check")
    except ImproperlyConfigured as error:
        hint = "Fernet.generate_key() of the package cryptography makes one."
        return [Error(str(error), hint=hint, id="dashboard.E001")]
    return []


@register(TAG)
def base_url(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E002: an http or https address with a host, without credentials or a query."""
    optional = [
        name for name in ("BREACHED_PASSWORDS_URL", "OIDC_ISSUER") if getattr(settings, name)
    ]
    return [
        Error(
            f"{name} is not an http or https address.",
            hint="It looks like https://api.example.com, with or without a path.",
            id="dashboard.E002",
        )
        for name in ("API_BASE_URL", *optional)
        if not is_web_address(getattr(settings, name))
    ]


@register(TAG)
def roles_exist(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E004: a misspelt role would leave people without what the setting promises."""
    named = {*settings.SECOND_FACTOR_ROLES, *settings.OIDC_ROLES.values()}
    return [
        Error(
            f"SECOND_FACTOR_ROLES or OIDC_ROLES names the role {name!r}, which does not exist.",
            hint=f"The roles are {', '.join(ROLES)}.",
            id="dashboard.E004",
        )
        for name in sorted(named - set(ROLES))
    ]


@register(TAG)
def some_way_in(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E005: without a provider, nobody but superusers could sign in."""
    if settings.OIDC_ISSUER or not settings.SINGLE_SIGN_ON_ONLY:
        return []
    hint = "Set OIDC_ISSUER, or leave SINGLE_SIGN_ON_ONLY off."
    words = "SINGLE_SIGN_ON_ONLY is on, but there is no single sign-on."
    return [Error(words, hint=hint, id="dashboard.E005")]


@register(TAG)
def single_sign_on_complete(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E006: what the provider is asked for tells who signs in, and gives new accounts a role."""
    found = []
    if "openid" not in settings.OIDC_SCOPES:
        found.append(("OIDC_SCOPES lacks openid.", "Without it no provider says who signs in."))
    if settings.OIDC_NEW_ACCOUNTS and not settings.OIDC_ROLES:
        hint = "Set OIDC_ROLES to the groups that have a role, such as sales=Editor."
        found.append(("OIDC_NEW_ACCOUNTS is on, but no group has a role.", hint))
    return [Error(words, hint=hint, id="dashboard.E006") for words, hint in found]


@register(TAG)
def header_names(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E007: with a name that HTTP does not allow no call could be made."""
    return [
        Error(
            f"{name} cannot be the name of a header.",
            hint="It looks like x-service-access-key, without spaces and colons.",
            id="dashboard.E007",
        )
        for name in ("API_ACCESS_HEADER", "API_SECRET_HEADER")
        if not re.fullmatch(HEADER_NAME, getattr(settings, name))
    ]


@register(TAG)
def operations_exist(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E008: a misspelt operation would stay off and nobody be told."""
    return [
        Error(
            f"API_UNPUBLISHED names {name!r}, which does not exist.",
            hint=f"The operations are {', '.join(UNPUBLISHED)}.",
            id="dashboard.E008",
        )
        for name in sorted(settings.API_UNPUBLISHED - {*UNPUBLISHED})
    ]


@register(TAG)
def forms_of_settings(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """E009: with these the site would start, and pages, mails or figures fail afterwards."""
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    contact = settings.SECURITY_CONTACT
    metrics = settings.METRICS_DIR
    found = {
        "ALLOWED_HOSTS": (
            all(re.fullmatch(HOST_NAME, host) for host in settings.ALLOWED_HOSTS),
            "host names with commas between, such as desk.example.com, without https:// and port",
        ),
        "DEFAULT_FROM_EMAIL": (
            re.fullmatch(r"\S+@\S+", sender),
            "an address of mails, such as desk@example.com",
        ),
        "SECURITY_CONTACT": (
            not contact or re.match(r"(mailto|https|tel):.", contact),
            "an address such as mailto:security@example.com",
        ),
        "PROMETHEUS_MULTIPROC_DIR": (not metrics or Path(metrics).is_dir(), "a directory"),
    }
    return [
        Error(f"{name} is not {form}.", id="dashboard.E009")
        for name, (fits, form) in found.items()
        if not fits
    ]


@register(TAG, deploy=True)
def cache_shared_by_processes(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """W001: sign-in attempts are counted in the cache, which all processes must share."""
    backend = settings.CACHES["default"]["BACKEND"].rsplit(".", 1)[-1]
    processes = settings.WEB_CONCURRENCY
    if backend not in _PER_PROCESS_CACHES or processes == 1:
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
    """E003: pages take the names of style sheets and scripts from `collectstatic`'s manifest.

    Run with `--deploy` only, as commands such as `createsuperuser` need no static files.
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
    """W002: a wrong or lost encryption key leaves pairs that cannot be decrypted."""
    if "default" not in (databases or ()):
        return []
    try:
        count = len(services.owners_of_unreadable_pairs())
    except (DatabaseError, ImproperlyConfigured):  # no tables yet; or E001 reports it
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


@register(Tags.database, TAG)
def named_superusers(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """W006: whom the setting names may sign in while the provider is away, if they exist."""
    if "default" not in (databases or ()) or not settings.SINGLE_SIGN_ON_ONLY:
        return []
    active = User.objects.filter(is_superuser=True, is_active=True)
    try:
        known = {name.lower() for name in active.values_list("username", flat=True)}
    except DatabaseError:  # no tables yet
        return []
    return [
        Warning(
            f"SINGLE_SIGN_ON_EXCEPT names {name!r}, which is no active superuser.",
            hint="They cannot sign in with a password. Correct the name, or make the account.",
            id="dashboard.W006",
        )
        for name in settings.SINGLE_SIGN_ON_EXCEPT
        if name.lower() not in known
    ]


@register(TAG, deploy=True)
def encrypted_transport(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """W003: every call sends the keys, so it must be encrypted."""
    if not _is_plain_http(settings.API_BASE_URL):
        return []
    return [
        Warning(
            "API_BASE_URL is plain http: keys and records can be read on the way.",
            hint="Use the https address.",
            id="dashboard.W003",
        )
    ]


def _is_plain_http(url: str) -> bool:
    try:
        return url.lower().startswith("http:") and _is_elsewhere(urlsplit(url).hostname)
    except ValueError:  # E002 reports it
        return False


def _is_elsewhere(host: str | None) -> bool:
    """Whether a host is another machine; a path is a socket of this one."""
    here = not host or host.startswith("/") or host in ("localhost", "::1")
    return not here and not str(host).startswith("127.")


@register(TAG, deploy=True)
def verified_tls(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """W004: who is between this machine and another could read along, or answer in its place."""
    return [
        Warning(
            f"{name} leads to another machine without verified TLS.",
            hint=hint,
            id="dashboard.W004",
        )
        for name, hint, found in (
            ("DATABASE_URL", "Add ?sslmode=verify-full&sslrootcert=FILE.", _database_in_plain()),
            ("CACHE_URL", "Use rediss://...?ssl_ca_certs=FILE.", any(_caches_in_plain())),
            ("EMAIL_URL", "Use smtp+tls:// or smtp+ssl://.", _mail_in_plain()),
            ("OIDC_ISSUER", "Use the https address.", _is_plain_http(settings.OIDC_ISSUER)),
            ("SENTRY_DSN", "Use the https address.", _is_plain_http(settings.SENTRY_DSN)),
            (
                "BREACHED_PASSWORDS_URL",
                "Use the https address.",
                _is_plain_http(settings.BREACHED_PASSWORDS_URL),
            ),
        )
        if found
    ]


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


@register(TAG, deploy=True)
def address_in_mails(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """W005: without it, links that set passwords begin with the host that a stranger asked for;
    with plain http, cookies and pages can be read on the way.
    """
    if settings.SITE_URL and not _is_plain_http(settings.SITE_URL):
        return []
    return [
        Warning(
            "SITE_URL is not the https address of this site: links in mails or sessions are not "
            "safe.",
            hint="It looks like https://desk.example.com.",
            id="dashboard.W005",
        )
    ]


@register(TAG)
def declarations(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A resource must not declare what its endpoint or its forms do not have, nor the letter of
    another page.
    """
    hint = "Correct its module under dashboard/resources/, or its endpoint."
    letters = key_letters.taken_letters((each.name, each.key) for each in resources.ALL)
    messages = [*problems(resources.ALL), *letters]
    return [Error(words, hint=hint, id="dashboard.E010") for words in messages]
