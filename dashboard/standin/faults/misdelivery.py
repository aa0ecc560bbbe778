"""Faults that give a response to the wrong request: sent twice, too early, swapped, or about
something else than was sent.

The connection stays open in all of them.
"""

import threading
from dataclasses import dataclass, replace

from ..operations import Call
from ..reference_data import OFFSETS
from ..schema import Record
from ..server import Response
from ..store import dumps
from .fault import DataContext

SURPLUS_DELAY = 0.01  # seconds
SWAP_TIMEOUT = 0.3  # seconds


def twice(response: Response, argument: str) -> Response:
    """Send the response and a copy of it in one segment."""
    return replace(response, surplus=response)


def twice_later(response: Response, argument: str) -> Response:
    """Send the response, and a copy of it `argument` seconds (0.01) later."""
    return later(twice(response, argument), argument)


def later(response: Response, argument: str) -> Response:
    """Send the surplus response in a segment of its own, `argument` seconds (0.01) later."""
    return replace(response, surplus_delay=float(argument or SURPLUS_DELAY))


def early(context: DataContext) -> Record:
    """Send a response of another workspace before the next request is read."""
    context.surplus = _foreign_response(context)
    return context.run()


def names_another(context: DataContext) -> Record:
    """The response to a create names the id of another record of the workspace."""
    body, call = context.run(), context.call
    if call.operation == "create":
        found = context.state.store.page(
            call.resource, [("workspace = ?", call.workspace)], "id DESC", 2, 0
        )
        other = next((row[0] for row in found if row[0] != call.record), 0)
        named = body["data"][call.resource.id_field]
        body["data"][call.resource.id_field] = type(named)(other)
    return body


def names_none(context: DataContext) -> Record:
    """The response to a create says that it succeeded, and nothing else."""
    body = context.run()
    return {"success": True} if context.call.operation == "create" else body


def lists_instead(context: DataContext) -> Record:
    """The response to a create is a page of the list."""
    body, call = context.run(), context.call
    if call.operation != "create":
        return body
    return context.state.run(Call(call.workspace, call.resource, "list"))


def _foreign_response(context: DataContext) -> Response | None:
    """The response of the same operation in another workspace; None if that has no records."""
    call, state = context.call, context.state
    resource, profile = call.resource, state.profile
    workspace = next(name for name in OFFSETS if name != call.workspace)
    newest = state.store.page(resource, [("workspace = ?", workspace)], "id DESC", 1, 0)
    found = state.store.get(resource, newest[0][0]) if newest else None
    if found is None:
        return None
    if call.operation == "list":
        body = state.run(Call(workspace, resource, "list", query=call.query))
    elif call.operation == "get":
        body = profile.detail(resource, workspace, found[1])
    elif call.operation == "create":
        body = profile.created(resource, found[1])
    else:
        body = profile.written(resource, call.operation)
    return Response(200, dumps(body).encode())


@dataclass(eq=False)
class _Offer:
    """A response that waits to be swapped for another."""

    response: Response
    received: Response | None = None


class ResponseSwap:
    """Swaps the responses of two requests that are under way at the same time."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._offers: list[_Offer] = []

    def swap(self, response: Response, argument: str) -> Response:
        """The response of another request; `response` if `argument` seconds (0.3) bring none."""
        with self._condition:
            if self._offers:
                other = self._offers.pop(0)
                other.received = response
                self._condition.notify_all()
                return other.response
            mine = _Offer(response)
            self._offers.append(mine)
            timeout = float(argument or SWAP_TIMEOUT)
            self._condition.wait_for(lambda: mine.received is not None, timeout)
            if mine.received is None:
                self._offers.remove(mine)
                return response
            return mine.received
