"""Parses and formats dates with a time: tom 15:00, 15/3 9:30, fri 3 pm, 2026-03-15T09:30:00.

No time zone is parsed or written: the service stores these as sent (reference, section 2).
"""

import re
from datetime import date, datetime, time

from django.utils import timezone

from dashboard.records.parsing.dates import format_date, format_datetime, read_date, spoken_date
from dashboard.records.parsing.style import PLAIN, Style

TIME = re.compile(
    r"(?:at )?(?P<hour>[0-9]{1,2})(?:[:h](?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)?"
    r" ?(?P<half>am|pm)?",
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


def read_datetime(text: str, today: date, style: Style = PLAIN, *, at: time = MORNING) -> datetime:
    """The datetime typed, without a time zone. A date alone gets the time `at`; a time alone
    is today. Raises NotReadable.
    """
    words = " ".join(re.sub(r"(?<=[0-9])T(?=[0-9])", " ", text).replace(",", " ").split())
    # The time is the last word, or the last two: "3 pm".
    for count in (2, 1):
        pieces = words.rsplit(" ", count)
        end = " ".join(pieces[-count:])
        moment = read_time(end)
        if moment is not None:
            day = words[: len(words) - len(end)].strip().removesuffix(" at").strip()
            return datetime.combine(read_date(day, today, style) if day else today, moment)
    return datetime.combine(read_date(words, today, style), at)


def write_datetime(value: datetime) -> str:
    """14 Mar 2026, 15:00, with seconds if there are any; `read_datetime` parses it."""
    return f"{format_date(value)}, {value:%H:%M:%S}" if value.second else format_datetime(value)


def datetime_echo(text: str, style: Style) -> tuple[str, str, str]:
    """(Fri 14 Mar 2026, 15:00; 2026-03-14; 15:00) for the text typed; raises NotReadable."""
    meant = read_datetime(text, timezone.localdate(), style)
    return f"{spoken_date(meant.date())}, {meant:%H:%M}", meant.date().isoformat(), f"{meant:%H:%M}"
