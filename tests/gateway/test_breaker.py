"""The circuit breaker opens after failures in a row and admits one probe per cool-down."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.gateway.client import COOL_DOWN, THRESHOLD, Breaker

from .conftest import KEYS


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("dashboard.gateway.client.monotonic", clock)
    return clock


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.record_result(KEYS, connected=True, failed=True)


def succeed(breaker: Breaker) -> None:
    breaker.record_result(KEYS, connected=True, failed=False)


@pytest.fixture
def opened(clock: Clock) -> Breaker:
    breaker = Breaker()
    for _ in range(THRESHOLD):
        assert breaker.allow_request(KEYS)
        fail(breaker)
    return breaker


@pytest.fixture
def cooled(clock: Clock, opened: Breaker) -> Breaker:
    """A breaker that has opened, and whose cool-down is over."""
    clock.now += COOL_DOWN
    return opened


def test_it_opens_after_five_failures_in_a_row(opened: Breaker) -> None:
    assert THRESHOLD == 5
    assert not opened.allow_request(KEYS)


def test_a_success_in_between_starts_the_count_again(clock: Clock) -> None:
    breaker = Breaker()
    for _ in range(3):
        fail(breaker, THRESHOLD - 1)
        succeed(breaker)
    assert breaker.allow_request(KEYS)


def test_after_the_cool_down_one_call_probes_and_the_others_wait(cooled: Breaker) -> None:
    assert [cooled.allow_request(KEYS) for _ in range(3)] == [True, False, False]


def test_a_successful_probe_closes_it(cooled: Breaker) -> None:
    cooled.allow_request(KEYS)
    succeed(cooled)
    assert all(cooled.allow_request(KEYS) for _ in range(3))


def test_a_probe_that_fails_keeps_it_open_for_another_cool_down(
    clock: Clock, cooled: Breaker
) -> None:
    cooled.allow_request(KEYS)
    clock.now += 3
    fail(cooled)
    clock.now += COOL_DOWN - 1
    assert not cooled.allow_request(KEYS)
    clock.now += 1
    assert cooled.allow_request(KEYS)


def test_another_probe_follows_one_that_never_reports(clock: Clock, cooled: Breaker) -> None:
    assert cooled.allow_request(KEYS)
    clock.now += COOL_DOWN
    assert cooled.allow_request(KEYS)


def test_of_many_threads_one_probes(cooled: Breaker) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda _: cooled.allow_request(KEYS), range(200))) == 1
