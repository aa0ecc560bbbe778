"""The filters of a list: read from an address, sent to the service, prepared for the page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from django.forms.renderers import get_default_renderer
from django.http import QueryDict
from django.utils import timezone

from dashboard.catalogue import services
from dashboard.gateway import GatewayError, whole_number
from dashboard.reader import find
from dashboard.records.context import RequestContext
from dashboard.records.forms import pickers
from dashboard.records.forms.pickers import PickerField
from dashboard.records.lists.amounts import least_amount, read_least
from dashboard.records.lists.spans import BETWEEN, TypedSpan, read_span
from dashboard.records.parts import Filter
from dashboard.records.resource import Resource
from dashboard.text import date_ranges
from dashboard.text.numbers import write_number
from dashboard.text.style import PLAIN, Style
from dashboard.text.typed_days import TypedDay

PICKER_KEY = "w"  # "who": focuses the first picker of a list


@dataclass(frozen=True)
class Control:
    """One filter as the page draws it: a `picker`, else a select of `options`, else a text.

    ours: it applies to the rows that were read. wrong: why the text cannot be read.

    options: what may be chosen, in words by value, of which `chosen` is. picker: its HTML, which
    Django's form renderer makes. days: name, label and what was typed of the two days of a span.
    """

    name: str
    label: str
    value: str
    options: Mapping[str, str] = field(default_factory=dict)
    chosen: str = ""
    picker: str = ""
    days: tuple[tuple[str, str, TypedDay], ...] = ()
    ours: bool = False
    wrong: str = ""


def read(resource: Resource, params: QueryDict, style: Style = PLAIN) -> dict[str, str]:
    """The valid values of an address by filter name; anything else counts as absent."""
    values = ((item, _value(item, params, style)) for item in resource.filters)
    return {item.name: value for item, value in values if value}


def unread(resource: Resource, params: QueryDict, style: Style) -> dict[str, str]:
    """Days and amounts that cannot be read, as they were typed, by the parameter of the address."""
    found: dict[str, str] = {}
    for item in resource.filters:
        if item.is_span:
            found |= read_span(item, params, style).unread
        elif item.amount and (amount := read_least(item, params, style)).wrong:
            found[item.name] = amount.typed
    return found


def to_send(
    resource: Resource, values: Mapping[str, str], style: Style = PLAIN
) -> dict[str, int | str | date | None]:
    """The filters by wire name, as `Gateway.list` takes them; `style` of the person who asks."""
    found: dict[str, int | str | date | None] = {}
    for item in resource.filters:
        value = values.get(item.name)
        if value and item.span:
            span = date_ranges.read(value, timezone.localdate(), style)
            found |= dict(zip(item.span, (span.first, span.last), strict=True)) if span else {}
        elif value and not item.is_ours:
            kind = resource.endpoint.filter(item.name).kind
            found[item.name] = whole_number(value, least=0) if kind == "integer" else value
    return found


def controls(
    resource: Resource, values: Mapping[str, str], ctx: RequestContext, params: QueryDict
) -> list[Control]:
    """Every filter with its present value."""
    return [_control(item, values.get(item.name, ""), ctx, params) for item in resource.filters]


def problems(resource: Resource, params: QueryDict, style: Style) -> list[str]:
    """One sentence for each filter that cannot be read as it was typed."""
    found = []
    for item in resource.filters:
        if item.is_span:
            span = read_span(item, params, style)
            wrong = [span.first.wrong, span.last.wrong]
        else:
            wrong = [read_least(item, params, style).wrong] if item.amount else []
        found += [f"{item.label}: {words}" for words in wrong if words]
    return list(dict.fromkeys(found))


def _value(item: Filter, params: QueryDict, style: Style) -> str:
    value = params.get(item.name, "").strip()
    if item.is_span:
        return read_span(item, params, style).value
    if item.amount:
        return read_least(item, params, style).value
    if item.points_to:
        typed = PickerField(item.points_to).widget.value_from_datadict(params, {}, item.name)
        return str(whole_number(typed) or "")
    if item.kind:
        return str(whole_number(value) or "")
    return value if value in item.choices else ""


def value_in_words(item: Filter, value: str, ctx: RequestContext) -> str:
    """A filter's value as a person reads it: the name of a choice, of a record, of a span."""
    if item.is_span:
        return date_ranges.words(value, timezone.localdate())
    if item.amount:
        return write_number(least_amount(value), ctx.style, grouped=True)
    if item.points_to:
        return find.title(ctx.gateway, item.points_to, int(value))
    if item.kind:
        return services.label(ctx.workspace, item.kind, value)
    return item.choices[value]


def _control(item: Filter, value: str, ctx: RequestContext, params: QueryDict) -> Control:
    if item.is_span:
        return _span_control(item, read_span(item, params, ctx.style))
    if item.amount:
        least = read_least(item, params, ctx.style)
        return Control(item.name, item.label, least.text, ours=True, wrong=least.wrong)
    if item.points_to:
        return Control(item.name, item.label, value, picker=_picker(item, value, ctx, params))
    words = services.choices(ctx.workspace, item.kind) if item.kind else item.choices
    if value and words and value not in words:
        words = {**words, value: value_in_words(item, value, ctx)}
    return Control(item.name, item.label, value, words, chosen=value, ours=item.is_ours)


def _span_control(item: Filter, span: TypedSpan) -> Control:
    words = {**date_ranges.WORDS, BETWEEN: "Between two days"}
    days = (
        (f"{item.name}_from", f"{item.label} from", span.first),
        (f"{item.name}_to", f"{item.label} until", span.last),
    )
    own = BETWEEN if span.first.typed or span.last.typed else ""
    chosen = span.word or own
    return Control(item.name, item.label, span.value, words, chosen, days=days, ours=item.is_ours)


def _picker(item: Filter, value: str, ctx: RequestContext, params: QueryDict) -> str:
    """A picker as in forms; without JavaScript a typed text brings up its matches."""
    if item.points_to is None:
        return ""
    field = PickerField(
        item.points_to, base_filters=item.base_filters, prefers=item.prefers, required=False
    )
    field.use_context(ctx)
    typed = field.widget.value_from_datadict(params, {}, item.name)
    if typed.startswith(pickers.TYPED):
        try:
            field.find(typed.removeprefix(pickers.TYPED))
        except GatewayError:
            field.widget.matches = None  # the list below says what is wrong
    attrs = {"id": f"filter-{item.name}", "class": "input", "placeholder": "Any"}
    attrs |= {"data-key": PICKER_KEY, "data-key-label": f"Filter by {item.label.lower()}"}
    return field.widget.render(item.name, value or typed, attrs, get_default_renderer())
