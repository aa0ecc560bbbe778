"""A Redis that does not answer is a cache without entries, and counts as many attempts to sign in.

What somebody else puts into Redis is not run.
"""

import ast
import json
import pickle
from pathlib import Path

import pytest
from django.core.cache import cache
from redis import Redis

from dashboard.core import rate_limit
from dashboard.gateway import CONTACTS
from dashboard.people import attempts
from tests import redis_server
from tests.people.test_sign_in import sign_in
from tests.test_settings import COMPLETE, load

pytest.importorskip("django_redis")


def test_without_redis_nothing_is_found_and_every_attempt_waits(settings):
    read = load({**COMPLETE, "CACHE_URL": "redis://127.0.0.1:9/0"}, "settings.CACHES")
    settings.CACHES = ast.literal_eval(read.stdout)  # nothing listens there
    cache.set("a", 1)
    assert cache.get("a", 5) == 5
    assert cache.get_many(["a"]) == {}
    assert cache.get_or_set("a", lambda: 7) == 7
    assert not cache.add("a", 1)
    assert attempts.admit(["nobody"]) > 0
    assert not rate_limit.exceeded("names", 1, most=1)


@pytest.fixture
def shared(settings):
    """A client of a Redis that the dashboard uses with its own settings."""
    redis_server.need()
    with redis_server.stoppable() as server:
        read = load({**COMPLETE, "CACHE_URL": server.url}, "settings.CACHES")
        settings.CACHES = ast.literal_eval(read.stdout)
        with Redis.from_url(server.url) as client:
            yield client


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("value", ["text", 7, -1, 1.5, True, {"a": [1, None]}, [], ""])
def test_a_value_comes_back_from_redis(shared, value):
    cache.set("a", value, 60)
    assert cache.get("a") == value
    assert cache.get_many(["a", "b"]) == {"a": value}


def test_what_is_not_json_is_not_stored(shared):
    for value in ({1, 2}, b"bytes", Path()):
        with pytest.raises(TypeError):
            cache.set("a", value)
    assert not shared.keys()


@pytest.mark.parametrize("rubbish", [b"", b"\xff", b"{", b"[" * 100_000, b"9" * 5_000])
def test_rubbish_in_redis_is_a_miss(shared, rubbish):
    cache.set("a", 1)
    [key] = shared.keys()
    shared.set(key, rubbish)
    assert cache.get("a", "nothing") == "nothing"


def test_no_page_unpickles_what_stands_in_redis(shared, desk, client, gateway, tmp_path):
    record = gateway.list(CONTACTS).records[0].id
    pages = ["/", "/contacts/?sort=cstaddress", f"/contacts/{record}/edit/", "/leads/", "/deals/"]

    def visit() -> None:
        assert [desk.get(page).status_code for page in pages] == [200] * len(pages)
        assert sign_in(client, "nobody", "wrong").status_code == 200

    visit()
    kept = {key: shared.get(key) for key in shared.scan_iter()}
    kinds = {key.split(b":")[2] for key in kept}
    assert {b"attempts", b"open", b"title", b"record", b"allauth"} <= kinds
    assert all(json.loads(value) is not None for value in kept.values())
    for key in kept:
        shared.set(key, pickle.dumps(Trap(tmp_path / "opened")))
    assert pickle.loads(shared.get(key)) is None  # the trap works
    (tmp_path / "opened").unlink()
    visit()
    assert not (tmp_path / "opened").exists()
