"""Faults around the operation: it starts late, or takes effect after the response."""

import threading
import time
from collections.abc import Callable

from ..server import Response

REFUSED = b'{"success":false,"message":"Fault on request"}'


def run_later(seconds: str, action: Callable[[], object]) -> None:
    """Call `action` in another thread after `seconds` (1 if empty)."""
    timer = threading.Timer(float(seconds or 1), action)
    timer.daemon = True
    timer.start()


def slow(run: Callable[[], Response], argument: str) -> Response:
    """Start the operation `argument` seconds (1) late."""
    time.sleep(float(argument or 1))
    return run()


def late(run: Callable[[], Response], argument: str) -> Response:
    """Respond with status 504 at once and run the operation `argument` seconds (1) later."""
    run_later(argument, run)
    return Response(504, REFUSED)
