"""How one person writes numbers and dates, and the error of a text that cannot be read."""

from dataclasses import dataclass

from dashboard.accounts.models import DayStyle, NumberStyle

POINT, COMMA = NumberStyle.POINT, NumberStyle.COMMA
DAY_FIRST, MONTH_FIRST = DayStyle.DAY_FIRST, DayStyle.MONTH_FIRST


class NotReadable(ValueError):  # noqa: N818 (its message is shown on the page)
    """The text is no number or date, or has two meanings; the message says what to type instead."""


@dataclass(frozen=True)
class Style:
    """A person's decimal mark and date order: `number` is POINT or COMMA, `day` is DAY_FIRST or
    MONTH_FIRST.
    """

    number: str = POINT
    day: str = DAY_FIRST

    @property
    def mark(self) -> str:
        """The decimal mark."""
        return "," if self.number == COMMA else "."

    @property
    def group(self) -> str:
        """The thousands separator."""
        return "." if self.number == COMMA else ","


PLAIN = Style()
