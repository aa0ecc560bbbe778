"""The circuit breaker opens after failures in a row and admits one probe per cool-down."""

from concurrent.futures import ThreadPoolExecutor

from dashboard.gateway.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(threshold=5, cool_down=10.0, clock=clock)
    for _ in range(5):
        assert breaker.admits()
        breaker.failed()
    return breaker


def test_it_opens_after_five_failures_in_a_row() -> None:
    breaker = opened(Clock())
    assert not breaker.admits()


def test_a_success_in_between_starts_the_count_again() -> None:
    breaker = Breaker(clock=Clock())
    for _ in range(3):
        for _ in range(4):
            breaker.failed()
        breaker.succeeded()
    assert breaker.admits()


def test_after_the_cool_down_one_call_probes_and_the_others_wait() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10
    assert [breaker.admits() for _ in range(3)] == [True, False, False]


def test_a_successful_probe_closes_it() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10
    breaker.admits()
    breaker.succeeded()
    assert all(breaker.admits() for _ in range(3))


def test_a_probe_that_fails_keeps_it_open_for_another_cool_down() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10
    breaker.admits()
    clock.now += 3
    breaker.failed()
    clock.now += 9
    assert not breaker.admits()
    clock.now += 1
    assert breaker.admits()


def test_another_probe_follows_one_that_never_reports() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10
    assert breaker.admits()
    clock.now += 10
    assert breaker.admits()


def test_of_many_threads_one_probes() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now += 10
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda _: breaker.admits(), range(200))) == 1
