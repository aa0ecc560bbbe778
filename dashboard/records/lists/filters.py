"""The filters of a list: what an address says of them, what is sent, and how they are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from html import escape

from django.forms.renderers import get_default_renderer
from django.http import QueryDict
from django.utils import timezone
from django.utils.safestring import SafeString

from dashboard.catalogue import services
from dashboard.gateway import GatewayError
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.forms import pickers
from dashboard.records.forms.pickers import ID, PickerField
from dashboard.records.parsing import date_ranges
from dashboard.records.references import titles
from dashboard.records.resource import Filter, Resource

BETWEEN = "between"


@dataclass(frozen=True)
class Control:
    """One filter as the page draws it: a select of `options` (HTML), else a `picker`, else a text.

    days: name, label and value of the two inputs of a span that no word describes.
    """

    name: str
    label: str
    value: str
    options: SafeString = cells.EMPTY
    picker: SafeString = cells.EMPTY
    days: tuple[tuple[str, str, str], ...] = ()


def read(resource: Resource, params: QueryDict) -> dict[str, str]:
    """What an address says of each filter; what makes no sense counts as not said."""
    said = ((item, _said(item, params)) for item in resource.filters)
    return {item.name: value for item, value in said if value}


def to_send(resource: Resource, values: Mapping[str, str]) -> dict[str, int | str | date | None]:
    """The filters by wire name, as `Gateway.list` takes them."""
    found: dict[str, int | str | date | None] = {}
    for item in resource.filters:
        value = values.get(item.name)
        if value and item.span:
            span = date_ranges.read(value, timezone.localdate())
            found |= dict(zip(item.span, (span.first, span.last), strict=True)) if span else {}
        elif value:
            kind = resource.endpoint.filter(item.name).kind
            found[item.name] = int(value) if kind == "integer" else value
    return found


def controls(
    resource: Resource, values: Mapping[str, str], ctx: RequestContext, params: QueryDict
) -> list[Control]:
    """Every filter with its present value."""
    return [_control(item, values.get(item.name, ""), ctx, params) for item in resource.filters]


def _said(item: Filter, params: QueryDict) -> str:
    value = params.get(item.name, "").strip()
    if item.span:
        return _span_said(item, value, params)
    if item.points_to:
        typed = PickerField(item.points_to).widget.value_from_datadict(params, {}, item.name)
        return typed if ID.fullmatch(typed) else ""
    if item.kind:
        return value if ID.fullmatch(value) else ""
    return value if value in item.choices else ""


def _span_said(item: Filter, value: str, params: QueryDict) -> str:
    if value in ("", BETWEEN):
        first, last = (params.get(f"{item.name}_{end}", "") for end in ("from", "to"))
        value = date_ranges.between(first, last)
    return value if date_ranges.read(value, timezone.localdate()) else ""


def value_in_words(item: Filter, value: str, ctx: RequestContext) -> str:
    if item.span:
        return date_ranges.words(value, timezone.localdate())
    if item.points_to:
        return titles.title(ctx.gateway, item.points_to, int(value))
    if item.kind:
        return services.label(ctx.workspace, item.kind, value)
    return item.choices[value]


def _control(item: Filter, value: str, ctx: RequestContext, params: QueryDict) -> Control:
    if item.span:
        return _span_control(item, value)
    if item.points_to:
        return Control(item.name, item.label, value, picker=_picker(item, value, ctx, params))
    words = services.choices(ctx.workspace, item.kind) if item.kind else item.choices
    if value and words and value not in words:
        words = {**words, value: value_in_words(item, value, ctx)}
    return Control(item.name, item.label, value, _options(words, value))


def _span_control(item: Filter, value: str) -> Control:
    own = ".." in value
    first, _, last = value.partition("..") if own else ("", "", "")
    days = (
        (f"{item.name}_from", f"{item.label} from", first),
        (f"{item.name}_to", f"{item.label} until", last),
    )
    words = {**date_ranges.WORDS, BETWEEN: "Between two days"}
    options = _options(words, BETWEEN if own else value)
    return Control(item.name, item.label, value, options, days=days)


def _options(words: Mapping[str, str], value: str) -> SafeString:
    return SafeString(
        "".join(
            f'<option value="{escape(code)}"{" selected" if code == value else ""}>{escape(word)}'
            "</option>"
            for code, word in words.items()
        )
    )


def _picker(item: Filter, value: str, ctx: RequestContext, params: QueryDict) -> SafeString:
    """A picker as in forms; without JavaScript a typed text brings up its matches."""
    if item.points_to is None:
        return SafeString("")
    field = PickerField(item.points_to, base_filters=item.base_filters, required=False)
    field.use_context(ctx)
    typed = field.widget.value_from_datadict(params, {}, item.name)
    if typed.startswith(pickers.TYPED):
        try:
            field.find(typed.removeprefix(pickers.TYPED))
        except GatewayError:
            field.widget.matches = None  # the list below says what is wrong
    attrs = {"id": f"filter-{item.name}", "class": "form-control", "placeholder": "Any"}
    return field.widget.render(item.name, value or typed, attrs, get_default_renderer())
