"""From a request to its response: keys, route, plan, fault, operation, ledger."""

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from .faults.fault import DataContext, Fault
from .faults.misdelivery import ResponseSwap
from .faults.rules import FaultRules
from .keys import BASIC_PLAN, KeyPair, Keyring
from .ledger import LedgerEntry
from .operations import Call, RefusedError
from .profiles import Profile
from .resources import RESOURCES
from .schema import Record, Resource
from .server import Request, Response
from .service_state import WRITES, ServiceState
from .store import Store, dumps

COLLECTION = {"GET": "list", "POST": "create"}
MEMBER = {"GET": "get", "PUT": "update", "DELETE": "delete"}
CACHED_LISTS = 1000


@dataclass(slots=True)
class Route:
    """What a method and path name; None and "" if they name nothing."""

    resource: Resource | None = None
    operation: str = ""
    record: int | None = None


@dataclass(slots=True)
class Exchange:
    """One request on its way to a response."""

    request: Request
    pair: KeyPair | None
    route: Route
    entry: LedgerEntry
    fault: Fault | None = None

    @property
    def commit(self) -> bool:
        """Return whether a write is applied."""
        return self.fault is None or self.fault.applied


def find_route(method: str, path: str) -> Route:
    """Return the route of a method and a path such as `/v1/contacts/17`."""
    parts = path.split("/")
    if len(parts) not in {3, 4} or parts[1] != "v1" or parts[2] not in RESOURCES:
        return Route()
    resource = RESOURCES[parts[2]]
    if len(parts) == 3:
        return Route(resource, COLLECTION.get(method, ""))
    number = parts[3]
    valid = number.isascii() and number.isdecimal() and len(number) < 19
    return Route(resource, MEMBER.get(method, ""), int(number) if valid else None)


class Application:
    """Responds to requests. `latency` is in seconds and may be changed at any time."""

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
        self.state = ServiceState(store, profile, now)
        self.ledger = self.state.ledger
        self.profile = profile
        self.keyring = keyring
        self.latency = latency
        self.unpublished = unpublished
        self.faults = FaultRules(seed)
        self.swap = ResponseSwap()
        self._lists: dict[tuple[str, str, str], tuple[int, bytes]] = {}

    def handle(self, request: Request) -> Response:
        """Return the response to one request, which is in the ledger before the response is
        sent.
        """
        pair = self.keyring.find(request.headers)
        route = find_route(request.method, request.path)
        entry = _ledger_entry(request, pair, route)
        fault = self.faults.choose(request, _attributes(entry))
        if self.latency:
            time.sleep(self.latency)
        response = self._respond(Exchange(request, pair, route, entry, fault))
        entry.status = response.status
        self.ledger.add(entry)
        return response

    def _respond(self, exchange: Exchange) -> Response:
        fault = exchange.fault
        if fault is None:
            return self._run(exchange)
        exchange.entry.fault = fault.text
        response = fault.apply(lambda: self._run(exchange))
        return self.swap.swap(response, fault.argument) if fault.kind.swapped else response

    def _run(self, exchange: Exchange) -> Response:
        """Run the operation; the right response or a rejection."""
        try:
            call = self._authorized(exchange)
            response = self._run_call(call, exchange)
        except RefusedError as refused:
            return self._refusal(refused)
        except Exception:  # a bug of the stand-in must not close the connection without a response
            traceback.print_exc(file=sys.stderr)
            return self._refusal(RefusedError("internal", "Internal server error"))
        exchange.entry.record = call.record
        exchange.entry.effect = exchange.commit and call.operation in WRITES
        return response

    def _run_call(self, call: Call, exchange: Exchange) -> Response:
        fault = exchange.fault
        if fault is not None and fault.kind.data is not None:
            context = DataContext(self.state, call, exchange.commit, fault.argument)
            response = _json(fault.kind.data(context))
            return replace(response, surplus=context.surplus)
        if call.operation == "list":
            return Response(200, self._list(call))
        return _json(self.state.run(call, commit=exchange.commit))

    def _authorized(self, exchange: Exchange) -> Call:
        """Return the call, if the keys, the route and the plan allow it."""
        request, pair, route = exchange.request, exchange.pair, exchange.route
        if pair is None:
            raise RefusedError("unauthorized", "The access key or secret key is missing or invalid")
        resource = route.resource
        if resource is None:
            raise RefusedError("no_route", "Not found")
        offered = resource.operations + (resource.unpublished if self.unpublished else ())
        if route.operation not in offered:
            raise RefusedError("not_offered", "Method not allowed")
        if pair.workspace in BASIC_PLAN and not resource.in_every_plan:
            raise RefusedError("forbidden", f"Your plan does not include {resource.name}")
        return Call(
            pair.workspace,
            resource,
            route.operation,
            route.record,
            request.query,
            request.body,
            request.headers.get("content-type", ""),
            unpublished=self.unpublished,
        )

    def _list(self, call: Call) -> bytes:
        """Return the body of a list, cached until the next write.

        Cached so that a benchmark of a client does not measure this service.
        """
        key = (call.workspace, call.resource.name, call.query)
        version = self.state.store.version
        known = self._lists.get(key)
        if known is not None and known[0] == version:
            return known[1]
        body = dumps(self.state.run(call)).encode()
        if len(self._lists) >= CACHED_LISTS:
            self._lists.clear()
        self._lists[key] = (version, body)
        return body

    def _refusal(self, refused: RefusedError) -> Response:
        status = self.profile.status(refused.reason)
        body = self.profile.refusal(refused.reason, refused.message, refused.errors)
        if isinstance(body, str):
            return Response(status, body.encode(), "text/html; charset=utf-8")
        return _json(body, status)


def _json(body: Record, status: int = 200) -> Response:
    return Response(status, dumps(body).encode())


def _ledger_entry(request: Request, pair: KeyPair | None, route: Route) -> LedgerEntry:
    return LedgerEntry(
        0,
        time.time(),
        pair.workspace if pair else "",
        pair.id if pair else "",
        request.method,
        request.path,
        request.query,
        request.body,
        route.resource.name if route.resource else "",
        route.operation,
        route.record,
        idempotency_key=request.headers.get("idempotency-key", ""),
    )


def _attributes(entry: LedgerEntry) -> dict[str, str]:
    return {
        "method": entry.method,
        "path": entry.path,
        "resource": entry.resource,
        "operation": entry.operation,
        "workspace": entry.workspace,
        "pair": entry.pair,
    }
