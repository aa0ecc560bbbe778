"""Django's Redis cache, made optional: the dashboard works without it, only more slowly.

Its values are JSON: whoever can write to Redis runs nothing here, as unpickling would let them.
"""

import json
import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache
from redis import RedisError, ResponseError

PAUSE = 2  # seconds without a further attempt, so that a page waits for one timeout at most

logger = logging.getLogger(__name__)


class JsonValues:
    """Turns values of the cache into JSON and back. Tuples come back as lists, numbers stay what
    Redis can count with, and keys of dicts come back as texts.
    """

    def dumps(self, value: Any) -> bytes:
        """The value in JSON. Raises TypeError for what JSON does not have."""
        return json.dumps(value, separators=(",", ":")).encode()

    def loads(self, stored: bytes) -> Any:
        """The value; None for what is not JSON, such as a pickle."""
        try:
            return json.loads(stored)
        except (ValueError, RecursionError):
            return None


class OptionalRedisCache(RedisCache):
    """Every failure of Redis is a miss: nothing is found, and nothing is stored. So is None.

    `add` answers False and `incr` raises ValueError, as for a counter that has expired. What counts
    attempts with these two must therefore refuse, not allow.
    """

    _away_until: ClassVar[float] = 0  # by monotonic(); 0 while Redis answers

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._ask(super().add, args, kwargs, missed=False))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        value = self._ask(super().get, (key, default, version), {})
        return default if value is None else value

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._ask(super().set, args, kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._ask(super().touch, args, kwargs, missed=False))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._ask(super().delete, args, kwargs, missed=False))

    def get_many(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(self._ask(super().get_many, args, kwargs, missed={}))

    def has_key(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._ask(super().has_key, args, kwargs, missed=False))

    def incr(self, *args: Any, **kwargs: Any) -> int:
        counted = self._ask(self._counted, args, kwargs)
        if counted is None:
            raise ValueError("Redis does not answer, or has no number, so nothing was counted.")
        return int(counted)

    def _counted(self, *args: Any, **kwargs: Any) -> int | None:
        try:
            return int(super().incr(*args, **kwargs))
        except ResponseError:  # what stands there is no number; Redis does answer
            return None

    def set_many(self, *args: Any, **kwargs: Any) -> list[Any]:
        return list(self._ask(super().set_many, args, kwargs, missed=[]))

    def delete_many(self, *args: Any, **kwargs: Any) -> None:
        self._ask(super().delete_many, args, kwargs)

    def clear(self) -> None:
        self._ask(super().clear, (), {})

    def _ask(
        self, method: Callable[..., Any], args: Any, kwargs: Any, *, missed: Any = None
    ) -> Any:
        cls = type(self)
        if monotonic() < cls._away_until:
            return missed
        try:
            answer = method(*args, **kwargs)
        except RedisError as error:
            if not cls._away_until:
                logger.warning("Redis does not answer; the cache is left out: %s", error)
            cls._away_until = monotonic() + PAUSE
            return missed
        if cls._away_until:
            cls._away_until = 0
            logger.warning("Redis answers again")
        return answer
