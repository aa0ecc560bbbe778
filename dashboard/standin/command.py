"""The command line of `python -m dashboard.standin`."""

import argparse
import inspect
import signal
import sqlite3
import sys
import threading
from datetime import date
from pathlib import Path

from .keys import ACCESS_HEADER, SECRET_HEADER
from .profiles import PROFILES
from .standin import StandIn

MOST_PORT = 65_535
OPTIONS = set(inspect.signature(StandIn).parameters)


def port(text: str) -> int:
    """Return the number of a port, as an argument. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal() and int(text) <= MOST_PORT):
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {MOST_PORT}")
    return int(text)


def main(arguments: list[str]) -> int:
    """Serve until SIGINT or SIGTERM; returns the exit status."""
    parser = argparse.ArgumentParser(prog="standin", description="Stands in for the API.")
    add = parser.add_argument
    add("--port", type=port, default=8101, help="port of the API on loopback; 0 chooses a free one")
    add("--admin-port", type=port, default=8102, help="port of faults, ledger, keys and reset")
    add("--data", help="SQLite file to keep the records in (default: in memory)")
    add("--seed", type=int, default=1, help="the same seed gives the same records and keys")
    add("--size", default="demo", help="demo, small, or a number of records up to 1000000")
    add("--profile", choices=sorted(PROFILES), default="verbose", help="style of responses")
    add("--latency", type=float, default=0.0, help="least time of a call in seconds")
    add("--unpublished", action="store_true", help="offer what the reference does not publish")
    add("--today", type=date.fromisoformat, help="the date to use as today, YYYY-MM-DD")
    add("--reset", action="store_true", help="delete what --data holds and start over")
    add("--access-header", default=ACCESS_HEADER, help="name of the access key's header")
    add("--secret-header", default=SECRET_HEADER, help="name of the secret key's header")
    options = parser.parse_args(arguments)
    if options.data and options.reset:
        for suffix in ("", "-wal", "-shm"):
            Path(options.data + suffix).unlink(missing_ok=True)
    given = {name: value for name, value in vars(options).items() if name in OPTIONS}
    try:
        standin = StandIn(**given)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"standin: {error}\n")
        return 1
    except sqlite3.Error as error:
        sys.stderr.write(f"standin: {options.data}: {error}\n")
        return 1
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with standin:
        sys.stdout.write(f"standin ready on {standin.url} admin {standin.admin_url}\n")
        sys.stdout.flush()
        stopped.wait()
    return 0
