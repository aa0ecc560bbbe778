"""A Redis that does not answer is a cache without entries, at the cost of one attempt."""

import pytest
from django.core.cache import BaseCache
from redis.exceptions import ConnectionError as Refused

caches = pytest.importorskip("dashboard.caches")


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> BaseCache:
    """A cache whose Redis is on a port where nothing listens."""
    monkeypatch.setattr(caches.OptionalRedisCache, "_away_until", 0)
    cache: BaseCache = caches.OptionalRedisCache("redis://127.0.0.1:9/0", {})
    return cache


def test_every_operation_is_a_miss(away):
    assert away.get("a") is None
    assert away.get("a", 5) == 5
    assert away.get_many(["a"]) == {}
    assert away.get_or_set("a", lambda: 7) == 7
    assert not away.has_key("a")
    assert not away.touch("a")
    assert not away.delete("a")
    assert away.set_many({"a": 1}) == []
    for done in (lambda: away.set("a", 1), lambda: away.delete_many(["a"]), away.clear):
        assert done() is None


def test_a_counter_cannot_be_mistaken_for_a_low_count(away):
    assert away.add("attempts", 1) is False
    with pytest.raises(ValueError, match="nothing was counted"):
        away.incr("attempts")


def test_an_outage_is_one_line_and_one_attempt_in_two_seconds(away, monkeypatch, caplog):
    attempts = []

    def refuse(*args: object, **kwargs: object) -> None:
        attempts.append(args)
        raise Refused("away")

    monkeypatch.setattr(caches.RedisCache, "get", refuse)
    for _ in range(5):
        away.get("a")
    monkeypatch.setattr(caches.OptionalRedisCache, "_away_until", 1)  # the pause is over
    away.get("a")
    assert len(attempts) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    monkeypatch.setattr(caches.OptionalRedisCache, "_away_until", 1)
    monkeypatch.setattr(caches.RedisCache, "get", lambda *args: "found")
    assert away.get("a") == "found"
    assert "answers again" in caplog.text
