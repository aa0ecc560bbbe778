"""The admin port: fault rules, ledger, keys, reset. On loopback only, without authentication.

GET    /health                                  {"ready": true}
GET    /keys                       {"working": {...}, "revoked": {...}, "personas": {...}}
POST   /keys/revoke        {"pair": "acme/sales"}
GET    /reference-data                          lists per workspace
GET    /ledger?since=0&workspace=acme&operation=create
DELETE /ledger
GET    /faults             the rules            GET /faults/kinds
POST   /faults             {"kind": "reset-after", "resource": "contacts", "nth": 2}
DELETE /faults             drops every rule
POST   /latency            {"seconds": 0.05}
POST   /refuse             stop listening       POST /accept
POST   /reset              {"data": true}
"""

import json
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import parse_qsl

from .application import Application
from .faults.rules import catalogue
from .reference_data import everything
from .server import Request, Response
from .store import dumps

Body = dict[str, Any]


class Controls(Protocol):
    """What the admin port does to a stand-in; `StandIn` has these methods."""

    application: Application

    def ledger(self, since: int = 0, **wanted: Any) -> list[dict[str, Any]]:
        """Return the entries of the ledger."""

    def fault(self, kind: str, **match: Any) -> int:
        """Add a rule."""

    def clear_faults(self) -> None:
        """Drop every rule."""

    def revoke(self, pair: str) -> bool:
        """Revoke a key pair."""

    def refuse(self) -> None:
        """Stop listening."""

    def accept(self) -> None:
        """Listen again."""

    def reset(self, *, data: bool = True) -> None:
        """Restore the start."""


class Admin:
    """Handles the requests to the admin port of one stand-in."""

    def __init__(self, standin: Controls) -> None:
        self.standin = standin
        self.routes: dict[tuple[str, str], Callable[[Body], Any]] = {
            ("GET", "/health"): lambda body: {"ready": True},
            ("GET", "/keys"): self._keys,
            ("POST", "/keys/revoke"): self._revoke,
            ("GET", "/reference-data"): lambda body: everything(),
            ("GET", "/ledger"): self._ledger,
            ("DELETE", "/ledger"): self._clear_ledger,
            ("GET", "/faults"): self._faults,
            ("GET", "/faults/kinds"): lambda body: catalogue(),
            ("POST", "/faults"): lambda body: {"id": standin.fault(**body)},
            ("DELETE", "/faults"): lambda body: standin.clear_faults(),
            ("POST", "/latency"): self._latency,
            ("POST", "/refuse"): lambda body: standin.refuse(),
            ("POST", "/accept"): lambda body: standin.accept(),
            ("POST", "/reset"): lambda body: standin.reset(**body),
        }

    def handle(self, request: Request) -> Response:
        """Return 200 with JSON, 404 for an unknown route, or 400 with the reason for a bad body."""
        route = self.routes.get((request.method, request.path))
        if route is None:
            return Response(404, b'{"error":"no such route"}')
        try:
            body = json.loads(request.body) if request.body else dict(parse_qsl(request.query))
            return Response(200, dumps(route(body)).encode())
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return Response(400, dumps({"error": str(error)}).encode())

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
        return [rule.as_json() for rule in self.standin.application.faults.rules]

    def _latency(self, body: Body) -> Any:
        self.standin.application.latency = float(body["seconds"])
