"""Settings are read from the environment and have secure defaults."""

import json
import os
import re
import runpy
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.checks import ERROR, Tags, run_checks
from django.core.exceptions import ImproperlyConfigured

from dashboard import settings as dashboard_settings
from dashboard.site import checks

COMPLETE = {
    "SECRET_KEY": "x" * 60,
    "FIELD_ENCRYPTION_KEYS": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    "API_BASE_URL": "https://api.example.test",
}


def load(environment: dict[str, str], expression: str = "'loaded'") -> subprocess.CompletedProcess:
    """Import the settings in a fresh interpreter and print one expression of them."""
    return subprocess.run(
        [sys.executable, "-c", f"from dashboard import settings; print({expression})"],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", COMPLETE)
def test_a_missing_required_setting_is_named_in_the_error(name):
    result = load({**COMPLETE, name: ""})
    assert result.returncode != 0
    assert name in result.stderr
    assert not any(other in result.stderr.splitlines()[-1] for other in COMPLETE if other != name)


def test_the_defaults_are_secure():
    expression = "(settings.DEBUG, settings.SESSION_COOKIE_SECURE, settings.SECURE_SSL_REDIRECT)"
    assert load(COMPLETE, expression).stdout.strip() == "(False, True, True)"


def test_the_log_has_no_addresses_with_search_texts(monkeypatch):
    logging = read_with("DEBUG", "on", monkeypatch)["LOGGING"]
    levels = {name: logger["level"] for name, logger in logging["loggers"].items()}
    assert logging["root"]["level"] == "INFO"
    assert {levels["httpx"], levels["httpcore"]} == {"WARNING"}


def test_a_setting_is_read_from_the_file_that_the_environment_names(tmp_path):
    environment = {**COMPLETE, "OIDC_CLIENT_SECRET": "not this"}
    for name, value in {**COMPLETE, "DATABASE_URL": "postgres://desk:it@db/desk"}.items():
        (tmp_path / name).write_text(f"{value}\n")
        environment.pop(name, None)
        environment[f"{name}_FILE"] = str(tmp_path / name)
    expression = (
        "settings.SECRET_KEY, settings.FIELD_ENCRYPTION_KEYS, settings.API_BASE_URL, "
        "settings.DATABASES['default']['PASSWORD'], settings.DATABASES['default']['NAME']"
    )
    secret, keys, url = COMPLETE.values()
    read = load(environment, f"({expression})").stdout.strip()
    assert read == str((secret, [keys], url, "it", "desk"))


def test_a_value_in_the_environment_comes_before_its_file(tmp_path):
    """The demo names its own database, and must not open that of a file named in .env."""
    (tmp_path / "url").write_text("postgres://office/desk\n")
    named = {**COMPLETE, "DATABASE_URL_FILE": str(tmp_path / "url")}
    name = "settings.DATABASES['default']['NAME']"
    assert load({**named, "DATABASE_URL": "sqlite:////demo"}, name).stdout.strip() == "/demo"
    assert load({**named, "DATABASE_URL": ""}, name).stdout.strip() == "desk"


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    result = load({**COMPLETE, "SECRET_KEY": "", "SECRET_KEY_FILE": str(tmp_path / "nowhere")})
    assert "ImproperlyConfigured: SECRET_KEY_FILE: No such file" in result.stderr


WHOLE = ("soon", "a whole number of at least 1")
SWITCH = ("onn", "on or off")
UNREADABLE = {
    **dict.fromkeys(("SESSION_IDLE_MINUTES", "SESSION_HOURS", "AUDIT_RETENTION_DAYS"), WHOLE),
    "API_TIMEOUT": ("inf", "a number above 0"),
    **dict.fromkeys(("BEHIND_PROXY", "DEBUG", "SINGLE_SIGN_ON_ONLY"), SWITCH),
    "OIDC_NEW_ACCOUNTS": SWITCH,
    "OIDC_ROLES": ("group-7", "pairs separated by commas, for example sales=Editor,board=Manager"),
    "SITE_URL": ("http://[", "an address like https://desk.example.com"),
    "TIME_ZONE": ("Moon/Base", "a time zone, for example Europe/London"),
    "DATABASE_URL": ("nonsense", "an address like postgres://user:password@host/name or "),
    "CACHE_URL": ("nonsense://x", "an address like rediss://user:password@host:6379/0"),
    "EMAIL_URL": ("smtp://me:secret@host:mail", "an address like smtp+tls://user:password@"),
}
UNFIT = {  # they can be read, and a system check refuses them
    "FIELD_ENCRYPTION_KEYS": "a-key",
    "API_BASE_URL": "ftp://api.example.com",
    "API_ACCESS_HEADER": "x access",
    "API_SECRET_HEADER": "x:secret",
    "API_UNPUBLISHED": "tasks.forget",
    "ALLOWED_HOSTS": "https://desk.example.com",
    "DEFAULT_FROM_EMAIL": "desk",
    "SECURITY_CONTACT": "http://example.com",
    "SECOND_FACTOR_ROLES": "Everybody",
    "BREACHED_PASSWORDS_URL": "pwned",
    "OIDC_ISSUER": "login.example.com",
    "OIDC_SCOPES": "profile",
    "PROMETHEUS_MULTIPROC_DIR": "/nowhere",
}
ANY_TEXT = {
    "SECRET_KEY", "SERVICE_NAME", "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET", "OIDC_GROUPS_CLAIM", "SINGLE_SIGN_ON_EXCEPT",
}  # fmt: skip
READ_BY_ITS_PACKAGE = {"SENTRY_DSN"}  # tests/test_commands.py
NEEDED_BESIDE = {"OIDC_ISSUER": {"OIDC_CLIENT_ID": "desk"}}


def read_with(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The settings as they are with this one, read anew in this process."""
    for each, given in {**COMPLETE, **NEEDED_BESIDE.get(name, {}), name: value}.items():
        monkeypatch.setenv(each, given)
    return runpy.run_path(dashboard_settings.__file__)


def test_every_setting_of_the_table_is_tried_below_or_takes_any_text():
    table = (settings.BASE_DIR / "docs" / "configuration.md").read_text()
    documented = re.findall(r"`([A-Z_]+)`", " ".join(re.findall(r"(?m)^\| (`.*?) \|", table)))
    assert sorted(documented) == sorted([*UNREADABLE, *UNFIT, *ANY_TEXT, *READ_BY_ITS_PACKAGE])


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_value_that_cannot_be_read_is_named_in_one_sentence_without_it(name, monkeypatch):
    value, words = UNREADABLE[name]
    with pytest.raises(ImproperlyConfigured) as wrong:
        read_with(name, value, monkeypatch)
    assert str(wrong.value).startswith(f"{name} must be {words}")
    assert value not in str(wrong.value).split()


@pytest.mark.parametrize("name", UNFIT)
def test_a_value_that_cannot_work_is_an_error_of_a_check(name, monkeypatch, settings):
    read = read_with(name, UNFIT[name], monkeypatch)
    attribute = {"PROMETHEUS_MULTIPROC_DIR": "METRICS_DIR"}.get(name, name)
    if attribute in read:
        setattr(settings, attribute, read[attribute])
    found = run_checks(tags=[checks.TAG, Tags.compatibility])
    assert [each for each in found if each.level >= ERROR and name in each.msg]


@pytest.mark.parametrize(
    ("url", "origins", "path", "https"),
    [
        ("", [], None, True),
        ("https://desk.test/", ["https://desk.test"], None, True),
        ("https://in.test:8443/desk/", ["https://in.test:8443"], "/desk", True),
        ("HTTP://127.0.0.1:8000", ["http://127.0.0.1:8000"], None, False),
    ],
)
def test_the_address_of_the_site_says_path_origin_and_https(url, origins, path, https, monkeypatch):
    read = read_with("SITE_URL", url, monkeypatch)
    assert (read["CSRF_TRUSTED_ORIGINS"], read["FORCE_SCRIPT_NAME"]) == (origins, path)
    assert read["STATIC_URL"] == f"{path or ''}/static/"
    assert {read["SESSION_COOKIE_SECURE"], read["SECURE_SSL_REDIRECT"]} == {https}


@pytest.mark.slow
def test_the_server_says_it_in_one_line():
    result = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.core.gunicorn", "x:y"],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], **COMPLETE, "API_TIMEOUT": "inf"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    [line] = result.stderr.splitlines()
    assert json.loads(line)["event"].startswith("Cannot start. API_TIMEOUT must be ")
