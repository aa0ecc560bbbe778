"""What a fault is: a kind of failure, with an argument, and whether a write is applied.

A fault is written `kind[-before|-after][:argument]`: "reset-after", "hang-before:5",
"status-429:2". `-before` means that a write is not applied, `-after` that it is; without either,
the default of the kind applies. A kind acts in one or more places:

timing      around the operation (delays, late effects)
data        instead of the operation (stale reads, writes of another user, half a write)
response    on the finished response (other status, other body, a second response after it)
swapped     the response is exchanged for that of another request with such a fault
connection  instead of sending the response (reset, hang, truncate); closes the connection
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..operations import Call
from ..schema import Record
from ..server import Response, Server
from ..service_state import ServiceState


@dataclass(slots=True)
class DataContext:
    """What a fault of the data may use; if `commit` is false, no write is kept.

    `surplus` may be set to a response that is sent on the same connection after the right one.
    """

    state: ServiceState
    call: Call
    commit: bool
    argument: str
    surplus: Response | None = None

    def run(self) -> Record:
        """Run the operation as requested and return the body of the response."""
        return self.state.run(self.call, commit=self.commit)


@dataclass(slots=True)
class ConnectionContext:
    """What a fault of the connection may use."""

    server: Server
    connection: socket.socket
    response: Response
    argument: str


TimingFault = Callable[[Callable[[], Response], str], Response]
DataFault = Callable[[DataContext], Record]
ResponseFault = Callable[[Response, str], Response]
ConnectionFault = Callable[[ConnectionContext], None]


@dataclass(frozen=True)
class FaultKind:
    """One kind of failure; `applied` is whether writes are applied by default."""

    about: str
    applied: bool = True
    timing: TimingFault | None = None
    data: DataFault | None = None
    response: ResponseFault | None = None
    connection: ConnectionFault | None = None
    swapped: bool = False


@dataclass(frozen=True)
class Fault:
    """A kind with its argument, and whether a write is applied; `text` is how it was written."""

    text: str
    kind: FaultKind
    applied: bool
    argument: str = ""

    def apply(self, run: Callable[[], Response]) -> Response:
        """Call `run` with this fault around it, and change its response."""
        kind, argument = self.kind, self.argument
        response = kind.timing(run, argument) if kind.timing else run()
        if kind.response:
            response = kind.response(response, argument)
        if (fault := kind.connection) is None:
            return response

        def send(server: Server, connection: socket.socket, response: Response) -> None:
            fault(ConnectionContext(server, connection, response, argument))

        return replace(response, send=send)


def parse_fault(text: str, kinds: dict[str, FaultKind]) -> Fault:
    """The fault that `text` names; ValueError if `kinds` has no such kind."""
    name, _, argument = text.strip().partition(":")
    if argument:
        float(argument)  # every argument is a number
    if name in kinds:
        return Fault(text, kinds[name], kinds[name].applied, argument)
    stem, _, when = name.rpartition("-")
    if stem in kinds and when in {"before", "after"}:
        return Fault(text, kinds[stem], when == "after", argument)
    raise ValueError(f"no such fault: {name}")
