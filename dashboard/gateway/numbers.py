"""Reads numbers from outside, from people and from the service, within bounds.

int() raises ValueError for more than 4,300 digits, and a Decimal such as 1e999999999 fills the
memory as soon as it is printed or made an int.
"""

import re
from decimal import Decimal, InvalidOperation

LARGEST = 10**18 - 1  # the largest id; fits a 64-bit integer
MOST_PLACES = 400  # of a printed number; any IEEE 754 double has fewer before the point
_LONGEST_TEXT = 500


def whole_number(text: object, *, least: int = 1, largest: int = LARGEST) -> int | None:
    """The number from `least` to `largest` that a text of ASCII digits states, ignoring white space
    around it. None for anything else.
    """
    match = re.fullmatch(r"\s*([0-9]{1,18})\s*", str(text))
    number = int(match[1]) if match else -1
    return number if least <= number <= largest else None


def decimal_of(text: str) -> Decimal | None:
    """The number that a text in Python's notation states; None for any other text, NaN, infinity
    and a number that takes more than MOST_PLACES places to print.
    """
    try:
        number = Decimal(text) if len(text) <= _LONGEST_TEXT else None
    except InvalidOperation:
        return None
    return number if number is not None and is_printable(number) else None


def is_printable(number: Decimal) -> bool:
    """Whether a Decimal of few digits also takes few places to print without an exponent."""
    return number.is_finite() and -MOST_PLACES <= number.adjusted() <= MOST_PLACES
