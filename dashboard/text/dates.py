"""Parses and formats dates, times and ranges of dates, as a person types them and as the column of
a file writes them. A time has no zone: the service stores it as sent (reference, section 2).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from .plain import cleaned, without_accents
from .style import DAY_FIRST, MONTH_FIRST, PLAIN, YEAR_FIRST, NotReadable, Style

SHORT_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS_OF_LANGUAGES = (  # of tables/headings.toml, without accents
    "january januar janner janvier enero gennaio januari styczen stycznia janeiro",
    "february februar fevrier febrero febbraio februari luty lutego fevereiro",
    "march marz mars marzo maart mrt marzec marca marco",
    "april avril abril aprile kwiecien kwietnia",
    "may mai mayo maggio mei maj maja maio",
    "june juni juin junio giugno czerwiec czerwca junho",
    "july juli juillet julio luglio lipiec lipca julho",
    "august aout agosto augustus sierpien sierpnia",
    "september septembre septiembre setiembre settembre wrzesien wrzesnia setembro",
    "october oktober octobre octubre ottobre pazdziernik pazdziernika outubro",
    "november novembre noviembre listopad listopada novembro",
    "december dezember decembre diciembre dicembre grudzien grudnia dezembro",
)
_WEEKDAYS_OF_LANGUAGES = (
    "monday montag lundi lunes lunedi maandag poniedzialek segunda "
    "tuesday dienstag mardi martes martedi dinsdag wtorek terca "
    "wednesday mittwoch mercredi miercoles mercoledi woensdag sroda quarta "
    "thursday donnerstag jeudi jueves giovedi donderdag czwartek quinta "
    "friday freitag vendredi viernes venerdi vrijdag piatek sexta "
    "saturday samstag sonnabend samedi sabado sabato zaterdag sobota "
    "sunday sonntag dimanche domingo domenica zondag niedziela"
)
WORDS = {"t": 0, "today": 0, "tod": 0, "tom": 1, "tomorrow": 1, "y": -1, "yesterday": -1}
ISO = re.compile(r"(?P<year>[0-9]{4})([-/.])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})")
_COMPACT = re.compile(r"(?P<year>(?:19|20)[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})")
_DAY, _MONTH = "(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|[°oa])?", r"(?P<month>[a-z]{3,12})\.?"
_YEAR = r"(?:[ ,./-]{1,2}(?:de |of )?(?P<year>[0-9]{4}|[0-9]{2}))?(?: ?r\.?)?"
_NAMED = re.compile(rf"{_DAY}[ ./-]{{1,2}}(?:de |of )?{_MONTH}{_YEAR}")
_NAMED_FIRST = re.compile(rf"{_MONTH} {_DAY}{_YEAR}")
_WEEKDAY = re.compile(r"(?P<weekday>[a-z]{2,15})(?:-feira)?[.,]{0,2} (?=.*[0-9])")
_NUMERIC = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})(?:\2(?P<year>[0-9]{4}|[0-9]{2}))?\.?")
_LATER = re.compile(r"in ([0-9]{1,3}) (day|week)s?")


def read_date(text: str, today: date, style: Style = PLAIN, *, looks_ahead: bool = False) -> date:
    """Parse a typed date: t, tom, +30, in 2 weeks, fri (the next one), 15, 15/3, 15 mar,
    2026-03-15, ... Raises NotReadable, whose message says what to type instead.

    A missing year or month is the present one; if the field `looks_ahead`, the next such date from
    today on.
    """
    typed = " ".join(text.lower().split())
    if typed in WORDS:
        return _add_days(today, WORDS[typed])
    if re.fullmatch(r"[+-][0-9]{1,5}", typed):
        return _add_days(today, int(typed))
    if match := _LATER.fullmatch(typed):
        return _add_days(today, int(match[1]) * (7 if match[2] == "week" else 1))
    if (weekday := _index(typed, DAYS)) is not None:
        return _add_days(today, (weekday - today.weekday() - 1) % 7 + 1)
    is_day_alone = re.fullmatch("[0-9]{1,2}", typed) is not None
    of_this_month = (today.year, today.month, int(typed)) if is_day_alone else None
    parts = of_this_month or date_parts(typed, style.order, today.year)
    if parts is None:
        wanted = f"a date, for example {_in_figures(style)}, fri or +30"
        raise NotReadable(f"“{text.strip()}” isn't a valid date. Enter {wanted}.")
    has_year = not is_day_alone and date_parts(typed, style.order) is not None
    if looks_ahead and not has_year and (day := _next_day(parts, today, monthly=is_day_alone)):
        return day
    return _checked_date(*parts, text=text, style=style)


def _next_day(parts: tuple[int, int, int], today: date, *, monthly: bool) -> date | None:
    """Return the first date from today on with this day of a month, or of a year; None if none
    comes within eight years, the longest time between two leap days.
    """
    year, month, day = parts
    for months in range(0, 8 * 12 + 1, 1 if monthly else 12):
        years, at = divmod(month - 1 + months, 12)
        try:
            found = date(year + years, at + 1, day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None


def date_parts(words: str, order: str, year: int | None = None) -> tuple[int, int, int] | None:
    """Return (year, month, day) of a written date, None for other texts; the date may not exist.
    A weekday before it is ignored.

    `order` applies to numeric dates; the year comes first in each. Two digits mean 1970 to 2069,
    without any `year`.
    """
    words = without_accents(words)
    if match := ISO.fullmatch(words) or _COMPACT.fullmatch(words):
        return int(match["year"]), int(match["month"]), int(match["day"])
    if match := _NAMED.fullmatch(words) or _NAMED_FIRST.fullmatch(words):
        month, written = _month_of(match["month"]), _year(match["year"], year)
        return (written, month, int(match["day"])) if month and written else None
    match = _WEEKDAY.match(words)
    if match and _begins_one_of(_WEEKDAYS_OF_LANGUAGES, match["weekday"]):
        return date_parts(words[match.end() :], order, year)
    match = _NUMERIC.fullmatch(words)
    if not match or order not in (DAY_FIRST, MONTH_FIRST):
        return None
    first, second, written = int(match[1]), int(match[3]), _year(match["year"], year)
    if not written:
        return None
    return (written, first, second) if order == MONTH_FIRST else (written, second, first)


def iso_date(text: str) -> date | None:
    """Parse a date such as 2026-03-15; None for any other text."""
    is_iso = re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text)
    try:
        return date.fromisoformat(text) if is_iso else None
    except ValueError:
        return None


def long_date(value: date) -> str:
    """Format as Fri 14 Mar 2026."""
    return f"{DAYS[value.weekday()][:3].capitalize()} {format_date(value)}"


def format_date(value: date) -> str:
    """Format as 14 Mar 2026."""
    return f"{value.day} {SHORT_MONTHS[value.month - 1]} {value.year}"


def short_date(value: date, today: date) -> str:
    """Format as 14 Mar, with the year if it is not the present one."""
    words = f"{value.day} {SHORT_MONTHS[value.month - 1]}"
    return words if value.year == today.year else f"{words} {value.year}"


def relative_day(value: date, today: date) -> str:
    """Format as today, tomorrow or Fri 14 Mar, with the year if it is not the present one."""
    if value == today:
        return "today"
    if value == today + timedelta(days=1):
        return "tomorrow"
    return f"{value:%a} {short_date(value, today)}"


def days(count: int) -> str:
    return f"{count:,} day{'s' * (count != 1)}"


def late_by(count: int) -> str:
    return f"{days(count)} overdue"


def days_until(count: int) -> str:
    """Format the time until a day: in 9 days, today, 12 days ago."""
    if count < 0:
        return f"{days(-count)} ago"
    return f"in {days(count)}" if count else "today"


def format_datetime(value: datetime) -> str:
    """Format as 14 Mar 2026, 15:00. An aware datetime is first converted to the time zone of this
    process, which Django sets to TIME_ZONE.
    """
    if value.tzinfo:
        value = value.astimezone()
    return f"{format_date(value)}, {value.hour:02}:{value.minute:02}"


def time_span(start: object, end: object) -> str:
    """Format two times of one day, such as from 12:00 to 19:00, with a dash; "" for any others."""
    if not (isinstance(start, datetime) and isinstance(end, datetime)):
        return ""
    is_span = start < end and start.date() == end.date()
    return f"{start:%H:%M}\N{EN DASH}{end:%H:%M}" if is_span else ""


def recent_time(at: datetime, today: date) -> str:
    """Format a time of the last days: 14:05, 14:05 yesterday, 14:05 on 3 Mar."""
    local = at.astimezone()
    if local.date() == today:
        return f"{local:%H:%M}"
    is_yesterday = (today - local.date()).days == 1
    return (
        f"{local:%H:%M} yesterday" if is_yesterday else f"{local:%H:%M} on {local.day} {local:%b}"
    )


def duration(time: timedelta) -> str:
    """Format in the largest unit: 40 seconds, a minute, 3 minutes, 2 days."""
    seconds = round(time.total_seconds())
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}s"
    return "a minute" if seconds > 45 else f"{seconds} second{'' if seconds == 1 else 's'}"


def write_date(value: date, order: str) -> str:
    """Format in figures: 2026-03-14, 14/03/2026 or 03/14/2026."""
    year, month, day = f"{value.year:04}", f"{value.month:02}", f"{value.day:02}"
    if order == YEAR_FIRST:
        return f"{year}-{month}-{day}"
    return f"{month}/{day}/{year}" if order == MONTH_FIRST else f"{day}/{month}/{year}"


def examples(style: Style) -> str:
    return f"For example {_in_figures(style)}, fri, +30"


def _in_figures(style: Style) -> str:
    return "3/15" if style.order == MONTH_FIRST else "15/3"


def _index(word: str, names: tuple[str, ...]) -> int | None:
    return next(
        (i for i, name in enumerate(names) if len(word) > 2 and name.startswith(word)), None
    )


def _month_of(word: str) -> int:
    """Return the number of the month with this name or the start of one; 0 for none and for
    several: "jui" is juin and juillet.
    """
    found = [
        month for month, names in enumerate(_MONTHS_OF_LANGUAGES, 1) if _begins_one_of(names, word)
    ]
    return found[0] if len(found) == 1 else 0


def _begins_one_of(names: str, word: str) -> bool:
    return f" {word}" in f" {names}"


def _year(written: str | None, default: int | None) -> int | None:
    if not written:
        return default
    century = 0 if len(written) == 4 else 2000 if int(written) < 70 else 1900
    return century + int(written)


def _add_days(today: date, days: int) -> date:
    try:
        return today + timedelta(days=days)
    except OverflowError:
        raise NotReadable("That date is too far away.") from None


def _checked_date(year: int, month: int, day: int, *, text: str, style: Style) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        pass
    if not 1 <= month <= 12:
        raise NotReadable(
            f"There is no month {month} in “{text.strip()}”: {_order_of(text, style)}."
        )
    raise NotReadable(f"There is no day {day} in {MONTHS[month - 1].capitalize()} {year}.")


def _order_of(text: str, style: Style) -> str:
    if ISO.fullmatch(text.strip()):
        return "the month comes after the year"
    return "the month comes first" if style.order == MONTH_FIRST else "the day comes first"


TIME = re.compile(
    r"(?:at )?(?P<hour>[0-9]{1,2})"
    r"(?:[:h](?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?)?"
    r" ?(?:(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)
_POINTS_OF_TIME = re.compile(r"(?<=\S )([0-9]{1,2})\.([0-9]{2})$")  # 10.30, after a day
MORNING = time(9)


def read_time(text: str) -> time | None:
    """Parse a typed time: 15:00, 9:30:15, 15h30, 3pm, 3:15 pm. None for any other text, including a
    bare number.
    """
    match = TIME.fullmatch(text.strip())
    if not match or not (match["minute"] or match["half"]):
        return None
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, int(match["minute"] or 0), int(match["second"] or 0))
    except ValueError:
        return None


def split_time(text: str) -> tuple[str, time | None]:
    """Return (words of the day, time at the end); None without a time."""
    words = " ".join(re.sub(r"(?<=[0-9])[Tt](?=[0-9])", " ", text).replace(",", " ").split())
    words = _POINTS_OF_TIME.sub(r"\1:\2", words)
    for count in (2, 1):  # the time is the last word, or the last two: "3 pm"
        pieces = words.rsplit(" ", count)
        end = " ".join(pieces[-count:])
        moment = read_time(end)
        if moment is not None:
            return words[: len(words) - len(end)].strip().removesuffix(" at").strip(), moment
    return words, None


def read_datetime(text: str, today: date, style: Style = PLAIN, *, at: time = MORNING) -> datetime:
    """Parse a typed datetime without a time zone. A date alone gets the time `at`; a time alone is
    today. It looks ahead, see `read_date`. Raises NotReadable.
    """
    day, moment = split_time(text)
    if moment is not None and not day:
        return datetime.combine(today, moment)
    read = read_date(day, today, style, looks_ahead=True)
    return datetime.combine(read, at if moment is None else moment)


def write_datetime(value: datetime) -> str:
    """Format as 14 Mar 2026, 15:00, with seconds if there are any; `read_datetime` parses it."""
    return f"{format_date(value)}, {value:%H:%M:%S}" if value.second else format_datetime(value)


def describe_typed(text: str, value: date) -> str:
    """Format the date or datetime that a text means: its weekday where the text has the rest."""
    if text.strip().startswith(format_date(value)):
        return DAYS[value.weekday()].capitalize()
    return f"{long_date(value)}, {value:%H:%M}" if isinstance(value, datetime) else long_date(value)


MAX_DAY_LENGTH = 40  # characters of a day as typed


@dataclass(frozen=True)
class TypedDay:
    """A typed day. `wrong`: why it cannot be used, "" if it can."""

    typed: str = ""
    day: date | None = None
    wrong: str = ""

    @property
    def text(self) -> str:
        """Return the value of the field: the day as 14 Mar 2026, valid in every style, else the
        typed text.
        """
        return format_date(self.day) if self.day and not self.wrong else self.typed

    @property
    def message(self) -> str:
        """Return the parsed day, or why it cannot be used; "" for an empty field."""
        return self.wrong or (describe_typed(self.text, self.day) if self.day else "")


def read_typed_day(text: str, today: date, style: Style) -> TypedDay:
    typed = cleaned(text).strip()[:MAX_DAY_LENGTH].strip()
    try:
        return TypedDay(typed, read_date(typed, today, style) if typed else None)
    except NotReadable as error:
        return TypedDay(typed, wrong=str(error))


RANGES: Mapping[str, str] = {
    "today": "Today",
    "this-week": "This week",
    "this-month": "This month",
    "last-month": "Last month",
    "this-quarter": "This quarter",
    "past": "Before today",
}
A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class DateRange:
    """A range of dates, first and last day included; None for an open end."""

    first: date | None
    last: date | None

    def __str__(self) -> str:
        """Format as 1 Mar 2026 to 31 Mar 2026."""
        if self.first and self.last:
            return f"{format_date(self.first)} to {format_date(self.last)}"
        if self.first:
            return f"from {format_date(self.first)}"
        return f"until {format_date(self.last or date.max)}"


def named_range(word: str, today: date, style: Style = PLAIN) -> DateRange:
    return week(today, style.first_weekday) if word == "this-week" else _RANGE_OF[word](today)


def range_between(first: str, last: str) -> str:
    """Return the query parameter for two ISO dates, either of which may be ""; "" if both are."""
    return f"{first}..{last}" if first or last else ""


def week(today: date, first_weekday: int = 0) -> DateRange:
    """Return the week that contains `today`; `first_weekday` as in date.weekday."""
    first = today - (today.weekday() - first_weekday) % 7 * A_DAY
    return DateRange(first, first + 6 * A_DAY)


def month(today: date) -> DateRange:
    first = today.replace(day=1)
    return DateRange(first, (first + 31 * A_DAY).replace(day=1) - A_DAY)


def quarter(today: date) -> DateRange:
    first = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    return DateRange(first, month(first + 62 * A_DAY).last)


_RANGE_OF: Mapping[str, Callable[[date], DateRange]] = {
    "today": lambda today: DateRange(today, today),
    "this-month": month,
    "last-month": lambda today: month(today.replace(day=1) - A_DAY),
    "this-quarter": quarter,
    "past": lambda today: DateRange(None, today - A_DAY),
}
