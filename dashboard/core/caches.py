"""Serializer of django-redis. It uses JSON, because a pickle would let anyone who can write to
Redis run code.
"""

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
        """Treat a value that is not JSON, such as a pickle, as a miss, as if Redis were away."""
        try:
            return super().loads(value)
        except (ValueError, RecursionError) as error:
            raise ConnectionInterrupted(None) from error
