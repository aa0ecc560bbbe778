"""Parses a task from one line of text: "call Acme tomorrow 15:00 !high".

The result fills the form of a new task; nothing is saved here.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from dashboard.records.parsing.dates import DAYS, MONTHS, read_date
from dashboard.records.parsing.datetimes import MORNING, read_time
from dashboard.records.parsing.style import PLAIN, NotReadable, Style

PRIORITIES = ("none", "low", "medium", "high", "urgent")
LINKING = {"on", "at", "by", "next", "this"}
MONTH_NAMES = {*MONTHS, *(name[:3] for name in MONTHS), "sept"} - {"may"}  # "may" is a word, too


@dataclass(frozen=True)
class QuickTask:
    """The parts of a line.

    title: may be "". priority: None without one. with_whom: the words after an @, "" without one.
    given: which of "day" and "time" the line contains.
    """

    title: str
    start: datetime
    priority: int | None = None
    with_whom: str = ""
    given: frozenset[str] = frozenset()


def read_line(text: str, now: datetime, style: Style = PLAIN) -> QuickTask:
    """Parse a line. What is no day, time, priority or @name belongs to the title.

    The day defaults to today; the time to the next full hour of today, and to 09:00 of other days.
    """
    words = text.split()
    words, priority = _priority(words)
    words, with_whom = _with_whom(words)
    words, moment = _time(words)
    words, day = _day(words, now.date(), style)
    start = _start(day, moment, now)
    found = {"day": day, "time": moment}
    given = frozenset(name for name, value in found.items() if value is not None)
    return QuickTask(" ".join(words), start, priority, with_whom, given)


def _priority(words: list[str]) -> tuple[list[str], int | None]:
    """!high, !h or !3; the last one counts, and each of them leaves the title."""
    found: int | None = None
    rest = []
    for word in words:
        number = _priority_of(word)
        if number is None:
            rest.append(word)
        else:
            found = number
    return rest, found


def _priority_of(word: str) -> int | None:
    if not word.startswith("!") or len(word) < 2:
        return None
    name = word[1:].lower()
    if name in ("0", "1", "2", "3", "4"):
        return int(name)
    return next((i for i, known in enumerate(PRIORITIES) if known.startswith(name)), None)


def _with_whom(words: list[str]) -> tuple[list[str], str]:
    """@Acme, or @"Acme Trading" for a name of several words; the title keeps the name."""
    text = " ".join(words)
    found = re.search(r'(?:^|(?<= ))@(?:"([^"]+)"|(\S+))', text)
    if not found:
        return words, ""
    name = (found[1] or found[2]).strip()
    return f"{text[: found.start()]} {name} {text[found.end() :]}".split(), name


def _time(words: list[str]) -> tuple[list[str], time | None]:
    """The last time in the line: 15:00, 3pm, 3 pm."""
    for start in range(len(words) - 1, -1, -1):
        for length in (2, 1):
            piece = words[start : start + length]
            moment = read_time(" ".join(piece)) if len(piece) == length else None
            if moment is not None:
                return _without(words, start, length), moment
    return words, None


def _day(words: list[str], today: date, style: Style) -> tuple[list[str], date | None]:
    """The last day in the line."""
    for start in range(len(words) - 1, -1, -1):
        for length in (3, 2, 1):
            piece = words[start : start + length]
            day = _day_of(piece, today, style) if len(piece) == length else None
            if day is not None:
                return _without(words, start, length), day
    return words, None


def _day_of(piece: list[str], today: date, style: Style) -> date | None:
    text = " ".join(piece).lower().rstrip(",")
    if match := re.fullmatch(r"in ([0-9]{1,3}) (day|week)s?", text):
        return today + timedelta(days=int(match[1]) * (7 if match[2] == "week" else 1))
    if not _looks_like_day(text):
        return None
    try:
        return read_date(text, today, style)
    except NotReadable:
        return None


def _looks_like_day(text: str) -> bool:
    """Stricter than a date field: in a title, "15" is a number and "t" a letter."""
    if text in ("today", "tomorrow", "tom", *DAYS, *(name[:3] for name in DAYS)):
        return True
    if re.fullmatch(r"\+[0-9]{1,3}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", text):
        return True
    if re.fullmatch(r"[0-9]{1,2}([/.])[0-9]{1,2}(\1([0-9]{2}|[0-9]{4}))?", text):
        return text.count(".") != 1  # 2.5 is a number
    words = text.replace(".", "").split()
    return len(words) > 1 and any(word in MONTH_NAMES for word in words)


def _without(words: list[str], start: int, length: int) -> list[str]:
    """The words without some of them and the "on" or "at" before those."""
    before = words[:start]
    if before and before[-1].lower() in LINKING:
        before = before[:-1]
    return before + words[start + length :]


def _start(day: date | None, moment: time | None, now: datetime) -> datetime:
    if moment is not None or (day and day != now.date()):
        return datetime.combine(day or now.date(), moment or MORNING)
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
