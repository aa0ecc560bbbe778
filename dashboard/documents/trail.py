"""Where an invoice or estimate came from, and what was made of it, as far as it is known here."""

from typing import Any, NamedTuple

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import cells, titles, values
from dashboard.display.values import DisplayValue
from dashboard.gateway import DEALS, ESTIMATES, INVOICES, Record
from dashboard.markup import address
from dashboard.preferences import services as preferences
from dashboard.preferences.models import Conversion
from dashboard.text.dates import format_datetime


class TrailStep(NamedTuple):
    """One record of the way from a deal to an invoice; `is_here`: the one of the page."""

    value: DisplayValue
    note: str = ""
    is_here: bool = False


def around(ctx: RequestContext, resource: Resource, record: Record) -> dict[str, Any]:
    """The context of the page: `trail`, earliest first, and `made`, the invoice made of it."""
    here = TrailStep(values.text(f"This {resource.singular}"), is_here=True)
    steps = [*_deal(ctx, record), here]
    if resource.name == INVOICES.name:
        source = preferences.source_of(ctx.workspace, record.id)
        if source:
            ctx = titles.name(ctx, [(ESTIMATES, source.source)])
            estimate = cells.titled(ESTIMATES, source.source, ctx)
            steps.insert(-1, TrailStep(_named("Estimate", estimate)))
            steps[-1] = here._replace(note=_by(source))
        return {"trail": steps, "made": None}
    made = preferences.conversion_of(ctx.workspace, record.id)
    if made:
        steps.append(TrailStep(_invoice(made), _by(made)))
    return {"trail": steps, "made": made}


def _deal(ctx: RequestContext, record: Record) -> list[TrailStep]:
    number = record.get("deal_id")
    if not isinstance(number, int):
        return []
    return [TrailStep(_named("Deal", cells.titled(DEALS, number, ctx)))]


def _invoice(made: Conversion) -> DisplayValue:
    label = f"Invoice {made.label}" if made.label else "An invoice"
    return (
        values.link(address(INVOICES.name, made.made), label) if made.made else values.text(label)
    )


def _named(kind: str, link: DisplayValue) -> DisplayValue:
    """The link with the kind of record before its name, unless that says it."""
    if link.text.startswith(kind):
        return link
    return values.several([values.text(f"{kind}:"), link], between=" ")


def _by(conversion: Conversion) -> str:
    """Made 14 Mar 2026, 15:00, by edith."""
    made = f"made {format_datetime(conversion.at)}"
    return f"{made}, by {conversion.user}" if conversion.user else made
