"""Writes a calendar as iCalendar (RFC 5545)."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

LONGEST = 75  # octets of a line, without its end (section 3.1)
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # what a text cannot have (section 3.1)
LINE_END = re.compile(r"\r\n?|\n")


class Event(NamedTuple):
    """Something at a time (aware). uid: of this event alone, and always the same. ends: None, or
    not after the beginning, for a moment.
    """

    uid: str
    summary: str
    starts: datetime
    ends: datetime | None = None
    url: str = ""


def calendar(events: Iterable[Event], *, name: str, made_at: datetime) -> str:
    """A calendar of this name. made_at: when the events were put into this form, as far as the
    reader is concerned (DTSTAMP).
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Entry Desk//Tasks//EN",
        "CALSCALE:GREGORIAN",
        f"X-WR-CALNAME:{escaped(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
    ]
    for event in events:
        lines += _lines_of(event, made_at)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded(line)}\r\n" for line in lines)


def escaped(text: str) -> str:
    """A text as the value of a property (section 3.3.11), without control characters."""
    text = LINE_END.sub("\n", text)
    for character in "\\;,":
        text = text.replace(character, f"\\{character}")
    return CONTROLS.sub("", text).replace("\n", "\\n")


def folded(line: str) -> str:
    """The line in parts of at most 75 octets, none of which ends inside of a character."""
    return "\r\n ".join(_parts(line))


def _parts(line: str) -> Iterator[str]:
    part, size = "", 0
    for character in line:
        width = len(character.encode())
        if size + width > LONGEST:
            yield part
            part, size = "", 1  # the space that begins the next line
        part, size = part + character, size + width
    yield part


def _lines_of(event: Event, made_at: datetime) -> list[str]:
    lines = [
        "BEGIN:VEVENT",
        f"UID:{escaped(event.uid)}",
        f"DTSTAMP:{_moment(made_at)}",
        f"DTSTART:{_moment(event.starts)}",
        f"SUMMARY:{escaped(event.summary)}",
        "TRANSP:TRANSPARENT",  # a task makes nobody busy
    ]
    if event.ends and event.ends > event.starts:
        lines.append(f"DTEND:{_moment(event.ends)}")
    if event.url:
        lines.append(f"URL:{CONTROLS.sub('', event.url)}")
    return [*lines, "END:VEVENT"]


def _moment(value: datetime) -> str:
    utc = value.astimezone(UTC)
    return f"{utc.year:04}{utc:%m%dT%H%M%SZ}"
