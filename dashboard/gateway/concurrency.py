"""Runs several calls to the service at the same time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from itertools import islice
from time import monotonic
from typing import TypeVar

from .errors import NO_ANSWER, GatewayError, Unavailable

THREADS = 32  # of one process, for all people
Item = TypeVar("Item")
Result = TypeVar("Result")


def submit(call: Callable[[], Result]) -> "Future[Result | GatewayError]":
    """Start a call in another thread. Its future has the result, or the GatewayError, which is
    returned and not raised. The call sees the context variables of the caller. It must not submit
    further calls: they could wait for it.
    """
    return _pool().submit(copy_context().run, _outcome, call)


def result(
    future: "Future[Result | GatewayError]", until: float | None = None
) -> Result | GatewayError:
    """Return the result of a submitted call, or its error. `Unavailable` if there is none by
    `until` (time.monotonic); the call goes on then.
    """
    try:
        return future.result(None if until is None else max(0.0, until - monotonic()))
    except TimeoutError:
        return Unavailable(reason=NO_ANSWER)


def unwrap(answer: Result | GatewayError) -> Result:
    """Return the result of a call; raises its GatewayError."""
    if isinstance(answer, GatewayError):
        raise answer
    return answer


def gather(calls: Sequence[Callable[[], Result]]) -> list[Result | GatewayError]:
    """Return the results of all calls in their order, with the error in place of the result of a
    call that failed. Waits for the slowest call; each one ends at the timeout of its gateway.
    """
    return [future.result() for future in [submit(call) for call in calls]]


def map(
    function: Callable[[Item], Result], items: Iterable[Item], at_once: int
) -> Iterator[Result | GatewayError]:
    """Yield the result, or error, of the function for each item, with at most `at_once` calls in
    flight. A consumer that stops starts no further call.
    """
    calls = (partial(function, item) for item in items)
    running = deque(submit(call) for call in islice(calls, at_once))
    while running:
        yield running.popleft().result()
        running.extend(submit(call) for call in islice(calls, 1))


def _outcome(call: Callable[[], Result]) -> Result | GatewayError:
    try:
        return call()
    except GatewayError as error:
        return error


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the pool, created on first use, so that every worker has its own threads after the
    fork.
    """
    return ThreadPoolExecutor(THREADS, thread_name_prefix="gateway")
