"""Faults that give an answer to the wrong request: sent twice, sent too early, or swapped."""

import threading
from dataclasses import dataclass, replace

from .faults import Work
from .operations import Call
from .reference_data import OFFSETS
from .server import Answer
from .store import Record, dumps

SURPLUS_DELAY = 0.01
SWAP_PATIENCE = 0.3


def twice(answer: Answer, argument: str) -> Answer:
    """Send the answer and a copy of it in one segment."""
    return replace(answer, surplus=answer)


def twice_later(answer: Answer, argument: str) -> Answer:
    """Send the answer, and a copy of it `argument` seconds (0.01) later."""
    return later(twice(answer, argument), argument)


def later(answer: Answer, argument: str) -> Answer:
    """Send what comes after the answer in a segment of its own, `argument` seconds (0.01) later."""
    return replace(answer, surplus_delay=float(argument or SURPLUS_DELAY))


def early(work: Work) -> Record:
    """Send an answer to a request of another workspace before the next request has been read."""
    work.surplus = _foreign_answer(work)
    return work.application.write(work.call) if work.commit else work.done()


def _foreign_answer(work: Work) -> Answer | None:
    """What the same operation would answer in another workspace; None if that has no records."""
    call, application = work.call, work.application
    resource, profile = call.resource, application.profile
    workspace = next(name for name in OFFSETS if name != call.workspace)
    newest = application.store.page(resource, [("workspace = ?", workspace)], "id DESC", 1, 0)
    found = application.store.get(resource, newest[0][0]) if newest else None
    if found is None:
        return None
    if call.operation == "list":
        body = application.operations.run(Call(workspace, resource, "list", query=call.query))
    elif call.operation == "get":
        body = profile.detail(resource, workspace, found[1])
    elif call.operation == "create":
        body = profile.created(resource, found[1])
    else:
        body = profile.done(resource, call.operation)
    return Answer(200, dumps(body).encode())


@dataclass(eq=False)
class _Waiting:
    """An answer that waits for another to be swapped with."""

    offered: Answer
    received: Answer | None = None


class AnswerSwap:
    """Swaps the answers of two requests that are under way at the same time."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: list[_Waiting] = []

    def trade(self, answer: Answer, argument: str) -> Answer:
        """The answer of another request; `answer` if none came within `argument` seconds (0.3)."""
        with self._condition:
            if self._waiting:
                other = self._waiting.pop(0)
                other.received = answer
                self._condition.notify_all()
                return other.offered
            mine = _Waiting(answer)
            self._waiting.append(mine)
            patience = float(argument or SWAP_PATIENCE)
            self._condition.wait_for(lambda: mine.received is not None, patience)
            if mine.received is None:
                self._waiting.remove(mine)
                return answer
            return mine.received
