"""The stand-in as one object: start and stop it, set faults, read the ledger."""

import sqlite3
from datetime import UTC, date, datetime
from typing import Any

from .admin import Admin
from .application import Application
from .keys import ACCESS_HEADER, SECRET_HEADER, Keyring
from .profiles import PROFILES
from .seed import fill, fill_if_empty
from .server import Server
from .store import Store

LOOPBACK = "127.0.0.1"


class StandIn:
    """A service on a free loopback port, with an admin port beside it.

        with StandIn(profile="verbose", size="small", seed=1) as s:
            s.url, s.admin_url, s.keys["acme"][0]

    `size` is "small", "demo" or a number of records up to 1,000,000. `data` is the path of a SQLite
    file (None: in memory); a file with records is used as it is. `today` is the date that the seed
    and new records use as the present day. `latency` is in seconds.
    """

    def __init__(
        self,
        profile: str = "verbose",
        size: str | int = "small",
        seed: int = 1,
        *,
        data: str | None = None,
        port: int = 0,
        admin_port: int = 0,
        latency: float = 0.0,
        unpublished: bool = False,
        today: date | None = None,
        access_header: str = ACCESS_HEADER,
        secret_header: str = SECRET_HEADER,
    ) -> None:
        self.size = size
        self.seed = seed
        self.today = today
        self.store = Store(data)
        fill_if_empty(self.store, size=size, seed=seed, today=self.now().date())
        self._seeded: tuple[date, int] | None = None  # by the last reset: the day, the version
        self._copy: tuple[date, sqlite3.Connection] | None = None  # of a day's records
        self.application = Application(
            self.store,
            Keyring(seed, access_header, secret_header),
            PROFILES[profile],
            self.now,
            seed=seed,
            latency=latency,
            unpublished=unpublished,
        )
        try:
            self.server = Server(self.application.handle, LOOPBACK, port)
            self.admin_server = Server(Admin(self).handle, LOOPBACK, admin_port)
        except OSError:
            self.store.close()
            raise

    def now(self) -> datetime:
        """Return the present time in UTC, on the day `today` if that is set."""
        present = datetime.now(UTC)
        return datetime.combine(self.today, present.timetz()) if self.today else present

    def start(self) -> "StandIn":
        """Start both servers."""
        self.server.start()
        self.admin_server.start()
        return self

    def close(self) -> None:
        """Stop both servers and close the store."""
        self.server.close()
        self.admin_server.close()
        self.store.close()

    def __enter__(self) -> "StandIn":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Return the base address of the API, without /v1."""
        return self.server.url

    @property
    def admin_url(self) -> str:
        """Return the address of the admin port."""
        return self.admin_server.url

    @property
    def keys(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of the working pairs, by workspace: acme, globex, solo, alder."""
        return self.application.keyring.working()

    @property
    def revoked_keys(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of the revoked pairs, by workspace."""
        return self.application.keyring.revoked()

    @property
    def personas(self) -> dict[str, tuple[str, str]]:
        """(access, secret) of the pairs with permanent faults, by name (see `personas`)."""
        return self.application.keyring.personas()

    @property
    def latency(self) -> float:
        """Return the least time of a call in seconds; may be set."""
        return self.application.latency

    @latency.setter
    def latency(self, seconds: float) -> None:
        self.application.latency = seconds

    def ledger(self, since: int = 0, **wanted: Any) -> list[dict[str, Any]]:
        """Return the entries after number `since`, oldest first; `operation="create"`
        filters them.
        """
        return self.application.ledger.read(since, **wanted)

    def fault(self, kind: str, **match: Any) -> int:
        """Add a rule that applies `kind` to matching requests (see `faults.rules.Rule`); its id."""
        return self.application.faults.add(kind, **match)

    def clear_faults(self) -> None:
        """Drop every rule."""
        self.application.faults.clear()

    def revoke(self, pair: str) -> bool:
        """Revoke a pair by id ("acme/sales") or access key; false if there is no such pair."""
        return self.application.keyring.revoke(pair)

    def refuse(self) -> None:
        """Stop listening: connections are refused until `accept` or `reset`."""
        self.server.refuse()

    def accept(self) -> None:
        """Listen again after `refuse`."""
        self.server.accept()

    def reset(self, *, data: bool = True) -> None:
        """Restore the start: no rules, empty ledger, seeded keys; with `data` the records too."""
        self.clear_faults()
        self.application.ledger.clear()
        self.application.keyring.reset()
        self.application.state.last_writes.clear()
        self.accept()
        today = self.now().date()
        if data and self._seeded != (today, self.store.version):
            self._seeded = (today, self._fill(today))

    def _fill(self, today: date) -> int:
        """Fill the store; again on the same day from a copy, in 0.3 instead of 23 ms. Returns the
        version of the store then.
        """
        if self._copy and self._copy[0] == today:
            return self.store.restore(self._copy[1])
        version = fill(self.store, size=self.size, seed=self.seed, today=today)
        copy = self.store.copy(version) if self.store.in_memory else None
        self._copy = (today, copy) if copy else None
        return version
