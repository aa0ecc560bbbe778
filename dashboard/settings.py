"""Django settings, read from the environment or from files (.env.example lists the variables).

Raises ImproperlyConfigured if SECRET_KEY, FIELD_ENCRYPTION_KEYS or API_BASE_URL is missing.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from dashboard.core import database_pool
from dashboard.core.environment import Environment

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

env = Environment()
env.read_env(BASE_DIR / ".env")

REQUIRED = ("SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "API_BASE_URL")
of_provider = ("OIDC_CLIENT_ID",) if env.str("OIDC_ISSUER", default="") else ()
if missing := [name for name in (*REQUIRED, *of_provider) if not env.str(name, default="")]:
    raise ImproperlyConfigured(
        f"Set {', '.join(missing)} in the environment or in .env (.env.example explains each)."
    )

# --- The External Business API ----------------------------------------------------------------
API_BASE_URL = env.str("API_BASE_URL")
API_ACCESS_HEADER = env.str("API_ACCESS_HEADER", default="x-service-access-key")
API_SECRET_HEADER = env.str("API_SECRET_HEADER", default="x-service-secret-key")
API_TIMEOUT = env.float("API_TIMEOUT", default=10.0)
SERVICE_NAME = env.str("SERVICE_NAME", default="").strip() or "the CRM"  # on pages, in messages
API_UNPUBLISHED = frozenset(env.list("API_UNPUBLISHED", default=[]))

# --- Secrets and security ---------------------------------------------------------------------
SECRET_KEY = env.str("SECRET_KEY")
FIELD_ENCRYPTION_KEYS = env.list("FIELD_ENCRYPTION_KEYS")
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1"])
SITE_URL = env.web_address("SITE_URL")  # what links in emails begin with
site = urlsplit(SITE_URL)
SECURITY_CONTACT = env.str("SECURITY_CONTACT", default="")  # of security.txt
CSRF_TRUSTED_ORIGINS = [f"{site.scheme}://{site.netloc}"] if SITE_URL else []
FORCE_SCRIPT_NAME = site.path or None
HTTPS_ONLY = site.scheme != "http"  # also without SITE_URL
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS_ONLY
# No other host of the domain can set such cookies. Their path must be /, also below a path.
COOKIE_PREFIX = "__Host-" if HTTPS_ONLY else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid", f"{COOKIE_PREFIX}csrftoken"
MESSAGES_COOKIE_NAME = f"{COOKIE_PREFIX}messages"
CSRF_COOKIE_HTTPONLY = True  # scripts read the token of a form
MESSAGE_STORAGE = "dashboard.core.message_cookie.MessageStorage"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS_ONLY else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS_ONLY
if env.bool("BEHIND_PROXY", default=False):  # without a proxy, any client could send this header
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Asked by supervisors on this machine, also below the path of SITE_URL.
SECURE_REDIRECT_EXEMPT = [r"(^|/)(healthz|readyz|metrics)$"]
DEFAULT_EXCEPTION_REPORTER_FILTER = "dashboard.core.logs.SecretsHidden"
SESSION_COOKIE_AGE = 60 * env.int("SESSION_IDLE_MINUTES", default=45)  # people/sessions.py
SESSION_LIFETIME = 60 * 60 * env.int("SESSION_HOURS", default=12)
REQUESTS_PER_MINUTE = 600  # of one person
SESSION_EXPIRE_AT_BROWSER_CLOSE = True  # the stored session ends it; no page renews the cookie

# --- Apps, middleware, templates --------------------------------------------------------------
ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "dashboard.site",
    "dashboard.people",
    "dashboard.office",
    "dashboard.writes",
    "dashboard.jobs",
    "dashboard.imports",
    "dashboard.administration",
    "dashboard.search",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "django.forms",
]

MIDDLEWARE = [
    # Outermost, as it sees what all others answer and how long they take.
    "dashboard.core.request_log.RequestLogMiddleware",
    # On every answer: also on static files, redirects and the rejections of those below.
    "dashboard.site.middleware.answer_headers",
    # Redirects to https before anything else is done, and adds HSTS to what those below reject.
    "django.middleware.security.SecurityMiddleware",
    # Rejects what no page has before a file or a row is looked for by it.
    "dashboard.site.middleware.ValidRequestMiddleware",
    # Serves static files without session and database.
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Above all that uses the database: it says Saved where that went away after a write.
    "dashboard.site.middleware.WriteStatusMiddleware",
    # Stores what those below have changed in the session.
    "django.contrib.sessions.middleware.SessionMiddleware",
    # Checks the token of a form before anyone looks at the form.
    "django.middleware.csrf.CsrfViewMiddleware",
    # Finds the user of the session.
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Keeps messages in a cookie, encrypted for the user.
    "django.contrib.messages.middleware.MessageMiddleware",
    # allauth refuses to start without it.
    "allauth.account.middleware.AccountMiddleware",
    # Innermost, as it needs user and messages, and the errors of the API come from the views.
    "dashboard.site.middleware.PersonMiddleware",
]
SILENCED_SYSTEM_CHECKS = ["security.W002"]  # answer_headers sets X-Frame-Options

CONTEXT_PROCESSORS = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]

TEMPLATES: list[dict[str, Any]] = [
    {  # pages of the dashboard and form widgets
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "environment": "dashboard.core.templates.environment",
            "context_processors": [*CONTEXT_PROCESSORS, "dashboard.site.shell.shell"],
        },
    },
    {  # allauth's own emails and messages
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": CONTEXT_PROCESSORS},
    },
]

FORM_RENDERER = "dashboard.schema.fields.Renderer"
CSRF_FAILURE_VIEW = "dashboard.site.views.csrf_failure"

# --- Database, cache, files -------------------------------------------------------------------
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'db.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    DATABASES["default"]["CONN_MAX_AGE"] = 60
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # For each process. PostgreSQL accepts 100 in all: two dashboards of two processes use 80. None
    # for commands (manage.py), which are told by the database itself why it is not reached.
    pool = {
        "min_size": 1,
        "max_size": 20,
        "max_idle": 10,  # of those that a restart of PostgreSQL cuts, a request drops four in 5 s
        "timeout": database_pool.TIMEOUT,
        "reconnect_timeout": 5,
        "reconnect_failed": database_pool.note_outage,
    }
    options = {
        "connect_timeout": 3,
        # A machine that is gone without a word is noticed after 25 s, not after two hours, in which
        # each thread that waits for its answer would be lost.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,  # ms
        **DATABASES["default"].get("OPTIONS", {}),
        "pool": "COMMAND_WITHOUT_POOL" not in os.environ and pool,
    }
    DATABASES["default"] |= {"OPTIONS": options, "CONN_HEALTH_CHECKS": True, "CONN_MAX_AGE": 0}

DRAFT_RETENTION_DAYS = 30  # of forms, jobs and imports
AUDIT_RETENTION_DAYS = env.int("AUDIT_RETENTION_DAYS", default=730)

CACHES = {"default": env.cache("CACHE_URL", default="locmemcache://?max_entries=10000")}
if CACHES["default"]["BACKEND"].endswith(".RedisCache"):
    given = {name.lower(): value for name, value in CACHES["default"].get("OPTIONS", {}).items()}
    CACHES["default"] |= {
        "BACKEND": "django_redis.cache.RedisCache",
        "OPTIONS": {
            "IGNORE_EXCEPTIONS": True,  # a Redis that is away is a cache without entries
            "SERIALIZER": "dashboard.core.caches.JsonValues",
            "SOCKET_CONNECT_TIMEOUT": 0.5,  # a page asks up to a dozen times
            "SOCKET_TIMEOUT": 0.5,
            "CONNECTION_POOL_KWARGS": given,
        },
    }
# Not cached_db: with one cache per process, the others would not see a sign-out.
SESSION_ENGINE = "django.contrib.sessions.backends.db"

# A document has up to 300 lines of 11 fields each, and fields of its own.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4_000

# --- Work that outlives a request: `manage.py db_worker` carries it out ------------------------
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
RESOURCES = (
    "dashboard.resources.contacts.CONTACTS",
    "dashboard.resources.leads.LEADS",
    "dashboard.resources.deals.DEALS",
    "dashboard.resources.tasks.TASKS",
    "dashboard.documents.estimates.ESTIMATES",
    "dashboard.documents.invoices.INVOICES",
)  # dotted names, in menu order

JOB_KINDS = (
    "dashboard.jobs.bulk_rows.KINDS",
    "dashboard.jobs.exports.KINDS",
    "dashboard.imports.sending.KINDS",
    "dashboard.resources.leads_matching.KINDS",
    "dashboard.search.caller_index.KINDS",
)  # dotted names of tuples of jobs.kinds.JobKind

STATIC_URL = f"{FORCE_SCRIPT_NAME or ''}/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- Users and sign-in ------------------------------------------------------------------------
AUTH_USER_MODEL = "people.User"
AUTHENTICATION_BACKENDS = ["dashboard.people.backend.StaffBackend"]
# ASVS 5.0, 6.2: long, no rules of composition, no upper limit; digits alone are accepted.
_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": "dashboard.people.passwords.OwnWordsValidator"},
]
if BREACHED_PASSWORDS_URL := env.str("BREACHED_PASSWORDS_URL", default=""):
    AUTH_PASSWORD_VALIDATORS.append({"NAME": "dashboard.people.passwords.BreachedValidator"})
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "dashboard.people.adapter.AccountAdapter"  # closes sign-up
ACCOUNT_FORMS = {
    "login": "dashboard.people.sign_in_forms.SignInForm",
    "change_password": "dashboard.people.sign_in_forms.NewPasswordForm",
    "reset_password": "dashboard.people.sign_in_forms.ResetForm",
    "reset_password_from_key": "dashboard.people.sign_in_forms.ChosenPasswordForm",
    "reauthenticate": "dashboard.people.sign_in_forms.PasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # administrators enter the addresses
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # no email for an unknown address
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# allauth's own generator stores addresses in its table. A password reset by an address that an
# administrator has since replaced would still work.
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"  # noqa: S105
ACCOUNT_SESSION_REMEMBER = False  # no age of its own for the cookie
ACCOUNT_LOGOUT_REDIRECT_URL = LOGIN_URL
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if env.bool("BEHIND_PROXY", default=False) else 0
MFA_ADAPTER = "dashboard.people.mfa.MFAAdapter"  # encrypts the secrets
MFA_FORMS = {
    "authenticate": "dashboard.people.sign_in_forms.CodeForm",
    "reauthenticate": "dashboard.people.sign_in_forms.ConfirmingCodeForm",
    "activate_totp": "dashboard.people.sign_in_forms.AppForm",
    "add_webauthn": "dashboard.people.sign_in_forms.PasskeyForm",
}
MFA_TOTP_ISSUER = "Entry Desk"
MFA_TOTP_TOLERANCE = 0  # ASVS 5.0, 6.5.5: 30 seconds, for which allauth remembers a used code
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_RECOVERY_CODE_DIGITS = 12  # allauth counts wrong codes in the cache alone
MFA_PASSKEY_LOGIN_ENABLED = True
EVERY_ROLE = ["Viewer", "Editor", "Manager", "Administrator"]
SECOND_FACTOR_ROLES = env.list("SECOND_FACTOR_ROLES", default=EVERY_ROLE)  # superusers, too
USERSESSIONS_TRACK_ACTIVITY = False  # it writes to the database on every request

# Single sign-on (administration/single_sign_on.py), where OIDC_ISSUER is set.
OIDC_ROLES = env.dict("OIDC_ROLES", default={})  # group -> role; without any, roles stay
OIDC_GROUPS_CLAIM = env.str("OIDC_GROUPS_CLAIM", default="groups")
OIDC_SCOPES = env.list("OIDC_SCOPES", default=["openid", "profile", "email"])
OIDC_NEW_ACCOUNTS = env.bool("OIDC_NEW_ACCOUNTS", default=False)  # for whoever has a group's role
SINGLE_SIGN_ON_ONLY = env.bool("SINGLE_SIGN_ON_ONLY", default=False)  # but for superusers
SINGLE_SIGN_ON_EXCEPT = env.list("SINGLE_SIGN_ON_EXCEPT", default=[])  # these alone, if any
SOCIALACCOUNT_ADAPTER = "dashboard.administration.single_sign_on.SingleSignOnAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # the security policy lets no form lead to another site
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {}
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
if OIDC_ISSUER := env.str("OIDC_ISSUER", default=""):
    INSTALLED_APPS.append("allauth.socialaccount.providers.openid_connect")
    provider = {
        "provider_id": "office",
        "name": "single sign-on",  # after "Sign in with"
        "client_id": OIDC_CLIENT_ID,
        "secret": OIDC_CLIENT_SECRET,
        "settings": {"server_url": OIDC_ISSUER},
    }
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {"OAUTH_PKCE_ENABLED": True, "APPS": [provider]}

vars().update(env.email("EMAIL_URL", default="smtp://localhost:25"))
EMAIL_TIMEOUT = 10  # seconds that the worker waits for it
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="entry-desk@localhost")
LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.time_zone("TIME_ZONE", default="UTC")

# --- Logs: to the console, without keys and search texts --------------------------------------
SENTRY_DSN = env.str("SENTRY_DSN", default="")
METRICS_DIR = env.str("PROMETHEUS_MULTIPROC_DIR", default="")  # of all processes
LOG_FORMAT = "text" if DEBUG else "json"
MISSPELT_SETTINGS = env.misspelt()  # after the last setting was read
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "dashboard.core.logs.json_lines"},
        "text": {"()": "dashboard.core.logs.text_lines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "django": {"level": "NOTSET"},  # follows the root, also in the demo
        "django.request": {"level": "ERROR"},  # RequestLogMiddleware logs what was rejected
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # so does it here
        "httpx": {"level": "WARNING"},  # INFO logs whole URLs
        "httpcore": {"level": "WARNING"},
        "fido2": {"level": "WARNING"},  # INFO logs the ids of passkeys
        "psycopg.pool": {"level": "ERROR"},  # database_pool logs an outage once
    },
}
