"""How one person writes numbers and dates, and the error of a text that cannot be read."""

from dataclasses import dataclass

from dashboard.accounts.models import DayStyle, NumberStyle, WeekStart

POINT, COMMA = NumberStyle.POINT, NumberStyle.COMMA
DAY_FIRST, MONTH_FIRST = DayStyle.DAY_FIRST, DayStyle.MONTH_FIRST
_WEEKDAYS = {WeekStart.MONDAY: 0, WeekStart.SATURDAY: 5, WeekStart.SUNDAY: 6}


class NotReadable(ValueError):  # noqa: N818 (its message is shown on the page)
    """The text is no number or date, or has two meanings; the message says what to type instead."""


@dataclass(frozen=True)
class Style:
    """A person's decimal mark, date order and first day of the week: `number` is POINT or COMMA,
    `day` is DAY_FIRST or MONTH_FIRST, `week` a WeekStart.
    """

    number: str = POINT
    day: str = DAY_FIRST
    week: str = WeekStart.MONDAY

    @property
    def first_weekday(self) -> int:
        """The first day of the week as date.weekday counts, Monday being 0."""
        return _WEEKDAYS[WeekStart(self.week)]

    @property
    def mark(self) -> str:
        """The decimal mark."""
        return "," if self.number == COMMA else "."

    @property
    def group(self) -> str:
        """The thousands separator."""
        return "." if self.number == COMMA else ","


PLAIN = Style()
