"""`manage.py metrics`: serves the figures of all processes of this machine to Prometheus."""

import os
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from dashboard.operations.gauges import Gauges


class Command(BaseCommand):
    """Serves /metrics on a port of its own until it is stopped."""

    help = (
        "Serve metrics for Prometheus on a port of their own. The site and its workers write "
        "theirs into the directory PROMETHEUS_MULTIPROC_DIR; figures from the database are added."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options --address and --port."""
        parser.add_argument("--address", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=9100)

    def handle(self, *, address: str, port: int, **options: Any) -> None:
        """Serve until SIGTERM or Ctrl+C. Raises CommandError without a directory."""
        directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
        if not Path(directory or "/missing").is_dir():
            raise CommandError("PROMETHEUS_MULTIPROC_DIR must name a directory of the site's.")
        registry = CollectorRegistry()
        registry.register(Counted(Path(directory)))
        registry.register(Gauges())
        server, thread = start_http_server(port, address, registry)
        stopped = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stopped.set())
        self.stdout.write(f"Metrics at http://{address}:{server.server_port}/metrics")
        with suppress(KeyboardInterrupt):
            stopped.wait()
        server.shutdown()
        thread.join()


class Counted(Collector):
    """What the processes have counted, also those that have ended.

    Gauges of a process that has ended, perhaps killed, are left out: nothing is paused in it.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def collect(self) -> Iterable[Metric]:
        """Read the files of the directory, which are named gauge_live..._PID.db and the like."""
        files = [
            str(file)
            for file in self._directory.glob("*.db")
            if not file.name.startswith("gauge_live") or _runs(file.stem.rpartition("_")[2])
        ]
        found: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        return found


def _runs(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another account's
        return True
    return True
