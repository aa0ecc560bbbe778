"""Waiting for what another process or thread does: asked again and again until it is so."""

import socket
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 60  # seconds; only a failure lasts as long
PAUSE = 0.02  # seconds


def wait_until(found: Callable[[], T], *, patience: float = PATIENCE, pause: float = PAUSE) -> T:
    """What `found` returns as soon as it is true, asked after each pause. Raises TimeoutError."""
    end = time.monotonic() + patience
    while not (value := found()):
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {patience} s: {found}")
        time.sleep(pause)
    return value


def accepts(port: int) -> bool:
    """Whether somebody listens on this port of the machine."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def wait_for_port(port: int) -> None:
    wait_until(lambda: accepts(port))
