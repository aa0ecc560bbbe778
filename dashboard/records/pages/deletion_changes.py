"""What a person was shown of a record before deleting it, compared with the record as it is now."""

from collections.abc import Mapping

from dashboard.gateway import Record
from dashboard.records.context import RequestContext
from dashboard.records.forms.fields import Shown
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation
from dashboard.text.style import PLAIN, Style

Changes = list[tuple[str, str, str]]
PAYMENTS = "payments"


def values_of(resource: Resource, record: Record, style: Style = PLAIN) -> dict[str, Shown]:
    """What is compared of a record: the fields of its form, and how many payments it has."""
    values = resource.edit_form.read(record, style)
    return values | ({PAYMENTS: str(len(record.payments))} if record.payments else {})


def is_changed(resource: Resource, before: Record, after: Record) -> bool:
    """Whether anything that is compared differs between two reads of a record."""
    return values_of(resource, before) != values_of(resource, after)


def in_words(
    ctx: RequestContext, resource: Resource, was: Mapping[str, Shown], now: Mapping[str, Shown]
) -> Changes:
    """The values that differ, as (label, was, is now)."""
    form = resource.edit_form(ctx=ctx, opened_with=now)

    def words(name: str, value: Shown | None) -> str:
        if value is None:
            return ""
        known = name in form.fields
        return form.value_in_words(name, value) if known else reconciliation.as_text(value)

    def label(name: str) -> str:
        own = form.fields[name].label if name in form.fields else resource.detail(name).label
        return str(own or name.replace("_", " ").capitalize())

    differing = [name for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name)]
    return [
        (label(name), words(name, was.get(name)), words(name, now.get(name))) for name in differing
    ]
