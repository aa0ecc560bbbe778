"""The log of requests and of their effect: one entry per request, in order."""

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
class LedgerEntry:
    """One request. `effect` is whether data was changed; `record` is the id of the record.

    `status` is the status of the response, also if a fault on the connection keeps it from the
    client. `time` is in seconds since the epoch; `pair` is the id of a key pair, never a key. The
    Idempotency-Key is only recorded: the same key again is carried out again.
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
    idempotency_key: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as JSON data; the body is parsed if it is JSON."""
        entry = {name: getattr(self, name) for name in self.__slots__}
        try:
            entry["body"] = json.loads(self.body) if self.body else None
        except (ValueError, RecursionError):
            entry["body"] = self.body.decode("utf-8", "replace")
        return entry


class Ledger:
    """The entries, oldest first; the oldest are dropped if there are more than 100,000."""

    def __init__(self) -> None:
        self.entries: deque[LedgerEntry] = deque(maxlen=KEPT)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, entry: LedgerEntry) -> None:
        """Add `entry` and set its number; a body over 256 kB is cut."""
        entry.body = entry.body[:BODY_KEPT]
        with self._lock:
            entry.number = next(self._numbers)
            self.entries.append(entry)

    def clear(self) -> None:
        """Drop every entry; numbers continue."""
        with self._lock:
            self.entries.clear()

    def read(self, since: int = 0, **wanted: Any) -> list[dict[str, Any]]:
        """Entries after number `since` whose attributes equal `wanted`, compared as text."""
        return [entry.as_json() for entry in self._matching(since, wanted)]

    def _matching(self, since: int, wanted: dict[str, Any]) -> Iterator[LedgerEntry]:
        with self._lock:
            entries = list(self.entries)
        texts = {name: _text(value) for name, value in wanted.items()}
        for entry in entries:
            same = all(_text(getattr(entry, name)) == text for name, text in texts.items())
            if entry.number > since and same:
                yield entry


def _text(value: object) -> str:
    return str(value).lower()
