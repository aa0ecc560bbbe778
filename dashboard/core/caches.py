"""The values of django-redis: JSON, as whoever can write to Redis would run code by a pickle."""

import json
from typing import Any

from django_redis.exceptions import ConnectionInterrupted
from django_redis.serializers.json import JSONSerializer


class JsonValues(JSONSerializer):  # type: ignore[misc]  # has no types
    """Turns values of the cache into JSON and back. Tuples come back as lists, and keys of dicts as
    texts. Raises TypeError for what JSON does not have.
    """

    encoder_class = json.JSONEncoder

    def loads(self, value: bytes) -> Any:
        """The value. What is not JSON, such as a pickle, is a miss, as where Redis is away."""
        try:
            return super().loads(value)
        except (ValueError, RecursionError) as error:
            raise ConnectionInterrupted(None) from error
