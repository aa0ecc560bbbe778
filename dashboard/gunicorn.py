"""How gunicorn serves the dashboard: `gunicorn -c python:dashboard.gunicorn dashboard.wsgi`.

Threads, since a request mostly waits for the API; two workers keep two cores busy. Both numbers
and the address are gunicorn's own settings and may be given on its command line.
"""

import ctypes
import gc
import os
import select
import socket
import sys
import time
from contextlib import suppress
from multiprocessing.sharedctypes import RawArray
from threading import Semaphore
from typing import Any

from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn, ThreadWorker

SLOTS = 256
NOBODY = -1
M_ARENA_MAX = -8  # of glibc's malloc.h
STAY = 1.0  # seconds that a thread waits for a person's next request
SPARE = 8  # threads that do not wait so, for whoever comes next
_connections = RawArray("i", [NOBODY] * SLOTS)  # open ones of every worker, by age; all see it


class FairWorker(ThreadWorker):  # type: ignore[misc]
    """Threads that serve; a worker with more people than another lets that one take the next.

    They all wait at the same socket, and who wakes first takes what comes: of 64 people who came
    at once one worker had 60, with the other core idle, and connections stay where they are.

    A thread that has answered waits a moment for the next request of the same person, as a page's
    files and fragments follow at once. Else the worker's loop takes the connection back and hands
    it out again, which wakes two threads and takes as long as all else that gunicorn does.
    """

    def init_process(self) -> None:
        """In the worker's own process."""
        self._may_stay = Semaphore(max(0, self.cfg.threads - SPARE))
        super().init_process()

    def notify(self) -> None:
        """Said in every round of the worker's loop."""
        _connections[self.age % SLOTS] = self.nr_conns
        super().notify()

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, unless another worker does so within a few milliseconds."""
        too_many = self.nr_conns - min(count for count in _connections if count != NOBODY)
        time.sleep(min(too_many, 5) / 1000 if too_many > 0 else 0)
        super().accept(listener)

    def handle(self, conn: TConn) -> Any:
        """Answer one request, and those that follow at once; True to keep the connection."""
        kept = super().handle(conn)
        while kept is True and self.alive and self._more_comes(conn):
            kept = super().handle(conn)
        return kept

    def handle_request(self, req: Request, conn: TConn) -> Any:
        """Answer with head and body in one piece. Gunicorn sends one after the other, and whoever
        waits, a proxy above all, is woken for the head alone (a tenth fewer pages a second).
        """
        hold_back(conn.sock, True)
        try:
            return super().handle_request(req, conn)
        finally:
            hold_back(conn.sock, False)

    def _more_comes(self, conn: TConn) -> bool:
        """Whether something is to be read before long; no if too few threads would be left."""
        if conn.parser.unreader.buf.getvalue() or not self._may_stay.acquire(blocking=False):
            return False
        try:
            arriving = select.poll()
            arriving.register(conn.sock, select.POLLIN)
            return bool(arriving.poll(STAY * 1000))
        finally:
            self._may_stay.release()


def hold_back(connection: socket.socket, on: bool) -> None:
    """Send full packets only, until it is switched off; where there are no such (a Unix socket, a
    closed one, another system), nothing.
    """
    if hasattr(socket, "TCP_CORK"):
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, on)


def pre_fork(server: Any, worker: Any) -> None:
    """One CPU for each worker, where there are enough workers to use them all.

    A worker's threads take turns; the next one finds the caches of its own CPU warm, those of
    another cold (a fifth fewer pages a second).
    """
    cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if 0 < len(cpus) <= server.num_workers:
        taken = [getattr(other, "cpu", None) for other in server.WORKERS.values()]
        worker.cpu = min(sorted(cpus), key=taken.count)


def post_fork(server: Any, worker: Any) -> None:
    """Keep to it."""
    if (cpu := getattr(worker, "cpu", None)) is not None:
        os.sched_setaffinity(0, {cpu})


def child_exit(server: Any, worker: FairWorker) -> None:
    """A worker that is gone has no connections, but takes none either."""
    _connections[worker.age % SLOTS] = NOBODY


worker_class = "dashboard.gunicorn.FairWorker"
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)  # gunicorn's own name for it
threads = 32
bind = "127.0.0.1:8000"
timeout = 60  # above the API's own deadline, so that a slow answer is ours to explain
graceful_timeout = 30
keepalive = 15
accesslog = None  # addresses carry search texts; the proxy in front keeps its own log
control_socket_disable = True
preload_app = True  # the workers share what is loaded; so a new release needs a restart, not a HUP


def when_ready(server: Any) -> None:
    """Before the workers are forked: let go of what they must not share, and set up what they do.

    What is loaded is left out of garbage collections for good: they would walk through it all
    and, by touching every object, undo the sharing.

    A thread that waits for its turn asks for it every 5 ms unless told otherwise: with 16 people at
    once, 190 wakings a page. A page gives its turn up of itself, every millisecond or so.
    """
    from django.db import connections

    sys.setswitchinterval(0.05)
    share_heap()
    connections.close_all()
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 5, 2)  # of all generations more often: it has become cheap


def share_heap() -> None:
    """One heap for all threads, where the C library (glibc) would give every thread its own.

    Each keeps what it once needed, 10 MB a worker in all; only one thread at a time needs any.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(M_ARENA_MAX, 1)
