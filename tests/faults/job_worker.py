"""A worker of the proof of jobs: `manage.py db_worker` with short leases.

FAULTS_KILL="rows marked:2" lets it end itself (SIGKILL) when it reaches that step for the second
time. FAULTS_BROKEN names a build that is broken on purpose.
"""

import itertools
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from functools import partial, wraps
from typing import Any

import django
from django.core.management import call_command

from . import internals

STEPS = {
    internals.TAKE_LEASE: {"before": "task taken", "after": "turn taken"},
    internals.BEGIN_ROWS: {"after": "rows marked"},
    internals.BEGIN_SUBMISSION: {"before": "no row", "after": "row committed"},
    internals.FINISH_SUBMISSION: {"before": "answered", "after": "outcome noted"},
    internals.STORE_ROWS: {"before": "rows sent", "after": "rows stored"},
    internals.STORE_PIECE: {"before": "pages read", "after": "piece stored"},
    internals.RELEASE_LEASE: {"after": "turn ended"},
}
NAMES = tuple(name for steps in STEPS.values() for name in steps.values())
SHORT = {
    internals.LOCK_GRACE: 1,
    internals.LOOK_AT: (0, 3),
    internals.LEASE_MARGIN: timedelta(seconds=1),
    internals.JOBS_IDLE: timedelta(seconds=1),
    internals.WATCH_AGAIN: timedelta(seconds=1),
    internals.PAGE_SIZE: 5,
    internals.FLUSHED: 10,
}


def forgetful(settle: Callable[..., None]) -> Callable[..., None]:
    """A row that a dead worker left is sent again under a new token."""

    def send_again(job: Any) -> None:
        from dashboard.ledger import repetitions

        repetitions.replace(job.rows.filter(state="sending"))

    return send_again


def doubled(add: Callable[..., None]) -> Callable[..., None]:
    """A piece of an export is stored twice."""

    def add_twice(*args: Any) -> None:
        add(*args)
        add(*args)

    return add_twice


BROKEN = {
    "forgets the token": (internals.SETTLE_ROWS, forgetful),
    "stores a piece twice": (internals.STORE_PIECE, doubled),
}


def killer(wanted: str) -> Callable[[str], None]:
    """Ends the process when the step of "step:number" is reached for that time."""
    step, _, number = wanted.partition(":")
    counted = itertools.count(1)

    def reached(name: str) -> None:
        if name and name == step and next(counted) == int(number or 1):
            os.kill(os.getpid(), signal.SIGKILL)

    return reached


def stepped(
    does: Callable[..., Any], reached: Callable[[str], None], before: str = "", after: str = ""
) -> Callable[..., Any]:
    """A function with a step before it, and one after it."""

    @wraps(does)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        reached(before)
        answer = does(*args, **kwargs)
        reached(after)
        return answer

    return wrapped


def main() -> None:
    """Work until the process is ended."""
    django.setup()
    reached = killer(os.environ.get("FAULTS_KILL", ""))
    with ExitStack() as replaced:
        for path, value in SHORT.items():
            replaced.enter_context(internals.replaced(path, lambda old, new=value: new))
        if broken := os.environ.get("FAULTS_BROKEN"):
            replaced.enter_context(internals.replaced(*BROKEN[broken]))
        for path, steps in STEPS.items():
            replaced.enter_context(
                internals.replaced(path, partial(stepped, reached=reached, **steps))
            )
        call_command("db_worker", interval=0.1, startup_delay=False, verbosity=0)


if __name__ == "__main__":
    main()
