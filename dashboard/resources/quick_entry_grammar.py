"""The grammar of entries in one line: "Jane Doe jane@acme.example 030 123456" begins a lead.

Every word of a line is in exactly one part. What no rule understands is the name or the title, and
what is left beside that is a part without a name.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from dashboard.schema.phones import NotAPhone, read_phone
from dashboard.text.dates import DAYS, MONTHS, MORNING, read_date, read_time, spoken_date
from dashboard.text.style import PLAIN, NotReadable, Style

from .quick_entry_tokens import LOOSE, EntryPart, Words

PRIORITIES = ("none", "low", "medium", "high", "urgent")
MONTH_NAMES = {*MONTHS, *(name[:3] for name in MONTHS), "sept"} - {"may"}  # "may" is a word, too
EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")


# The end of a business's name that no person's has.
LEGAL_FORM = re.compile(
    r"(?<!\w)(?:g?GmbH|AG|KG|OHG|GbR|UG|e\.K\.|e\.V\.|Ltd|Limited|LLC|LLP|PLC|Inc|Corp|Corporation|Pty|"
    r"S\.?A\.?|SAS|SARL|S\.?p\.?A\.?|S\.?r\.?l\.?|S\.?L\.?|B\.?V\.?|N\.?V\.?|Oy|AB|A/S|ApS|AS|s\.r\.o\.|"
    r"Sp\. z o\.o\.|Lda|Ltda|Kft)\.?(?!\w)"
)
SHORTEST = 4  # letters of a word that names a business


@dataclass(frozen=True)
class EntryContext:
    """What a line is read with. `sources`: the known sources of leads. `contacts`: the names of
    contacts that the person has opened lately.
    """

    now: datetime
    style: Style = PLAIN
    sources: Iterable[str] = ()
    contacts: Iterable[str] = ()


def read_entry(kind: str, text: str, asked: EntryContext) -> list[EntryPart]:
    """The parts of a line that begins a record of this kind, such as "lead"."""
    words = Words(text)
    RULES[kind](words, asked)
    return words.parts


def value_of(parts: Iterable[EntryPart], name: str) -> Any:
    """The value of the part of this name; None if the line has none."""
    return next((part.value for part in parts if part.name == name), None)


def loose_text(parts: Iterable[EntryPart]) -> str:
    """What no rule understood, one part to a line."""
    return "\n".join(part.value for part in parts if part.name == LOOSE)


def start_of(parts: list[EntryPart], now: datetime) -> datetime:
    """When a task begins: the day defaults to today; the time to the next full hour of today, and
    to 09:00 of other days.
    """
    day, moment = value_of(parts, "day"), value_of(parts, "time")
    if moment is not None or (day and day != now.date()):
        return datetime.combine(day or now.date(), moment or MORNING)
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def _person(words: Words, asked: EntryContext) -> None:
    words.take("email", lambda text: text if EMAIL.fullmatch(text) else None)
    words.take("phone", _phone, longest=6, first=True)
    words.take("business", _at_name)
    words.name_and_rest("name", other="business", is_other=LEGAL_FORM.search)


def _contact(words: Words, asked: EntryContext) -> None:
    _person(words, asked)
    name = value_of(words.parts, "name")
    if name and LEGAL_FORM.search(name):
        words.note("type", "Business", "Business")


def _lead(words: Words, asked: EntryContext) -> None:
    sources = {source.casefold(): source for source in asked.sources}
    longest = max((len(source.split()) for source in sources), default=1)
    words.take("source", lambda text: sources.get(text.strip('"').casefold()), longest=longest)
    if not any(part.name == "source" for part in words.parts):
        words.take("source", lambda text: _quoted(text) or None)
    _person(words, asked)


def _task(words: Words, asked: EntryContext) -> None:
    if not words.mention(_at_name):
        words.mention(_known(asked.contacts), longest=4)
    words.take("priority", _priority, say=lambda number: PRIORITIES[number].capitalize())
    words.take("time", read_time, longest=2, linked=True, say=lambda moment: f"{moment:%H:%M}")
    words.take(
        "day",
        lambda text: _day(text, asked.now.date(), asked.style),
        longest=3,
        linked=True,
        say=spoken_date,
    )
    words.name_and_rest("title", whole=True)


RULES: dict[str, Callable[[Words, EntryContext], None]] = {
    "contact": _contact,
    "lead": _lead,
    "task": _task,
}


def _phone(text: str) -> str | None:
    if sum(sign.isdigit() for sign in text) < 6:
        return None
    try:
        return read_phone(text).sent
    except NotAPhone:
        return None


def _priority(word: str) -> int | None:
    """!high, !h or !3."""
    name = word[1:].lower()
    if not word.startswith("!") or not name:
        return None
    if name in ("0", "1", "2", "3", "4"):
        return int(name)
    return next((i for i, known in enumerate(PRIORITIES) if known.startswith(name)), None)


def _at_name(word: str) -> str | None:
    """@Acme, or @"Acme Trading" for a name of several words."""
    return (word[1:].strip('"').strip() or None) if word.startswith("@") else None


def _known(names: Iterable[str]) -> Callable[[str], str | None]:
    """Finds the one contact that is called so, or whose name begins with these words."""
    known = {name.casefold(): name for name in names}

    def find(text: str) -> str | None:
        typed = text.casefold()
        found = (
            [typed] if typed in known else [each for each in known if each.startswith(f"{typed} ")]
        )
        return known[found[0]] if len(found) == 1 and len(typed) >= SHORTEST else None

    return find


def _quoted(word: str) -> str:
    return word.strip('"').strip() if word.startswith('"') and word.endswith('"') else ""


def _day(text: str, today: date, style: Style) -> date | None:
    text = text.lower()
    if not _looks_like_day(text):
        return None
    try:
        return read_date(text, today, style, looks_ahead=True)
    except NotReadable:
        return None


def _looks_like_day(text: str) -> bool:
    """Stricter than a date field: in a title, "15" is a number and "t" a letter."""
    if text in ("today", "tomorrow", "tom", *DAYS, *(name[:3] for name in DAYS)):
        return True
    if re.fullmatch(r"in [0-9]{1,3} (day|week)s?|\+[0-9]{1,3}|[0-9]{4}(-[0-9]{1,2}){2}", text):
        return True
    if re.fullmatch(r"[0-9]{1,2}([/.])[0-9]{1,2}(\1([0-9]{2}|[0-9]{4}))?", text):
        return text.count(".") != 1  # 2.5 is a number
    words = text.replace(".", "").split()
    return len(words) > 1 and any(word in MONTH_NAMES for word in words)
