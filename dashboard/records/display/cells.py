"""Values of a record as HTML that is safe to put on a page.

Prepared in Python on purpose: the same cells through template tags cost ten times the time,
and thirty times under threads. A `SafeString` is escaped; what comes from a record passes `text`.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from html import escape

from django.utils import timezone
from django.utils.safestring import SafeString

from dashboard.catalogue import services
from dashboard.catalogue.snapshot import unnamed
from dashboard.gateway import Endpoint, Record, Unreadable
from dashboard.records.context import RequestContext

Cell = Callable[[Record, RequestContext], SafeString]

EMPTY = SafeString("")
_SPECIAL = re.compile("[&<>\"'\n]").search  # one look instead of the six replacements
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def text(value: object) -> SafeString:  # noqa: C901 - one flat case for each kind
    """Any value as escaped text; lines are kept, nothing stays nothing."""
    match value:
        case None | "":
            return EMPTY
        case str():
            return SafeString(_lines(value) if _SPECIAL(value) else value)
        case bool():
            return SafeString("Yes" if value else "No")
        case Decimal():
            return SafeString(f"{value:,f}")
        case datetime():
            return SafeString(moment(value))
        case date():
            return SafeString(day(value))
        case Mapping():
            return pairs(value)
        case list() | tuple():
            return SafeString(", ".join(text(item) for item in value))
        case Unreadable():
            return SafeString(f'<span class="text-secondary">{escape(str(value))}</span>')
    return SafeString(escape(str(value)))


def _lines(value: str) -> str:
    return escape(value).replace("\n", "<br>")


def day(value: date) -> str:
    """A date as people write it: 14 Mar 2026."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def moment(value: datetime) -> str:
    """A moment in the office's time zone; one without a zone is shown as written."""
    if value.tzinfo:
        value = value.astimezone(timezone.get_default_timezone())
    return f"{day(value)}, {value.hour:02}:{value.minute:02}"


def unbroken(name: str) -> Cell:
    """A cell for a moment, which reads badly over two lines."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = text(record.get(name))
        return SafeString(f'<span class="nowrap">{value}</span>') if value else value

    return cell


def status(word: str, tone: str) -> SafeString:
    """A status as word, shape and colour; `tone` names the tint in site.css."""
    return SafeString(f'<span class="status status-{tone}">{escape(word)}</span>')


def link(url: str, label: str) -> SafeString:
    """A link within the dashboard."""
    return SafeString(f'<a href="{escape(url)}">{escape(label)}</a>')


def plain(name: str) -> Cell:
    """A cell for a field that reads as it is."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        return text(record.get(name))

    return cell


def pointer(endpoint: Endpoint, name: str) -> Cell:
    """A cell for the id of another record: its name as a link, its number while there is none."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        return titled(endpoint, value, ctx) if isinstance(value, int) else text(value)

    return cell


def titled(endpoint: Endpoint, record_id: int, ctx: RequestContext) -> SafeString:
    """A link to a record by its name; one that is still looked up is marked to be filled in."""
    title = ctx.titles.get((endpoint.name, record_id))
    label = escape(title or f"{endpoint.singular.capitalize()} {record_id}")
    late = "" if title is not None else f' data-title="{endpoint.name}-{record_id}"'
    return SafeString(f'<a href="/{endpoint.name}/{record_id}/"{late}>{label}</a>')


def email(name: str) -> Cell:
    """A cell for an address to write to, as a link; anything that is no address as plain text."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        shown = text(record.get(name))
        return SafeString(f'<a href="mailto:{shown}">{shown}</a>') if "@" in shown else shown

    return cell


def phone(name: str) -> Cell:
    """A cell for a number to call, as a link."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        digits = "".join(c for c in str(value or "") if c in "+0123456789")
        return SafeString(f'<a href="tel:{digits}">{text(value)}</a>') if digits else text(value)

    return cell


def choice(name: str, words: Mapping[int, str]) -> Cell:
    """A cell for a coded field: its word, or the bare code where we have none."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        return text(words.get(value, value) if isinstance(value, int) else value)

    return cell


def reference(kind: str, name: str) -> Cell:
    """A cell for an id of one of the workspace's lists, or several: their names."""

    def cell(record: Record, ctx: RequestContext) -> SafeString:
        value = record.get(name)
        ids = value if isinstance(value, list | tuple) else (value,)
        return SafeString(", ".join(_name(kind, one, ctx) for one in ids))

    return cell


def _name(kind: str, value: object, ctx: RequestContext) -> str:
    if not value or not isinstance(value, int | str):
        return text(value)
    named = services.entry(ctx.workspace, kind, value)
    if named:
        return escape(named.name)
    return f'<span class="text-secondary">{escape(unnamed(value))}</span>'


def pairs(value: Mapping[str, object]) -> SafeString:
    """An object's names and values, one to a line."""
    lines = (f"<dt>{escape(str(key))}</dt><dd>{text(item)}</dd>" for key, item in value.items())
    return SafeString(f'<dl class="pairs">{"".join(lines)}</dl>') if value else EMPTY
