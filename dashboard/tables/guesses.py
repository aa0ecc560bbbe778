"""A guess about a table, which a person can change."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Guess(Generic[Value]):
    """A value, and whether the table leaves no other one; a person's own choice is certain."""

    value: Value
    certain: bool = True
