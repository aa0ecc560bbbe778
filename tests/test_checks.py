"""Each system check reports its id for its mistake and nothing otherwise."""

import json

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.functional import empty

from dashboard.core import gunicorn
from dashboard.core.environment import Environment
from dashboard.site import checks
from tests.helpers import encryption_key
from tests.test_settings import read_with
from tests.workspaces import connect

pytestmark = pytest.mark.django_db


def reported_ids(*, deploy: bool = False) -> set[str]:
    found = run_checks(tags=[checks.TAG], databases=["default"], include_deployment_checks=deploy)
    return {message.id for message in found}


@pytest.fixture(autouse=True)
def deployed(settings):
    settings.SITE_URL = "https://desk.example.test"


def test_the_default_settings_pass_all_checks():
    assert reported_ids(deploy=True) == set()


def test_a_role_that_does_not_exist_is_an_error(settings):
    settings.SECOND_FACTOR_ROLES = ["Administrator", "Manger"]
    assert reported_ids() == {"dashboard.E004"}
    settings.SECOND_FACTOR_ROLES, settings.OIDC_ROLES = [], {"desk": "editor"}
    assert reported_ids() == {"dashboard.E004"}


def test_single_sign_on_only_without_a_provider_is_an_error(settings):
    settings.SINGLE_SIGN_ON_ONLY = True
    assert reported_ids() == {"dashboard.E005"}
    settings.OIDC_ISSUER = "https://id.test"
    assert reported_ids() == set()


def test_single_sign_on_that_tells_no_person_or_gives_no_role_is_an_error(settings):
    settings.OIDC_SCOPES = ["email"]
    assert reported_ids() == {"dashboard.E006"}
    settings.OIDC_SCOPES, settings.OIDC_NEW_ACCOUNTS = ["openid"], True
    assert reported_ids() == {"dashboard.E006"}
    settings.OIDC_ROLES = {"desk": "Editor"}
    assert reported_ids() == set()


@pytest.mark.parametrize(
    "url", ["", "api.example.com", "ftp://example.com", "http://", "http://[", "https://me@a.test"]
)
def test_an_invalid_api_address_is_an_error(settings, url):
    settings.API_BASE_URL = url
    assert "dashboard.E002" in reported_ids()


@pytest.mark.parametrize("deploy", [False, True])
@pytest.mark.parametrize("name", ["BREACHED_PASSWORDS_URL", "OIDC_ISSUER"])
@pytest.mark.parametrize("url", ["id.example.com/range/", "http://["])
def test_another_invalid_address_is_an_error(settings, name, url, deploy):
    setattr(settings, name, url)
    assert reported_ids(deploy=deploy) == {"dashboard.E002"}


@pytest.mark.parametrize("name", ["API_ACCESS_HEADER", "API_SECRET_HEADER"])
@pytest.mark.parametrize("header", ["", "x service key", "x-key:", "clé"])
def test_what_cannot_be_a_header_is_an_error(settings, name, header):
    setattr(settings, name, header)
    assert reported_ids() == {"dashboard.E007"}


@pytest.mark.parametrize(
    ("name", "setting"),
    [("SESION_HOURS", "SESSION_HOURS"), ("SECRET_KEY_FIL", "SECRET_KEY_FILE"), ("PATHS", "")],
)
def test_a_misspelt_setting_is_a_warning_with_the_nearest_name(
    settings, monkeypatch, name, setting
):
    monkeypatch.setenv(name, "8")
    read = read_with("API_ACCESS_KEY", "of check_api", monkeypatch)
    settings.MISSPELT_SETTINGS = read["MISSPELT_SETTINGS"]
    found = run_checks(tags=[checks.TAG])
    assert [each.id for each in found] == (["dashboard.W007"] if setting else [])
    assert all(f"Did you mean {setting}?" == each.hint for each in found)


def test_a_database_that_does_not_answer_is_a_warning(monkeypatch):
    def fail():
        raise OperationalError("connection refused")

    monkeypatch.setattr(checks.connection, "ensure_connection", fail)
    assert reported_ids(deploy=True) == {"dashboard.W008"}


def test_a_superuser_who_does_not_exist_is_a_warning(settings, viewer):
    settings.SINGLE_SIGN_ON_ONLY, settings.OIDC_ISSUER = True, "https://id.test"
    settings.SINGLE_SIGN_ON_EXCEPT = [viewer.username.upper()]
    assert reported_ids() == {"dashboard.W006"}
    viewer.is_superuser = True
    viewer.save()
    assert reported_ids() == set()


@pytest.fixture
def stored_under_a_lost_key(viewer, settings):
    connect(viewer, access="an-access-key", secret="a-secret-key", workspace="Acme")
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]


def test_a_lost_encryption_key_is_a_warning(stored_under_a_lost_key):
    assert reported_ids() == {"dashboard.W002"}


@pytest.mark.parametrize(
    ("url", "warned"),
    [("http://api.example.com", True), ("http://127.0.0.1:8101", False), ("https://a.test", False)],
)
def test_an_api_address_without_https_is_a_warning(settings, url, warned):
    settings.API_BASE_URL = url
    assert reported_ids(deploy=True) == ({"dashboard.W003"} if warned else set())


VERIFIED = "?sslmode=verify-full&sslrootcert=/etc/ca.pem"


