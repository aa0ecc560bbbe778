"""/healthz and /readyz, for supervisors and proxies."""

from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from dashboard import __version__
from dashboard.administration import health
from dashboard.administration.health import in_time
from dashboard.administration.models import HEARTBEAT_TIMEOUT, Worker, store_heartbeat
from tests.waits import wait_until

REDIS = {"BACKEND": "django_redis.cache.RedisCache", "OPTIONS": {"IGNORE_EXCEPTIONS": True}}


@pytest.fixture(autouse=True)
def _one_connection(monkeypatch):
    """Check in the test's thread, which has its transaction."""
    monkeypatch.setattr(
        health, "in_time", lambda checks: {k: check() for k, check in checks.items()}
    )


def test_both_answer_over_plain_http(client, db, settings):
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200
    assert client.get("/accounts/login/").status_code == 301
    below = client.get("/healthz", SCRIPT_NAME="/desk")
    assert (below.wsgi_request.path, below.status_code) == ("/desk/healthz", 200)


def test_readyz_names_each_part(client, db):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "database": True,
        "disk": True,
        "migrations": True,
        "cache": True,
        "static files": True,
        "service": "asked",
        "version": __version__,
    }


@pytest.mark.parametrize(
    "stranger", [{"REMOTE_ADDR": "192.0.2.7"}, {"HTTP_X_FORWARDED_FOR": "192.0.2.7"}]
)
def test_readyz_tells_others_the_status_alone(client, db, stranger):
    answer = client.get("/readyz", **stranger)
    assert (answer.status_code, answer.json()) == (200, {"ready": True})


@pytest.mark.django_db(transaction=True)
def test_without_the_database_it_is_not_ready(client):
    def fail(*args):
        raise OperationalError("the database is away")

    with connection.execute_wrapper(fail):
        answer = client.get("/readyz")
        assert client.get("/healthz").status_code == 200
    assert answer.status_code == 503
    assert answer.json()["database"] is False


@pytest.mark.skipif(connection.vendor != "sqlite", reason="its disk is another machine's")
def test_on_a_full_disk_it_is_not_ready(client, db, monkeypatch):
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(health, "TemporaryFile", lambda **_: full)
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["disk"] is False


def test_a_migration_that_was_not_applied_is_told(client, db):
    *_, last = MigrationLoader(connection).graph.leaf_nodes("writes")
    MigrationRecorder(connection).record_unapplied(*last)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["migrations"] is False


def test_a_migration_of_a_later_release_is_told(client, db):
    MigrationRecorder(connection).record_applied("writes", "9999_later")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["migrations"] is False


def test_a_shared_cache_that_keeps_nothing_is_told(client, db, settings):
    settings.CACHES = {"default": {**REDIS, "LOCATION": "redis://127.0.0.1:9/0"}}
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["cache"] is False


def test_the_service_is_told_and_not_judged(desk, standin):
    standin.refuse()
    for _ in range(12):  # the first ones may break off on connections that were open before
        desk.get("/contacts/")
    answer = desk.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["service"] == "paused"


def test_whoever_asks_for_workers_is_told_whether_one_lives(client, db):
    assert client.get("/readyz?workers=1").status_code == 503
    store_heartbeat("here:1")
    answer = client.get("/readyz?workers=1")
    assert (answer.status_code, answer.json()["workers"]) == (200, True)
    Worker.objects.update(seen=timezone.now() - HEARTBEAT_TIMEOUT - timedelta(seconds=1))
    answer = client.get("/readyz?workers=1")
    assert (answer.status_code, answer.json()["workers"]) == (503, False)
    assert client.get("/readyz").status_code == 200


def test_a_part_that_hangs_is_not_ready_and_is_not_asked_a_second_time():
    """It answers only once both answers are there: waiting for it would never end."""
    answered, begun = Event(), []

    def hangs() -> bool:
        begun.append(1)
        return answered.wait()

    for _ in range(2):
        found = in_time({"database": hangs, "cache": works}, timeout=0.3)
        assert found == {"database": False, "cache": True}
    assert len(begun) == 1
    answered.set()
    assert wait_until(lambda: in_time({"database": hangs})["database"])


def works() -> bool:
    return True


def test_readyz_answers_though_another_server_is_hanging(client, db, settings, monkeypatch):
    monkeypatch.setattr(health, "in_time", lambda checks: dict.fromkeys(checks, False))
    settings.CACHES = {"default": {**REDIS, "LOCATION": "redis://x:1/0"}}
    told = client.get("/readyz").json()
    assert {told[name] for name in health.CHECKS} == {False}
