"""Idle clients are kept per key pair and closed once they are too old."""

import pytest

from dashboard.gateway import Keys
from dashboard.gateway.idle_clients import IDLE_SECONDS, IdleClients

NORTH, SOUTH = (Keys(access=name, secret="s") for name in ("north", "south"))


class Client:
    closed = False

    def close(self) -> None:
        self.closed = True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def idle(clock: Clock) -> IdleClients[Client]:
    return IdleClients(clock)


def test_a_client_goes_to_its_key_pair_only_and_to_one_taker(idle: IdleClients[Client]) -> None:
    client = Client()
    idle.put(NORTH, client)
    assert idle.take(SOUTH) is None
    assert idle.take(Keys(access="north", secret="other")) is None
    assert idle.take(Keys(access="north", secret="s")) is client
    assert idle.take(NORTH) is None


def test_the_client_that_was_used_last_is_taken_first(idle: IdleClients[Client]) -> None:
    first, second = Client(), Client()
    idle.put(NORTH, first)
    idle.put(NORTH, second)
    assert (idle.take(NORTH), idle.take(NORTH)) == (second, first)


def test_a_client_that_was_idle_for_too_long_is_not_taken(
    idle: IdleClients[Client], clock: Clock
) -> None:
    idle.put(NORTH, Client())
    clock.now += IDLE_SECONDS + 0.1
    assert idle.take(NORTH) is None


def test_old_clients_of_every_key_pair_are_closed_when_another_is_put_back(
    idle: IdleClients[Client], clock: Clock
) -> None:
    old, older, young, last = Client(), Client(), Client(), Client()
    idle.put(NORTH, old)
    idle.put(SOUTH, older)
    clock.now += IDLE_SECONDS - 1
    idle.put(SOUTH, young)
    clock.now += 1.5
    idle.put(NORTH, last)
    assert [each.closed for each in (old, older, young, last)] == [True, True, False, False]
    assert (idle.take(NORTH), idle.take(NORTH)) == (last, None)
    assert (idle.take(SOUTH), idle.take(SOUTH)) == (young, None)


def test_close_closes_idle_clients_and_those_put_back_later(idle: IdleClients[Client]) -> None:
    kept, used = Client(), Client()
    idle.put(NORTH, kept)
    idle.close()
    assert kept.closed
    idle.put(SOUTH, used)
    assert used.closed
    assert idle.take(SOUTH) is None
