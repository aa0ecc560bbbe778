"""Settings are read from the environment and have secure defaults."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

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


def test_the_command_line_prints_the_error_in_one_line():
    result = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=settings.BASE_DIR,
        env={"PATH": os.environ["PATH"], **COMPLETE, "SECRET_KEY": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.startswith("This cannot start. Set SECRET_KEY in")
    assert len(result.stderr.splitlines()) == 1


def test_the_defaults_are_secure():
    expression = "(settings.DEBUG, settings.SESSION_COOKIE_SECURE, settings.SECURE_SSL_REDIRECT)"
    assert load(COMPLETE, expression).stdout.strip() == "(False, True, True)"


@pytest.mark.parametrize(
    ("chosen", "at", "names", "logged"),
    [
        ("ERROR", 30, ["django.request", "dashboard"], [False, False]),
        ("DEBUG", 10, ["dashboard", "django.template", "httpx"], [True, False, False]),
    ],
)
def test_log_level_sets_the_level_and_logs_no_user_data(chosen, at, names, logged):
    program = (
        "import django, logging; django.setup(); "
        f"print([logging.getLogger(name).isEnabledFor({at}) for name in {names}])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **{"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "dashboard.settings"},
            **{**COMPLETE, "LOG_LEVEL": chosen},
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == str(logged)


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
