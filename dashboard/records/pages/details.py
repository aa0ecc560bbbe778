"""The fields of a record's page, grouped and labelled."""

from typing import NamedTuple

from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.display import values
from dashboard.records.display.values import DisplayValue
from dashboard.records.resource import Detail, Resource


class ShownDetail(NamedTuple):
    """One label with its value, which is false where the service gives none."""

    label: str
    value: DisplayValue


Group = tuple[str, list[ShownDetail]]


def shown_details(
    details: tuple[Detail, ...], record: Record, ctx: RequestContext
) -> list[ShownDetail]:
    """The labelled values of some details."""
    return [ShownDetail(detail.label, detail.value(record, ctx)) for detail in details]


def sections(resource: Resource, record: Record, ctx: RequestContext) -> list[Group]:
    """Titled groups of values, the last one with what the service sent and no detail declares."""
    groups = [
        (section.title, shown_details(section.details, record, ctx))
        for section in resource.sections
    ]
    declared = {part.name: part.value(record, ctx).words for part in resource.details}
    extra = [
        ShownDetail(name.replace("_", " "), values.text(value, ctx.style))
        for name, value in _undeclared(resource, record).items()
        if value not in (None, "") and not _is_shown(name, value, declared)
    ]
    return [*groups, ("Also sent by the service", extra)] if extra else groups


def _undeclared(resource: Resource, record: Record) -> dict[str, object]:
    """What came beyond the fields of the reference; what a form reads, by the form's kind."""
    by_form = {item.name: record.get(item.name) for item in resource.endpoint.extra}
    return {**record.extra, **{name: by_form[name] for name in by_form if name in record}}


def _is_shown(name: str, value: object, declared: dict[str, str]) -> bool:
    """Whether the page shows it already: as a field of that name, or as the name of an id, beside
    the id or elsewhere (an owner by name, a currency behind an amount).
    """
    if name in declared or not name.endswith("_name"):
        return name in declared
    words, beside = values.text(value).words, declared.get(name.removesuffix("_name"), "")
    elsewhere = (shown == words or shown.endswith(f" {words}") for shown in declared.values())
    return words in beside or any(elsewhere)
