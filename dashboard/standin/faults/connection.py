"""Faults of the connection: each acts instead of sending the response, and ends the connection."""

import socket
import struct
import time
from contextlib import suppress

from .fault import ConnectionContext
from .timing import run_later

LONGEST_HANG = 60.0  # seconds


def _set_reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset(context: ConnectionContext) -> None:
    """Reset the connection."""
    _set_reset(context.connection)


def refuse(context: ConnectionContext) -> None:
    """Reset, and refuse connections for `argument` seconds (1)."""
    _set_reset(context.connection)
    context.server.refuse()
    run_later(context.argument, context.server.accept)


def hang(context: ConnectionContext) -> None:
    """Send nothing until the client closes, for `argument` seconds (60) at most."""
    context.connection.settimeout(float(context.argument or LONGEST_HANG))
    with suppress(TimeoutError):
        context.connection.recv(1)


def drip(context: ConnectionContext) -> None:
    """Send one byte every `argument` seconds (0.2)."""
    for number in context.response.head() + context.response.body:
        context.connection.sendall(bytes((number,)))
        time.sleep(float(context.argument or 0.2))


def truncate(context: ConnectionContext) -> None:
    """Send the head and half the body."""
    response = context.response
    context.connection.sendall(response.head() + response.body[: len(response.body) // 2])


def truncate_head(context: ConnectionContext) -> None:
    """Send a part of the head."""
    context.connection.sendall(context.response.head()[:-20])


def truncate_reset(context: ConnectionContext) -> None:
    """Send the head and half the body, then reset."""
    truncate(context)
    _set_reset(context.connection)


def close(context: ConnectionContext) -> None:
    """Send nothing."""
    return


def garbage(context: ConnectionContext) -> None:
    """Send bytes that are not HTTP."""
    context.connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)))
