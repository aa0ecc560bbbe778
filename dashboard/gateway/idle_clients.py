"""Keeps the clients that no call is using. No two key pairs ever share a connection."""

import time
from collections import defaultdict
from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar

from .keys import Keys

IDLE_SECONDS = 4.0  # many servers close a connection that was idle for 5 seconds


class Closable(Protocol):
    """What IdleClients holds."""

    def close(self) -> None:
        """Close the connections of this client."""


Client = TypeVar("Client", bound=Closable)


class IdleClients(Generic[Client]):
    """Holds the clients that no call is using. Safe to share between threads.

    A client that has been idle for IDLE_SECONDS is not taken again and is closed by a later `put`.
    It is not kept longer, because its connection is too old and a new client costs only 0.04 ms.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._idle: dict[Keys, list[tuple[float, Client]]] = defaultdict(list)
        self._next_sweep = 0.0
        self._closed = False

    def take(self, keys: Keys) -> Client | None:
        """The client of this key pair that was used last, None if there is none or it is too old.
        Nobody else gets it until it is put back.
        """
        with self._lock:
            idle = self._idle.get(keys)
            if not idle or idle[-1][0] < self._clock() - IDLE_SECONDS:
                return None
            return idle.pop()[1]

    def put(self, keys: Keys, client: Client) -> None:
        """Give a client back after its call."""
        with self._lock:
            now = self._clock()
            self._idle[keys].append((now, client))
            too_old = self._remove_until(now - IDLE_SECONDS) if now >= self._next_sweep else []
            if self._closed:
                too_old += self._remove_until(now)
        for each in too_old:
            each.close()

    def close(self) -> None:
        """Close all clients, and from now on each one that is put back."""
        with self._lock:
            self._closed = True
            clients = self._remove_until(self._clock())
        for client in clients:
            client.close()

    def _remove_until(self, moment: float) -> list[Client]:
        """Take out the clients that were put back at `moment` or before."""
        self._next_sweep = self._clock() + IDLE_SECONDS
        removed = []
        for keys, idle in list(self._idle.items()):
            removed += [client for since, client in idle if since <= moment]
            kept = [entry for entry in idle if entry[0] > moment]
            if kept:
                self._idle[keys] = kept
            else:
                del self._idle[keys]
        return removed
