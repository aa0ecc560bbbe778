"""The lines of a record's page, prepared as HTML."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.resource import Detail, Resource


@dataclass(frozen=True)
class Line:
    """One label with its value as safe HTML; an empty value says so on the page."""

    label: str
    value: SafeString


def lines(details: tuple[Detail, ...], record: Record, ctx: RequestContext) -> list[Line]:
    """The labelled values of some details."""
    return [Line(detail.label, detail.html(record, ctx)) for detail in details]


def sections(
    resource: Resource, record: Record, ctx: RequestContext
) -> list[tuple[str, list[Line]]]:
    """Titled groups of lines, with what nobody declared at the end: no answer is hidden."""
    groups = [(section.title, lines(section.details, record, ctx)) for section in resource.sections]
    parts = [*resource.facts, *(part for group in resource.sections for part in group.details)]
    shown = {part.name: part.html(record, ctx) for part in parts}
    extra = [
        _other(name, value)
        for name, value in record.extra.items()
        if value not in (None, "") and not _said(name, value, shown)
    ]
    return [*groups, ("Also sent by the service", extra)] if extra else groups


def _said(name: str, value: object, shown: dict[str, SafeString]) -> bool:
    """Whether the page says it already: a field of that name, or what an id is called, beside the
    id or elsewhere (an owner by name, a currency behind an amount).
    """
    if not name.endswith("_name"):
        return name in shown
    words, beside = cells.text(value), shown.get(name.removesuffix("_name"), "")
    elsewhere = any(said == words or said.endswith(f" {words}") for said in shown.values())
    return name in shown or words in beside or elsewhere


def _other(name: str, value: object) -> Line:
    return Line(name.replace("_", " "), cells.text(value))
