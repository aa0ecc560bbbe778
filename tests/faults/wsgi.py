"""What the server runs in the proofs: the dashboard, or a build broken on purpose, whose worker
kills itself at the step of a write that a request names:

    X-Kill-At: row committed        or "answered:2", when that is reached for the second time
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial, wraps
from pathlib import Path
from typing import Any

from dashboard.wsgi import application as dashboard  # sets Django up, so before all others

# isort: split
from . import broken, internals

request = threading.local()  # a request stays in one thread


def reached(step: str) -> None:
    """End this process if the request at hand asks for it."""
    if step and getattr(request, "step", "") == step:
        request.left -= 1
        if not request.left:
            os.kill(os.getpid(), signal.SIGKILL)


def stepped(does: Callable[..., Any], *, before: str = "", after: str = "") -> Callable[..., Any]:
    """A function with a step before it, and one after it returns."""

    @wraps(does)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        reached(before)
        answer = does(*args, **kwargs)
        reached(after)
        return answer

    return wrapped


STEPS = {
    internals.BEGIN_SUBMISSION: {"before": "no row", "after": "row committed"},
    internals.FINISH_SUBMISSION: {"before": "answered", "after": "outcome noted"},
    internals.STORE_OUTCOME: {"after": "outcome not committed"},
    internals.FIND_DUE: {"after": "task claimed"},
    internals.TAKE_DELETION: {"after": "taken"},
    internals.STORE_ROW: {"after": "row not committed"},
    internals.ACQUIRE_LOCK: {"after": "lock taken"},
}
replaced = ExitStack()  # for as long as this process lives
for path, steps in STEPS.items():
    replaced.enter_context(internals.replaced(path, partial(stepped, **steps)))
replaced.enter_context(broken.build(os.environ["FAULTS_BROKEN"]))


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The dashboard, told where to die."""
    step, _, number = environ.get("HTTP_X_KILL_AT", "").partition(":")
    request.step, request.left = step, int(number or 1)
    if step:
        Path(os.environ["FAULTS_FOLDER"], "at-work").write_text(str(os.getpid()), "ascii")
    answer = dashboard(environ, start_response)
    reached("before the page")
    request.step = ""
    return answer
