"""A process that dies at a statement, played in this process."""

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models.functions import Now

from dashboard.writes.models import Write

from . import internals

HOUR = 3600  # seconds, after which a process counts as dead
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b")


class Died(BaseException):
    """The process is gone."""


class Death:
    """Comes at the point of this number, before or after a statement that writes; once `begun`."""

    def __init__(self, point: int, *, begun: bool = True) -> None:
        self.point, self.begun, self.came = point, begun, False
        self.points = itertools.count(1)

    def reach(self) -> None:
        """End the process here, or go on. What the dead one still tries has no effect either."""
        if self.came or (self.begun and next(self.points) == self.point):
            self.came = True
            raise Died

    def watch(self, execute: Any, sql: str, *rest: Any) -> Any:
        if not WRITES.match(sql):
            return execute(sql, *rest)
        self.reach()
        answer = execute(sql, *rest)
        self.reach()
        return answer

    def calls(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """The dead make no call."""

        def made(*args: Any) -> Any:
            if self.came:
                raise Died
            return write(*args)

        return made

    def begins(self, does: Callable[..., Any]) -> Callable[..., Any]:
        """Points are counted once this was done."""

        def done(*args: Any, **kwargs: Any) -> Any:
            answer = does(*args, **kwargs)
            self.begun = True
            return answer

        return done


@contextmanager
def dying(point: int, after: str = "") -> Iterator[Death]:
    """What is done inside dies at this point (0: never), of those after `after`, a dotted path."""
    death = Death(point, begun=not after)
    with (
        suppress(Died),
        connection.execute_wrapper(death.watch),
        internals.replaced(internals.GATEWAY_WRITE, death.calls),
        internals.replaced(after or internals.STORE_DRAFT, death.begins),
    ):
        yield death


def let_an_hour_pass() -> None:
    """End the time after which a process that has stored no outcome counts as dead."""
    earlier = Now() - timedelta(seconds=HOUR)
    Write.objects.filter(reserved_until__isnull=False).update(reserved_until=earlier)
