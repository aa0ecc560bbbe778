"""The circuit breaker opens after failures in a row and admits one probe per cool-down."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.gateway.client import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(threshold=5, cool_down=10.0, clock=clock)
    for _ in range(5):
        assert breaker.allow_request()
        breaker.failed()
    return breaker


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cooled(clock: Clock) -> Breaker:
    """A breaker that has opened, and whose cool-down is over."""
    breaker = opened(clock)
    clock.now += 10
    return breaker


def test_it_opens_after_five_failures_in_a_row() -> None:
    breaker = opened(Clock())
    assert not breaker.allow_request()


def test_a_success_in_between_starts_the_count_again() -> None:
    breaker = Breaker(clock=Clock())
    for _ in range(3):
        for _ in range(4):
            breaker.failed()
        breaker.succeeded()
    assert breaker.allow_request()


def test_after_the_cool_down_one_call_probes_and_the_others_wait(cooled: Breaker) -> None:
    assert [cooled.allow_request() for _ in range(3)] == [True, False, False]


def test_a_successful_probe_closes_it(cooled: Breaker) -> None:
    cooled.allow_request()
    cooled.succeeded()
    assert all(cooled.allow_request() for _ in range(3))


def test_a_probe_that_fails_keeps_it_open_for_another_cool_down(
    clock: Clock, cooled: Breaker
) -> None:
    cooled.allow_request()
    clock.now += 3
    cooled.failed()
    clock.now += 9
    assert not cooled.allow_request()
    clock.now += 1
    assert cooled.allow_request()


def test_another_probe_follows_one_that_never_reports(clock: Clock, cooled: Breaker) -> None:
    assert cooled.allow_request()
    clock.now += 10
    assert cooled.allow_request()


def test_of_many_threads_one_probes(cooled: Breaker) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda _: cooled.allow_request(), range(200))) == 1
