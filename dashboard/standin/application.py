"""From a request to an answer: keys, route, plan, fault, operation, ledger."""

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .fault_answers import AnswerSwap
from .fault_rules import FaultRules
from .faults import Fault, Work
from .keys import BASIC_PLAN, Keyring, Pair
from .ledger import Entry, Ledger
from .operations import Call, Operations, RefusedError
from .profiles import Profile
from .rules import RESOURCES
from .server import Answer, Request
from .shape import Resource
from .store import Record, Store, dumps

COLLECTION = {"GET": "list", "POST": "create"}
MEMBER = {"GET": "get", "PUT": "update", "DELETE": "delete"}
WRITES = {"create", "update", "delete"}
CACHED_LISTS = 1000
Before = tuple[int, Record | None]  # a record's id, and how it stood before its last write


@dataclass(slots=True)
class Target:
    """What a method and path name; empty words where they name nothing."""

    resource: Resource | None = None
    operation: str = ""
    record: int | None = None


def target_of(method: str, path: str) -> Target:
    """Read `/v1/contacts/17`."""
    parts = path.split("/")
    if len(parts) not in {3, 4} or parts[1] != "v1" or parts[2] not in RESOURCES:
        return Target()
    resource = RESOURCES[parts[2]]
    if len(parts) == 3:
        return Target(resource, COLLECTION.get(method, ""))
    number = parts[3]
    usable = number.isascii() and number.isdecimal() and len(number) < 19
    return Target(resource, MEMBER.get(method, ""), int(number) if usable else None)


class Application:
    """Answers requests. `latency` is in seconds and may be changed at any time."""

    def __init__(
        self,
        store: Store,
        keyring: Keyring,
        profile: Profile,
        now: Callable[[], datetime],
        *,
        seed: int,
        latency: float = 0.0,
        unpublished: bool = False,
    ) -> None:
        self.store = store
        self.keyring = keyring
        self.profile = profile
        self.latency = latency
        self.unpublished = unpublished
        self.operations = Operations(store, profile, now)
        self.faults = FaultRules(seed)
        self.swap = AnswerSwap()
        self.ledger = Ledger()
        self.latest: dict[tuple[str, str], Before] = {}  # by workspace and resource
        self._lists: dict[tuple[str, str, str], tuple[int, bytes]] = {}

    def handle(self, request: Request) -> Answer:
        """The answer to one request, noted in the ledger before it is sent."""
        pair = self.keyring.find(request.headers)
        target = target_of(request.method, request.path)
        entry = _entry(request, pair, target)
        fault = self.faults.choose(request, _facts(entry))
        if self.latency:
            time.sleep(self.latency)
        answer = self._answer(request, pair, target, entry, fault)
        entry.status = answer.status
        self.ledger.add(entry)
        return answer

    def _answer(
        self,
        request: Request,
        pair: Pair | None,
        target: Target,
        entry: Entry,
        fault: Fault | None,
    ) -> Answer:
        def run() -> Answer:
            return self._run(request, pair, target, entry, fault)

        if fault is None:
            return run()
        entry.fault = fault.text
        answer = fault.around(run)
        return self.swap.trade(answer, fault.argument) if fault.kind.swapped else answer

    def _run(
        self,
        request: Request,
        pair: Pair | None,
        target: Target,
        entry: Entry,
        fault: Fault | None,
    ) -> Answer:
        commit = fault is None or fault.applied
        surplus = None
        try:
            call = self._admitted(request, pair, target)
            if fault is not None and fault.kind.state is not None:
                work = Work(self, call, commit, fault.argument)
                body = fault.kind.state(work)
                surplus = work.surplus
            elif call.operation == "list":
                return Answer(200, self._list(call))
            else:
                body = self.write(call) if commit else self.operations.run(call, commit=False)
        except RefusedError as refused:
            return self._refusal(refused)
        except Exception:  # a bug of ours must not end the connection without a word
            traceback.print_exc(file=sys.stderr)
            return self._refusal(RefusedError("internal", "Internal server error"))
        entry.record = call.record
        entry.effect = commit and call.operation in WRITES
        return Answer(200, dumps(body).encode(), surplus=surplus)

    def write(self, call: Call) -> Record:
        """Run a call and remember how the record stood before it, for reads that lag behind."""
        before = None
        if call.operation in WRITES and call.record is not None:
            before = self.store.get(call.resource, call.record)
        body = self.operations.run(call)
        if call.operation in WRITES and call.record is not None:
            place = (call.workspace, call.resource.name)
            self.latest[place] = (call.record, before[1] if before else None)
        return body

    def _admitted(self, request: Request, pair: Pair | None, target: Target) -> Call:
        """The call, if the keys, the route and the plan allow it."""
        if pair is None:
            raise RefusedError("unauthorized", "The access key or secret key is missing or invalid")
        resource = target.resource
        if resource is None:
            raise RefusedError("no_route", "Not found")
        offered = resource.operations + (resource.unpublished if self.unpublished else ())
        if target.operation not in offered:
            raise RefusedError("not_offered", "Method not allowed")
        if resource.area and pair.workspace in BASIC_PLAN:
            raise RefusedError("forbidden", f"Your plan does not include {resource.name}")
        return Call(
            pair.workspace,
            resource,
            target.operation,
            target.record,
            request.query,
            request.body,
            request.headers.get("content-type", ""),
        )

    def _list(self, call: Call) -> bytes:
        """The body of a list, remembered until the next write: the same page is asked for often,
        and this service must not be what a measurement of its client measures."""
        key = (call.workspace, call.resource.name, call.query)
        version = self.store.version
        known = self._lists.get(key)
        if known is not None and known[0] == version:
            return known[1]
        body = dumps(self.operations.run(call)).encode()
        if len(self._lists) >= CACHED_LISTS:
            self._lists.clear()
        self._lists[key] = (version, body)
        return body

    def _refusal(self, refused: RefusedError) -> Answer:
        status = self.profile.status(refused.reason)
        body = self.profile.refusal(refused.reason, refused.message, refused.errors)
        if isinstance(body, str):
            return Answer(status, body.encode(), "text/html; charset=utf-8")
        return Answer(status, dumps(body).encode())


def _entry(request: Request, pair: Pair | None, target: Target) -> Entry:
    return Entry(
        0,
        time.time(),
        pair.workspace if pair else "",
        pair.id if pair else "",
        request.method,
        request.path,
        request.query,
        request.body,
        target.resource.name if target.resource else "",
        target.operation,
        target.record,
    )


def _facts(entry: Entry) -> dict[str, str]:
    return {
        "method": entry.method,
        "path": entry.path,
        "resource": entry.resource,
        "operation": entry.operation,
        "workspace": entry.workspace,
        "pair": entry.pair,
    }
