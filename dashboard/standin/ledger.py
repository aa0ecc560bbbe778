"""What was asked of the service and what it did: one entry per request, in order."""

import itertools
import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

KEPT = 100_000
BODY_KEPT = 256 * 1024


@dataclass(slots=True)
class Entry:
    """One request. `effect` says whether data was changed; `record` is the id it was done to.

    `status` is the status that the client was meant to see, also where a fault kept it away.
    `time` is seconds since the epoch; `pair` is a key pair's id, never a key.
    """

    number: int
    time: float
    workspace: str
    pair: str
    method: str
    path: str
    query: str
    body: bytes
    resource: str = ""
    operation: str = ""
    record: int | None = None
    effect: bool = False
    status: int = 0
    fault: str = ""

    def shown(self) -> dict[str, Any]:
        """The entry as JSON takes it; the body read as JSON where it is."""
        entry = {name: getattr(self, name) for name in self.__slots__}
        try:
            entry["body"] = json.loads(self.body) if self.body else None
        except (ValueError, RecursionError):
            entry["body"] = self.body.decode("utf-8", "replace")
        return entry


class Ledger:
    """The entries, oldest first; only the newest 100,000 are kept."""

    def __init__(self) -> None:
        self.entries: deque[Entry] = deque(maxlen=KEPT)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> Entry:
        """Record `entry` (its body is cut where it is huge) and give it its number."""
        entry.body = entry.body[:BODY_KEPT]
        with self._lock:
            entry.number = next(self._numbers)
            self.entries.append(entry)
        return entry

    def clear(self) -> None:
        """Forget everything; numbers go on."""
        with self._lock:
            self.entries.clear()

    def read(self, since: int = 0, **wanted: Any) -> list[dict[str, Any]]:
        """Entries after number `since` whose attributes equal `wanted`, also as text ("true")."""
        return [entry.shown() for entry in self._matching(since, wanted)]

    def _matching(self, since: int, wanted: dict[str, Any]) -> Iterator[Entry]:
        with self._lock:
            entries = list(self.entries)
        texts = {name: _text(value) for name, value in wanted.items()}
        for entry in entries:
            same = all(_text(getattr(entry, name)) == text for name, text in texts.items())
            if entry.number > since and same:
                yield entry


def _text(value: object) -> str:
    return str(value).lower()
