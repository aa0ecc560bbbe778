"""Grammar of one-line entries: "Jane Doe jane@acme.example 030 123456" starts a lead.

Every word of a line is in exactly one part. Text without a rule is the name or title, and the rest
of it a part without a name.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from dashboard.schema.phones import (
    MIN_DIGITS_BETWEEN_SLASHES,
    NotAPhone,
    count_digits,
    read_phone,
)
from dashboard.text.dates import (
    DAYS,
    MONTHS,
    MORNING,
    date_parts,
    long_date,
    read_date,
    read_time,
)
from dashboard.text.plain import folded
from dashboard.text.style import PLAIN, NotReadable, Style

LINKING = frozenset({"on", "at", "by", "next", "this", "due", "until", "closes"})
WORD = re.compile(r'@?"[^"]*"|\S+')
UNLABELLED = ""
PRIORITIES = ("none", "low", "medium", "high", "urgent")
MONTH_NAMES = {*MONTHS, *(name[:3] for name in MONTHS), "sept"} - {"may"}  # "may" is a word, too
EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")
# The end of a business's name that no person's has.
LEGAL_FORM = re.compile(
    r"(?<!\w)(?:g?GmbH|AG|KG|OHG|GbR|UG|e\.K\.|e\.V\.|Ltd|Limited|LLC|LLP|PLC|Inc|Corp|Corporation|Pty|"
    r"S\.?A\.?|SAS|SARL|S\.?p\.?A\.?|S\.?r\.?l\.?|S\.?L\.?|B\.?V\.?|N\.?V\.?|Oy|AB|A/S|ApS|AS|s\.r\.o\.|"
    r"Sp\. z o\.o\.|Lda|Ltda|Kft)\.?(?!\w)"
)
_NEXT_NUMBER = re.compile(r"(?<=[0-9]{2})/(?=\+|0[0-9]{2})")  # 67/0171
_MONTH = re.compile(r"[^\W\d_]{3}")
SHORTEST = 4  # letters of a word that names a business


@dataclass(frozen=True)
class EntryPart:
    """Words of the line and their value. `name`: UNLABELLED if no rule matches. `caption`: the
    value for display.
    """

    name: str
    typed: str
    value: Any
    caption: str


class Words:
    """The words of a line. Rules take spans of them as parts; runs of other words remain."""

    def __init__(self, text: str) -> None:
        self.words = WORD.findall(text)
        self.taken = [False] * len(self.words)
        self._found: list[tuple[int, EntryPart]] = []

    @property
    def parts(self) -> list[EntryPart]:
        return [part for _, part in sorted(self._found, key=lambda found: found[0])]

    def take(
        self,
        name: str,
        read: Callable[[str], Any],
        *,
        longest: int = 1,
        linked: bool = False,
        first: bool = False,
        say: Callable[[Any], str] = str,
    ) -> None:
        """Take the last span of at most `longest` words for which `read` returns a value. `first`:
        the first such span. `linked`: with a preceding "on" or "by".
        """
        starts = range(len(self.words))
        for start in starts if first else reversed(starts):
            for end in range(min(start + longest, len(self.words)), start, -1):
                value = None if any(self.taken[start:end]) else read(self._text(start, end))
                if value is not None:
                    is_linked = linked and start and self.words[start - 1].lower() in LINKING
                    self._add(name, start - bool(is_linked), end, value, say(value))
                    return

    def take_rest(self, name: str) -> None:
        """Take all remaining words as the name."""
        if runs := self._runs():
            text = " ".join(self._text(*run) for run in runs)
            self._found.append((runs[0][0], EntryPart(name, text, text, text)))

    def take_runs(self, name: str, other: str, is_other: Callable[[str], Any]) -> None:
        """Take the first capitalised run of words as the name, else the first run. Another run for
        which `is_other` is true is the part `other`, unless that exists; the rest become
        UNLABELLED.
        """
        runs = self._runs()
        best = next((run for run in runs if self._is_capital(run)), next(iter(runs), None))
        for run in runs:
            text, kind = self._text(*run), UNLABELLED
            if run == best:
                kind = name
            elif is_other(text) and all(part.name != other for _, part in self._found):
                kind = other
            self._found.append((run[0], EntryPart(kind, text, text, text)))

    def take_contact(self, read: Callable[[str], str | None], *, longest: int = 1) -> bool:
        """Add the first span of at most `longest` words for which `read` returns a contact, but
        leave its words for other rules. Return True if there is one. A single word is replaced by
        the value.
        """
        for start in range(len(self.words)):
            for end in range(min(start + longest, len(self.words)), start, -1):
                value = read(self._text(start, end) if longest > 1 else self.words[start])
                if value is None:
                    continue
                if longest == 1:
                    self.words[start] = value
                self._found.append((start, EntryPart("contact", "", value, value)))
                return True
        return False

    def add(self, name: str, value: Any, caption: str) -> None:
        """Add a part without words of its own."""
        self._found.append((len(self.words), EntryPart(name, "", value, caption)))

    def _add(self, name: str, start: int, end: int, value: Any, words: str) -> None:
        self.taken[start:end] = [True] * (end - start)
        part = EntryPart(name, " ".join(self.words[start:end]), value, words)
        self._found.append((start, part))

    def _runs(self) -> list[tuple[int, int]]:
        """Return the spans of remaining words, which also end at a comma."""
        runs, start = [], None
        for place, is_taken in enumerate([*self.taken, True]):
            if is_taken and start is not None:
                runs.append((start, place))
                start = None
            elif not is_taken:
                start = place if start is None else start
                if self.words[place].endswith(","):
                    runs.append((start, place + 1))
                    start = None
        return runs

    def _is_capital(self, run: tuple[int, int]) -> bool:
        return any(
            word[:1] != word[:1].lower() or not word.isascii() for word in self.words[slice(*run)]
        )

    def _text(self, start: int, end: int) -> str:
        return " ".join(self.words[start:end]).strip(" ,;")


@dataclass(frozen=True)
class EntryContext:
    """Context for parsing. `sources`: known lead sources. `contacts`: names of recent contacts."""

    now: datetime
    style: Style = PLAIN
    sources: Iterable[str] = ()
    contacts: Iterable[str] = ()


def read_entry(kind: str, text: str, asked: EntryContext) -> list[EntryPart]:
    """Parse the line of a new record of this kind, such as "lead"."""
    words = Words(text if kind == "task" else _NEXT_NUMBER.sub(" / ", text))
    RULES[kind](words, asked)
    return words.parts


def value_of(parts: Iterable[EntryPart], name: str) -> Any:
    return next((part.value for part in parts if part.name == name), None)


def loose_text(parts: Iterable[EntryPart]) -> str:
    """Return the text without a rule, one part per line."""
    return "\n".join(part.value for part in parts if part.name == UNLABELLED)


def start_of(parts: list[EntryPart], now: datetime) -> datetime:
    """Return the start of a task: today by default; at the next full hour today, at 09:00 on other
    days.
    """
    day, moment = value_of(parts, "day"), value_of(parts, "time")
    if moment is not None or (day and day != now.date()):
        return datetime.combine(day or now.date(), moment or MORNING)
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def _person(words: Words, asked: EntryContext) -> None:
    words.take("email", lambda text: text if EMAIL.fullmatch(text) else None)
    words.take("phone", _phone, longest=6, first=True)
    words.take("business", _at_name)
    words.take_runs("name", "business", LEGAL_FORM.search)


def _contact(words: Words, asked: EntryContext) -> None:
    _person(words, asked)
    name = value_of(words.parts, "name")
    if name and LEGAL_FORM.search(name):
        words.add("type", "Business", "Business")


def _lead(words: Words, asked: EntryContext) -> None:
    sources = {folded(source): source for source in asked.sources}
    longest = max((len(source.split()) for source in sources), default=1)
    words.take("source", lambda text: sources.get(folded(text.strip('"'))), longest=longest)
    if not any(part.name == "source" for part in words.parts):
        words.take("source", lambda text: _quoted(text) or None)
    _person(words, asked)


def _task(words: Words, asked: EntryContext) -> None:
    if not words.take_contact(_at_name):
        words.take_contact(_known(asked.contacts), longest=4)
    words.take("priority", _priority, say=lambda number: PRIORITIES[number].capitalize())
    words.take("time", read_time, longest=2, linked=True, say=lambda moment: f"{moment:%H:%M}")
    words.take(
        "day",
        lambda text: _day(text, asked.now.date(), asked.style),
        longest=3,
        linked=True,
        say=long_date,
    )
    words.take_rest("title")


RULES: dict[str, Callable[[Words, EntryContext], None]] = {
    "contact": _contact,
    "lead": _lead,
    "task": _task,
}


def _phone(text: str) -> str | None:
    text = text.strip("/ ")
    first, slash, _ = text.partition("/")
    if count_digits(text) < 6 or (slash and count_digits(first) >= MIN_DIGITS_BETWEEN_SLASHES):
        return None
    try:
        return read_phone(text).sent
    except NotAPhone:
        return None


def _priority(word: str) -> int | None:
    """Parse !high, !h or !3."""
    name = word[1:].lower()
    if not word.startswith("!") or not name:
        return None
    if name in ("0", "1", "2", "3", "4"):
        return int(name)
    return next((i for i, known in enumerate(PRIORITIES) if known.startswith(name)), None)


def _at_name(word: str) -> str | None:
    """Parse @Acme, or @"Acme Trading" for a name with several words."""
    return (word[1:].strip('"').strip() or None) if word.startswith("@") else None


def _known(names: Iterable[str]) -> Callable[[str], str | None]:
    known = {folded(name): name for name in names}

    def find(text: str) -> str | None:
        typed = folded(text)
        found = (
            [typed] if typed in known else [each for each in known if each.startswith(f"{typed} ")]
        )
        return known[found[0]] if len(found) == 1 and len(typed) >= SHORTEST else None

    return find


def _quoted(word: str) -> str:
    return word.strip('"').strip() if word.startswith('"') and word.endswith('"') else ""


def _day(text: str, today: date, style: Style) -> date | None:
    text = text.lower()
    if not _looks_like_day(text) and not _is_full_date(text, style):
        return None
    try:
        return read_date(text, today, style, looks_ahead=True)
    except NotReadable:
        return None


def _is_full_date(text: str, style: Style) -> bool:
    return bool(_MONTH.search(text)) and date_parts(text, style.order) is not None


def _looks_like_day(text: str) -> bool:
    """Return whether a text names a day. Stricter than a date field: in a title, "15" is a number
    and "t" a letter.
    """
    if text in ("today", "tomorrow", "tom", *DAYS, *(name[:3] for name in DAYS)):
        return True
    if re.fullmatch(r"in [0-9]{1,3} (day|week)s?|\+[0-9]{1,3}|[0-9]{4}(-[0-9]{1,2}){2}", text):
        return True
    if re.fullmatch(r"[0-9]{1,2}([/.])[0-9]{1,2}(\1([0-9]{2}|[0-9]{4}))?", text):
        return text.count(".") != 1  # 2.5 is a number
    words = text.replace(".", "").split()
    return len(words) > 1 and any(word in MONTH_NAMES for word in words)
