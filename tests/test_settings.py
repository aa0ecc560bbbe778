"""Settings are read from the environment and have secure defaults."""

import os
import subprocess
import sys
from functools import partial

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard import settings as dashboard_settings
from dashboard.site.environment import Environment

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


WRONG = {
    "SESSION_IDLE_MINUTES": ("soon", "a whole number of at least 1."),
    "SESSION_HOURS": ("0", "a whole number of at least 1."),
    "DATABASE_POOL": ("-1", "a whole number of at least 0."),
    "API_TIMEOUT": ("long", "a number above 0."),
    "API_CONNECT_TIMEOUT": ("inf", "a number above 0."),
    "HTTPS_ONLY": ("onn", "on or off."),
    "OIDC_ROLES": ("group-7", "pairs with commas between, such as sales=Editor,board=Manager."),
    "LOG_LEVEL": ("loud", "one of DEBUG, INFO, WARNING, ERROR, CRITICAL."),
    "LOG_FORMAT": ("xml", "one of json, text."),
    "TIME_ZONE": ("Moon/Base", "a time zone such as Europe/London."),
    "DATABASE_URL": ("nonsense", "an address such as postgres://user:password@host/name or "),
    "CACHE_URL": ("nonsense://x", "an address such as rediss://user:password@host:6379/0."),
    "EMAIL_URL": ("smtp://me:secret@host:mail", "an address such as smtp+tls://user:password@"),
}


@pytest.mark.parametrize(("name", "value", "words"), [(n, *wrong) for n, wrong in WRONG.items()])
def test_a_wrong_setting_is_named_in_one_sentence_without_its_value(
    name, value, words, monkeypatch
):
    """Each way to read a setting; in this process, as its settings are read once for all tests."""
    monkeypatch.setenv(name, value)
    env = Environment()
    ways = {
        "API_TIMEOUT": env.float, "API_CONNECT_TIMEOUT": env.float, "HTTPS_ONLY": env.bool,
        "OIDC_ROLES": env.dict, "TIME_ZONE": partial(env.time_zone, default="UTC"),
        "DATABASE_URL": env.db, "CACHE_URL": env.cache, "EMAIL_URL": env.email,
        "LOG_LEVEL": partial(env.one_of, words=dashboard_settings.LOG_LEVELS, default="INFO"),
        "LOG_FORMAT": partial(env.one_of, words=("json", "text"), default="json"),
        "DATABASE_POOL": partial(env.int, least=0),
    }  # fmt: skip
    with pytest.raises(ImproperlyConfigured) as wrong:
        ways.get(name, env.int)(name)
    assert str(wrong.value).startswith(f"{name} must be {words}")
    assert value not in str(wrong.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_command_and_the_server_say_it_in_one_line(name):
    environment = {"PATH": os.environ["PATH"], **COMPLETE, name: WRONG[name][0]}
    if name == "DATABASE_POOL":  # commands have none
        environment["DATABASE_URL"] = "postgres://a:b@127.0.0.1:9/x"
    server = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.gunicorn", "dashboard.wsgi"]
    check = [sys.executable, "manage.py", "check"]
    for command in [server] if name == "DATABASE_POOL" else [check, server]:
        result = subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert result.returncode == 1
        [line] = result.stderr.splitlines()
        assert line.startswith(f"This cannot start. {name} must be ")
