"""The admin port: rules of faults, the ledger, keys, reset. For loopback only; no keys needed.

GET    /health                                  {"ready": true}
GET    /keys                       {"working": {...}, "revoked": {...}, "personas": {...}}
POST   /keys/revoke        {"pair": "acme/sales"}
GET    /reference-data                          lists per workspace
GET    /ledger?since=0&workspace=acme&operation=create
DELETE /ledger
GET    /faults             rules in force       GET /faults/kinds
POST   /faults             {"kind": "reset-after", "resource": "contacts", "nth": 2}
DELETE /faults             drops every rule
POST   /latency            {"seconds": 0.05}
POST   /refuse             stop listening       POST /accept
POST   /reset              {"data": true}
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from . import fault_rules, reference_data
from .server import Answer, Request
from .store import dumps

if TYPE_CHECKING:
    from .standin import StandIn

Body = dict[str, Any]


class Admin:
    """Answers the admin port of one stand-in."""

    def __init__(self, standin: "StandIn") -> None:
        self.standin = standin
        self.routes: dict[tuple[str, str], Callable[[Body], Any]] = {
            ("GET", "/health"): lambda body: {"ready": True},
            ("GET", "/keys"): self._keys,
            ("POST", "/keys/revoke"): self._revoke,
            ("GET", "/reference-data"): lambda body: reference_data.everything(),
            ("GET", "/ledger"): self._ledger,
            ("DELETE", "/ledger"): self._clear_ledger,
            ("GET", "/faults"): self._faults,
            ("GET", "/faults/kinds"): lambda body: fault_rules.catalogue(),
            ("POST", "/faults"): lambda body: {"id": standin.fault(**body)},
            ("DELETE", "/faults"): lambda body: standin.clear_faults(),
            ("POST", "/latency"): self._latency,
            ("POST", "/refuse"): lambda body: standin.refuse(),
            ("POST", "/accept"): lambda body: standin.accept(),
            ("POST", "/reset"): lambda body: standin.reset(**body),
        }

    def handle(self, request: Request) -> Answer:
        """200 with JSON, 404 for an unknown route, 400 with the reason for a bad body."""
        route = self.routes.get((request.method, request.path))
        if route is None:
            return Answer(404, b'{"error":"no such route"}')
        try:
            body = json.loads(request.body) if request.body else dict(parse_qsl(request.query))
            return Answer(200, dumps(route(body)).encode())
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return Answer(400, dumps({"error": str(error)}).encode())

    def _keys(self, body: Body) -> Any:
        keyring = self.standin.application.keyring
        return {
            "working": keyring.working(),
            "revoked": keyring.revoked(),
            "personas": keyring.personas(),
        }

    def _revoke(self, body: Body) -> Any:
        return {"revoked": self.standin.revoke(body["pair"])}

    def _ledger(self, body: Body) -> Any:
        return self.standin.ledger(int(body.pop("since", 0)), **body)

    def _clear_ledger(self, body: Body) -> Any:
        self.standin.application.ledger.clear()

    def _faults(self, body: Body) -> Any:
        return [rule.shown() for rule in self.standin.application.faults.rules]

    def _latency(self, body: Body) -> Any:
        self.standin.application.latency = float(body["seconds"])
