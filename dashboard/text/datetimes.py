"""Parses and formats dates with a time: tom 15:00, 15/3 9:30, fri 3 pm, 2026-03-15T09:30:00.

No time zone is parsed or written: the service stores these as sent (reference, section 2).
"""

import re
from datetime import date, datetime, time

from .dates import format_date, format_datetime, read_date, spoken_date
from .style import PLAIN, Style

TIME = re.compile(
    r"(?:at )?(?P<hour>[0-9]{1,2})"
    r"(?:[:h](?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?)? ?(?P<half>am|pm)?",
    re.IGNORECASE,
)
MORNING = time(9)


def read_time(text: str) -> time | None:
    """The time typed: 15:00, 9:30:15, 15h30, 3pm, 3:15 pm. None for anything else, including a bare
    number.
    """
    found = TIME.fullmatch(text.strip())
    if not found or not (found["minute"] or found["half"]):
        return None
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    try:
        return time(hour, int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError:
        return None


def split_time(text: str) -> tuple[str, time | None]:
    """(the words of the day, the time behind them); None without a time."""
    words = " ".join(re.sub(r"(?<=[0-9])[Tt](?=[0-9])", " ", text).replace(",", " ").split())
    for count in (2, 1):  # the time is the last word, or the last two: "3 pm"
        pieces = words.rsplit(" ", count)
        end = " ".join(pieces[-count:])
        moment = read_time(end)
        if moment is not None:
            return words[: len(words) - len(end)].strip().removesuffix(" at").strip(), moment
    return words, None


def read_datetime(text: str, today: date, style: Style = PLAIN, *, at: time = MORNING) -> datetime:
    """The datetime typed, without a time zone. A date alone gets the time `at`; a time alone
    is today. Raises NotReadable.
    """
    day, moment = split_time(text)
    if moment is not None and not day:
        return datetime.combine(today, moment)
    return datetime.combine(read_date(day, today, style), at if moment is None else moment)


def write_datetime(value: datetime) -> str:
    """14 Mar 2026, 15:00, with seconds if there are any; `read_datetime` parses it."""
    return f"{format_date(value)}, {value:%H:%M:%S}" if value.second else format_datetime(value)


def spoken_datetime(value: datetime) -> str:
    """Fri 14 Mar 2026, 15:00."""
    return f"{spoken_date(value.date())}, {value:%H:%M}"
