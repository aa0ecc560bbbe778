"""The lines of a record's page, prepared as HTML."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from dashboard.gateway import Record

from . import cells
from .desk import Desk
from .resource import Detail, Resource


@dataclass(frozen=True)
class Line:
    """One label with its value as safe HTML; an empty value says so on the page."""

    label: str
    value: SafeString


def lines(details: tuple[Detail, ...], record: Record, desk: Desk) -> list[Line]:
    """The labelled values of some details."""
    return [Line(detail.label, detail.html(record, desk)) for detail in details]


def sections(resource: Resource, record: Record, desk: Desk) -> list[tuple[str, list[Line]]]:
    """Titled groups of lines, with what nobody declared at the end: no answer is hidden."""
    groups = [
        (section.title, lines(section.details, record, desk)) for section in resource.sections
    ]
    extra = [_other(name, value) for name, value in record.extra.items() if value not in (None, "")]
    return [*groups, ("Also sent by the service", extra)] if extra else groups


def _other(name: str, value: object) -> Line:
    return Line(name.replace("_", " "), cells.text(value))
