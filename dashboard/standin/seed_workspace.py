"""A workspace while it is filled with sample records: random choices, calendar, ids."""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from .reference_data import reference_data, words_of

T = TypeVar("T")
YEAR = 365


class SeedWorkspace:
    """One workspace while it is filled. The same seed and day give the same choices.

    `days` are ISO dates: day 0 is a year ago, day 365 is today, and a year follows.
    `ids` are the ids of the records made so far, by resource.
    """

    def __init__(self, workspace: str, seed: int, today: date) -> None:
        self.name = workspace
        self.words = words_of(workspace)
        self.random = random.Random(f"{seed} {workspace}").random  # noqa: S311 (not secret)
        self.reference: dict[str, list[dict[str, Any]]] = reference_data(workspace)
        self.ids: dict[str, range] = {}
        start = today - timedelta(days=YEAR)
        self.days = [(start + timedelta(days=n)).isoformat() for n in range(2 * YEAR)]

    def pick(self, choices: Sequence[T]) -> T:
        """One of `choices`, with equal probability."""
        return choices[int(self.random() * len(choices))]

    def reference_id(self, kind: str) -> int:
        """Return the id of an entry of a list of the reference data."""
        number: int = self.pick(self.reference[kind])["id"]
        return number

    def country_id(self) -> int:
        """Return the id of a country that the firm has customers in."""
        names = {row["name"]: row["id"] for row in self.reference["countries"]}
        number: int = names[self.pick(self.words.countries)]
        return number

    def address(self) -> str:
        """Return a street and, where the words have them apart, a town."""
        return ", ".join([self.pick(part) for part in self.words.addresses])

    def business(self) -> int:
        """Return the id of a contact that is a business; every third contact is one."""
        contacts = self.ids["contacts"]
        return contacts[int(self.random() * len(contacts) / 3) * 3]

    def tags(self) -> list[int]:
        """Return the ids of no tag for 70 % of the records, of one or two for the others."""
        if self.random() < 0.7:
            return []
        return sorted({self.reference_id("contact-tags"), self.reference_id("contact-tags")})

    def working_time(self, day: int) -> str:
        """Return a time in the working hours of a day, on the quarter hour, in ISO 8601."""
        quarter = int(self.random() * 40)
        return f"{self.days[day]}T{8 + quarter // 4:02d}:{quarter % 4 * 15:02d}:00"


def created_day(index: int, count: int) -> int:
    """Return the day of the `index`-th of `count` records: evenly over the year, in the order of
    ids.
    """
    return index * YEAR // count