@pytest.mark.parametrize(
    ("name", "url", "warned"),
    [
        ("DATABASE_URL", "postgres://desk:x@db.example.com/desk", True),
        ("DATABASE_URL", "postgres://desk:x@db.example.com/desk?sslmode=require", True),
        ("DATABASE_URL", f"postgres://desk:x@db.example.com/desk{VERIFIED}", False),
        ("DATABASE_URL", "postgres://desk:x@127.0.0.1/desk", False),
        ("DATABASE_URL", "postgres://desk:x@/desk?host=db.example.com", True),
        ("DATABASE_URL", "postgres:////run/postgresql/desk", False),
        ("DATABASE_URL", "sqlite:////var/lib/desk.sqlite3", False),
        ("CACHE_URL", "redis://:x@cache.example.com:6379/0", True),
        ("CACHE_URL", "rediss://:x@cache.example.com:6379/0?ssl_cert_reqs=none", True),
        ("CACHE_URL", "rediss://:x@cache.example.com:6379/0?ssl_check_hostname=False", True),
        ("CACHE_URL", "rediss://:x@cache.example.com:6379/0?ssl_ca_certs=/etc/ca.pem", False),
        ("CACHE_URL", "redis://:x@127.0.0.1:6379/0", False),
        ("CACHE_URL", "redis:///run/redis.sock?db=0", False),
        ("EMAIL_URL", "smtp://mail.example.com:25", True),
        ("EMAIL_URL", "smtp+tls://mail.example.com:587", False),
        ("EMAIL_URL", "smtp+ssl://mail.example.com:465", False),
        ("EMAIL_URL", "smtp://localhost:25", False),
        ("OIDC_ISSUER", "http://login.example.com", True),
        ("OIDC_ISSUER", "https://login.example.com", False),
        ("SENTRY_DSN", "http://key@sentry.example.com/1", True),
        ("SENTRY_DSN", "https://key@sentry.example.com/1", False),
    ],
)
def test_another_machine_without_verified_tls_is_a_warning(
    settings, monkeypatch, name, url, warned
):
    configure(settings, monkeypatch, name, url)
    found = [each for each in checks.verified_tls(None) if each.id == "dashboard.W004"]
    assert [each.msg.split()[0] for each in found] == ([name] if warned else [])
    assert "x@" not in str(found)


def configure(settings, monkeypatch, name, url):
    """Set what settings.py makes of an address."""
    if name == "DATABASE_URL":
        database = Environment.db_url_config(url)
        monkeypatch.setitem(settings.DATABASES, "default", database)
        vendor = database["ENGINE"].rsplit(".", 1)[-1].removesuffix("3")
        monkeypatch.setattr(checks.connection, "vendor", vendor)
    elif name == "CACHE_URL":
        read = read_with(name, url, monkeypatch)["CACHES"]
        monkeypatch.setitem(settings.CACHES, "default", read["default"])
    else:
        configured = Environment.email_url_config(url) if name == "EMAIL_URL" else {name: url}
        for key, value in {"EMAIL_USE_TLS": False, "EMAIL_USE_SSL": False, **configured}.items():
            setattr(settings, key, value)


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("", True),
        ("http://desk.example.test", True),
        ("http://127.0.0.1:8000", False),
        ("https://desk.example.test/crm", False),
    ],
)
def test_a_site_without_its_https_address_is_a_warning(settings, url, warned):
    settings.SITE_URL = url
    assert reported_ids(deploy=True) == ({"dashboard.W005"} if warned else set())


def test_a_server_starts_with_a_warning_about_a_lost_key(stored_under_a_lost_key, capsys):
    gunicorn.on_starting(None)
    assert "dashboard.W002" in capsys.readouterr().err


def test_a_server_does_not_start_with_an_unusable_key(settings, capsys):
    settings.FIELD_ENCRYPTION_KEYS = ["nonsense"]
    with pytest.raises(SystemExit):
        gunicorn.on_starting(None)
    words = capsys.readouterr().err
    assert "dashboard.E001" in words
    assert "nonsense" not in words


@pytest.fixture
def production_storage(settings, tmp_path):
    """Static files as in production, before collectstatic."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }


def test_missing_static_files_are_an_error(production_storage, settings):
    assert reported_ids(deploy=True) == {"dashboard.E003"}
    settings.DEBUG = True  # file names are then not hashed
    assert "dashboard.E003" not in reported_ids(deploy=True)


def test_static_files_of_an_earlier_release_are_an_error(production_storage, tmp_path):
    names = {name: name for name in checks._own_static_files()}
    manifest = tmp_path / "staticfiles.json"
    manifest.write_text(json.dumps({"version": "1.1", "paths": names}))
    assert reported_ids(deploy=True) == set()
    del names["site.css"]
    manifest.write_text(json.dumps({"version": "1.1", "paths": names}))
    staticfiles_storage._wrapped = empty  # read again, as after a restart
    assert reported_ids(deploy=True) == {"dashboard.E003"}


def test_a_server_without_static_files_does_not_start(production_storage, capsys):
    with pytest.raises(SystemExit):
        gunicorn.on_starting(None)
    assert "collectstatic" in capsys.readouterr().err


def test_tables_of_a_later_release_are_an_error_also_for_a_worker():
    MigrationRecorder(connection).record_applied("writes", "9999_later")
    assert reported_ids() == {"dashboard.E011"}
    with pytest.raises(SystemCheckError, match=r"later release: it has writes\.9999_later"):
        call_command("db_worker", batch=True, skip_checks=False)
