"""Bounds how many files a process checks at the same time: one of a person, and two in all."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

AT_ONCE = 2
LONGEST_WAIT = 10.0  # seconds

_changed = Condition()
_checking = set[int]()


class TooBusy(Exception):  # noqa: N818 (what it is, without Error)
    """Other files were being checked all the time that a request may wait."""


@contextmanager
def check_turn(person: int) -> Iterator[None]:
    """Wait until this person may check a file. Raises TooBusy."""
    with _changed:
        if not _changed.wait_for(lambda: _may_begin(person), LONGEST_WAIT):
            raise TooBusy
        _checking.add(person)
    try:
        yield
    finally:
        with _changed:
            _checking.discard(person)
            _changed.notify_all()


def _may_begin(person: int) -> bool:
    return person not in _checking and len(_checking) < AT_ONCE
