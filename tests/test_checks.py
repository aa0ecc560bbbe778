"""The system checks speak up, each with its id, when something is wrong and only then."""

import json

import pytest
from cryptography.fernet import Fernet
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.utils.functional import empty

from dashboard import checks, gunicorn
from dashboard.credentials import services

pytestmark = pytest.mark.django_db


def said(*, deploy: bool = False) -> set[str]:
    found = run_checks(tags=[checks.TAG], databases=["default"], include_deployment_checks=deploy)
    return {message.id for message in found}


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setenv("WEB_CONCURRENCY", "1")


def test_all_is_well_as_shipped():
    assert said(deploy=True) == set()


def test_an_encryption_key_that_is_none(settings):
    settings.FIELD_ENCRYPTION_KEYS = ["nonsense"]
    assert said() == {"dashboard.E001"}


@pytest.mark.parametrize(
    "url", ["", "api.example.com", "ftp://example.com", "http://", "http://[", "https://me@a.test"]
)
def test_an_address_that_is_none(settings, url):
    settings.API_BASE_URL = url
    assert "dashboard.E002" in said()


@pytest.mark.parametrize(
    ("cache", "processes", "warned"),
    [
        ("django.core.cache.backends.locmem.LocMemCache", "2", True),
        ("django.core.cache.backends.dummy.DummyCache", "4", True),
        ("django.core.cache.backends.locmem.LocMemCache", "", True),  # gunicorn.py says two
        ("django.core.cache.backends.locmem.LocMemCache", "1", False),
        ("django.core.cache.backends.redis.RedisCache", "2", False),
    ],
)
def test_a_cache_for_each_process(settings, monkeypatch, cache, processes, warned):
    monkeypatch.setitem(settings.CACHES, "default", {"BACKEND": cache})
    monkeypatch.setenv("WEB_CONCURRENCY", processes)
    assert said(deploy=True) == ({"dashboard.W001"} if warned else set())


@pytest.fixture
def stored_under_a_lost_key(viewer, settings):
    services.connect(viewer, access="an-access-key", secret="a-secret-key", workspace="Acme")
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]


def test_a_lost_encryption_key(stored_under_a_lost_key):
    assert said() == {"dashboard.W002"}


@pytest.mark.parametrize(
    ("url", "warned"),
    [("http://api.example.com", True), ("http://127.0.0.1:8101", False), ("https://a.test", False)],
)
def test_keys_that_would_travel_in_the_open(settings, url, warned):
    settings.API_BASE_URL = url
    assert said(deploy=True) == ({"dashboard.W003"} if warned else set())


def test_a_server_says_at_start_that_a_key_is_lost_and_serves(stored_under_a_lost_key, capsys):
    gunicorn.on_starting(None)
    assert "dashboard.W002" in capsys.readouterr().err


def test_a_server_does_not_start_with_an_unusable_key(settings):
    settings.FIELD_ENCRYPTION_KEYS = ["nonsense"]
    with pytest.raises(SystemExit, match=r"dashboard\.E001") as stopped:
        gunicorn.on_starting(None)
    assert "nonsense" not in str(stopped.value)


@pytest.fixture
def production_storage(settings, tmp_path):
    """Static files as in production, nothing collected yet."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }


def test_static_files_that_nobody_collected(production_storage, settings):
    assert said(deploy=True) == {"dashboard.E003"}
    settings.DEBUG = True  # names are then used as they are
    assert "dashboard.E003" not in said(deploy=True)


def test_static_files_of_an_earlier_release(production_storage, tmp_path):
    names = {name: name for name in checks._own_static_files()}
    manifest = tmp_path / "staticfiles.json"
    manifest.write_text(json.dumps({"version": "1.1", "paths": names}))
    assert said(deploy=True) == set()
    del names["site.css"]
    manifest.write_text(json.dumps({"version": "1.1", "paths": names}))
    staticfiles_storage._wrapped = empty  # read anew, as after a restart
    assert said(deploy=True) == {"dashboard.E003"}


def test_a_server_without_its_static_files_says_so_and_does_not_start(production_storage):
    with pytest.raises(SystemExit, match="collectstatic"):
        gunicorn.on_starting(None)


def test_other_commands_do_not_need_static_files(production_storage):
    assert said() == set()
