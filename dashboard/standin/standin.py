"""The stand-in as one object: start it, call it, break it, look at what it did."""

from datetime import UTC, date, datetime
from typing import Any

from . import seed as seeding
from .admin import Admin
from .application import Application
from .keys import ACCESS_HEADER, SECRET_HEADER, Keyring
from .profiles import PROFILES
from .server import Server
from .store import Store

LOOPBACK = "127.0.0.1"


class StandIn:
    """A service on a free loopback port, with an admin port beside it.

        with StandIn(profile="verbose", size="small", seed=1) as s:
            s.url, s.admin_url, s.keys["acme"][0]

    `size` is "small", "demo" or a number of records up to 1,000,000. `data` is a SQLite file that
    is kept (None: in memory); a file with records is used as it is. `today` (a date) fixes what
    the seed and new records take for the present day. `latency` is in seconds.
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
        seeding.ensure(self.store, size=size, seed=seed, today=self.now().date())
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
        """The present moment in UTC, on the day that `today` says."""
        present = datetime.now(UTC)
        return datetime.combine(self.today, present.timetz()) if self.today else present

    def start(self) -> "StandIn":
        """Begin to answer."""
        self.server.start()
        self.admin_server.start()
        return self

    def close(self) -> None:
        """Stop answering and close the data."""
        self.server.close()
        self.admin_server.close()
        self.store.close()

    def __enter__(self) -> "StandIn":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The base address of the API, without /v1."""
        return self.server.url

    @property
    def admin_url(self) -> str:
        """The address of the admin port."""
        return self.admin_server.url

    @property
    def keys(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of the working pairs per workspace: acme, globex, solo."""
        return self.application.keyring.working()

    @property
    def revoked_keys(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of the revoked pairs per workspace."""
        return self.application.keyring.revoked()

    @property
    def personas(self) -> dict[str, tuple[str, str]]:
        """(access, secret) of the pairs that behave in some way, by name (see `personas`)."""
        return self.application.keyring.personas()

    @property
    def latency(self) -> float:
        """Seconds that every call takes at least; may be set."""
        return self.application.latency

    @latency.setter
    def latency(self, seconds: float) -> None:
        self.application.latency = seconds

    def ledger(self, since: int = 0, **wanted: Any) -> list[dict[str, Any]]:
        """What was asked after entry `since`, oldest first; `operation="create"` narrows it."""
        return self.application.ledger.read(since, **wanted)

    def fault(self, kind: str, **match: Any) -> int:
        """From now on `kind` strikes requests that fit (see `fault_rules.Rule`); the rule's id."""
        return self.application.faults.add(kind, **match)

    def clear_faults(self) -> None:
        """Drop every rule."""
        self.application.faults.clear()

    def revoke(self, pair: str) -> bool:
        """Revoke a pair by id ("acme/sales") or access key; false when there is none such."""
        return self.application.keyring.revoke(pair)

    def refuse(self) -> None:
        """Stop listening: connections are refused until `accept` or `reset`."""
        self.server.refuse()

    def accept(self) -> None:
        """Listen again."""
        self.server.accept()

    def reset(self, *, data: bool = True) -> None:
        """As at the start: no faults, empty ledger, keys as seeded; with `data` the records too."""
        self.clear_faults()
        self.application.ledger.clear()
        self.application.keyring.reset()
        self.application.latest.clear()
        self.accept()
        if data:
            today = self.now().date()
            seeding.fill(self.store, size=self.size, seed=self.seed, today=today)
