"""What gunicorn serves in the proofs: the dashboard itself, or a build of it broken on purpose,
whose worker kills itself at the step of a write that a request names.

    X-Kill-At: row committed        or "answered:2", when that is reached for the second time
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

from django.db.models.signals import post_save

from dashboard.audit import services as audit
from dashboard.outbox import locks
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission
from dashboard.wsgi import application as dashboard

from . import broken

here = threading.local()  # a request stays in its thread


def reached(step: str) -> None:
    """The end of this process, if that is what the request at hand asked for."""
    if step and getattr(here, "step", "") == step:
        here.left -= 1
        if not here.left:
            os.kill(os.getpid(), signal.SIGKILL)


def stepped(does: Callable[..., Any], *, before: str = "", after: str = "") -> Callable[..., Any]:
    """A function with a step before it, and one after it has come back."""

    @wraps(does)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        reached(before)
        answer = does(*args, **kwargs)
        reached(after)
        return answer

    return wrapped


def row_written(sender: Any, created: bool, **_: Any) -> None:
    """The row is in the database, and its transaction is still open."""
    if created:
        reached("row not committed")


outbox.begin = stepped(outbox.begin, before="no row", after="row committed")
outbox.finish = stepped(outbox.finish, before="answered", after="outcome noted")
audit.write = stepped(audit.write, after="in the history")
locks._acquire = stepped(locks._acquire, after="lock acquired")
post_save.connect(row_written, sender=Submission)
build = broken.made(os.environ["FAULTS_BROKEN"])  # for as long as this name is
build.__enter__()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The dashboard, told where to die."""
    step, _, number = environ.get("HTTP_X_KILL_AT", "").partition(":")
    here.step, here.left = step, int(number or 1)
    if step:
        Path(os.environ["FAULTS_AT_WORK"]).write_text(str(os.getpid()), encoding="ascii")
    answer = dashboard(environ, start_response)
    reached("before the page")
    here.step = ""
    return answer
