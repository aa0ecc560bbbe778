"""What a fault is: a kind of failure, with an argument, applied to the data or not.

A fault is written `kind[-before|-after][:argument]`: "reset-after", "hang-before:5",
"status-429:2". `-before` means that the write is not applied, `-after` that it is; without
either, the kind's own default holds. The kinds are the table in `fault_kinds`; each acts in up to
four places:

effect  around the operation (waits, late effects)
state   instead of the operation, on the data (stale reads, somebody else's writes, half a write)
answer  on the finished answer (other status, other body)
wire    on the connection instead of a clean send (reset, hang, truncate); it ends afterwards

A kind that is `swapped` also trades its answer for that of another such request under way.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .server import Answer, Server

if TYPE_CHECKING:
    from .application import Application
    from .operations import Call

Effect = Callable[[Callable[[], Answer], str], Answer]
Change = Callable[[Answer, str], Answer]
Wire = Callable[["Exchange"], None]


State = Callable[["Work"], dict[str, Any]]


@dataclass(slots=True)
class Work:
    """What a fault of the data has in its hands; `commit` false means that nothing is kept."""

    application: "Application"
    call: "Call"
    commit: bool
    argument: str
    surplus: Answer | None = None  # sent on the same connection after the answer

    def done(self) -> dict[str, Any]:
        """The body of the answer, once the operation has run as asked."""
        return self.application.operations.run(self.call, commit=self.commit)


@dataclass(slots=True)
class Exchange:
    """What a fault on the wire has in its hands."""

    server: Server
    connection: socket.socket
    answer: Answer
    argument: str


@dataclass(frozen=True)
class Kind:
    """One way to fail."""

    about: str
    applied: bool = True
    effect: Effect | None = None
    state: State | None = None
    answer: Change | None = None
    wire: Wire | None = None
    swapped: bool = False


@dataclass(frozen=True)
class Fault:
    """A kind as asked for."""

    text: str
    kind: Kind
    applied: bool
    argument: str = ""

    def around(self, run: Callable[[], Answer]) -> Answer:
        """Run the operation with this fault in every place where it acts."""
        kind, argument = self.kind, self.argument
        answer = kind.effect(run, argument) if kind.effect else run()
        if kind.answer:
            answer = kind.answer(answer, argument)
        if (wire := kind.wire) is not None:
            answer = replace(
                answer, wire=lambda server, sock, sent: wire(Exchange(server, sock, sent, argument))
            )
        return answer


def parse(text: str, kinds: dict[str, Kind]) -> Fault:
    """The fault of `kinds` that `text` names; ValueError when there is none such."""
    name, _, argument = text.strip().partition(":")
    if argument:
        float(argument)  # every argument is a number
    if name in kinds:
        return Fault(text, kinds[name], kinds[name].applied, argument)
    stem, _, when = name.rpartition("-")
    if stem in kinds and when in {"before", "after"}:
        return Fault(text, kinds[stem], when == "after", argument)
    raise ValueError(f"no such fault: {name}")
