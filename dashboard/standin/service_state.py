"""The data of one stand-in: what operations and faults read and write."""

from collections.abc import Callable
from datetime import datetime

from .ledger import Ledger
from .operations import Call, Operations
from .profiles import Profile
from .schema import Record
from .store import Store

WRITES = {"create", "update", "delete"}
LastWrite = tuple[int, Record | None]  # a record's id, and the record before its last write


class ServiceState:
    """Records, ledger and operations. `last_writes` is keyed by workspace and resource name."""

    def __init__(self, store: Store, profile: Profile, now: Callable[[], datetime]) -> None:
        self.store = store
        self.profile = profile
        self.operations = Operations(store, profile, now)
        self.ledger = Ledger()
        self.last_writes: dict[tuple[str, str], LastWrite] = {}

    def run(self, call: Call, *, commit: bool = True) -> Record:
        """Run a call and return the body of the response; raises RefusedError.

        A committed write is noted in `last_writes`, for reads that are stale.
        """
        if not commit or call.operation not in WRITES:
            return self.operations.run(call, commit=commit)
        before = None if call.record is None else self.store.get(call.resource, call.record)
        body = self.operations.run(call)
        if call.record is not None:
            place = (call.workspace, call.resource.name)
            self.last_writes[place] = (call.record, before[1] if before else None)
        return body
