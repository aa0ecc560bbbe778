"""How one person writes numbers and dates, and the error for a text that cannot be parsed."""

from dataclasses import dataclass

POINT, COMMA = ".", ","
MARKS = {POINT: "1,234.56", COMMA: "1.234,56"}
DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "dmy", "mdy", "ymd"


class NotReadable(ValueError):  # noqa: N818 (its message is shown on the page)
    """A text is not a number, date or name, or has two meanings; the message says what to do."""


@dataclass(frozen=True)
class Style:
    """A person's decimal mark (POINT or COMMA), order of dates (DAY_FIRST or MONTH_FIRST) and first
    day of the week as in date.weekday (Monday is 0).
    """

    mark: str = POINT
    order: str = DAY_FIRST
    first_weekday: int = 0

    @property
    def group(self) -> str:
        return group_of(self.mark)


def group_of(mark: str) -> str:
    """Return the thousands separator that goes with a decimal mark."""
    return COMMA if mark == POINT else POINT


PLAIN = Style()
