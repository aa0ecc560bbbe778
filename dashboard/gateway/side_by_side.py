"""Runs several calls to the service at the same time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from itertools import islice
from time import monotonic
from typing import TypeVar

from .errors import GatewayError, Slow

THREADS = 32  # of one process, for all people
Result = TypeVar("Result")


def start(call: Callable[[], Result]) -> "Future[Result | GatewayError]":
    """Begin a call in another thread; `result()` waits for its result, or for its GatewayError,
    which is returned and not raised. The call sees the context variables of who begins it. A call
    must not start further calls: they could wait for it.
    """
    return _pool().submit(copy_context().run, _outcome, call)


def wait(
    future: "Future[Result | GatewayError]", until: float | None = None
) -> Result | GatewayError:
    """The result of a call that was begun, or its error; `Slow` if there is none by `until`
    (monotonic seconds). The call goes on then.
    """
    try:
        return future.result(None if until is None else max(0.0, until - monotonic()))
    except TimeoutError:
        return Slow(reason="no answer yet")


def run(calls: Sequence[Callable[[], Result]]) -> list[Result | GatewayError]:
    """The results of all calls in their order, with the error in place of the result of a call
    that failed. Waits for the slowest call; each one ends at the timeout of its gateway.
    """
    return [future.result() for future in [start(call) for call in calls]]


def stream(calls: Iterable[Callable[[], Result]], at_once: int) -> Iterator[Result | GatewayError]:
    """As `run`, one result after the other, with at most `at_once` calls under way. A result is
    yielded before the next call begins, so that a consumer that stops sends no further call.
    """
    remaining = iter(calls)
    waiting = deque(start(call) for call in islice(remaining, at_once))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(start(call) for call in islice(remaining, 1))


def _outcome(call: Callable[[], Result]) -> Result | GatewayError:
    try:
        return call()
    except GatewayError as error:
        return error


@cache
def _pool() -> ThreadPoolExecutor:
    """Created on first use, so that every worker has its own threads after the fork."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="side-by-side")
