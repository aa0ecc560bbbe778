"""The filters of a list: what an address says of them, what is sent, and how they are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import TYPE_CHECKING

from django.forms.renderers import get_default_renderer
from django.http import QueryDict
from django.utils import timezone
from django.utils.safestring import SafeString

from dashboard.catalogue import services
from dashboard.gateway import GatewayError

from . import cells, pickers, ranges, titles
from .desk import Desk
from .links import Link
from .pickers import ID, PickerField
from .resource import Filter, Resource

if TYPE_CHECKING:
    from .query import ListQuery

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


def sent(query: "ListQuery") -> dict[str, int | str | date | None]:
    """The filters by wire name."""
    found: dict[str, int | str | date | None] = {}
    for item in query.resource.filters:
        value = query.filters.get(item.name)
        if value and item.span:
            span = ranges.read(value, timezone.localdate())
            found |= dict(zip(item.span, (span.first, span.last), strict=True)) if span else {}
        elif value:
            kind = query.resource.endpoint.filter(item.name).kind
            found[item.name] = int(value) if kind == "integer" else value
    return found


def controls(query: "ListQuery", desk: Desk, params: QueryDict) -> list[Control]:
    """Every filter as it stands."""
    return [
        _control(item, query.filters.get(item.name, ""), desk, params)
        for item in query.resource.filters
    ]


def chips(query: "ListQuery", desk: Desk) -> list[Link]:
    """What narrows the list; each link takes one of them away."""
    found = [Link(f"“{query.search}”", query.url(search="", page=1))] if query.search else []
    for item in query.resource.filters:
        if value := query.filters.get(item.name):
            word = _word(item, value, desk)
            found.append(Link(f"{item.label}: {word}", query.without(item.name)))
    return found


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
        value = ranges.between(first, last)
    return value if ranges.read(value, timezone.localdate()) else ""


def _word(item: Filter, value: str, desk: Desk) -> str:
    if item.span:
        return ranges.words(value, timezone.localdate())
    if item.points_to:
        return titles.title(desk.gateway, item.points_to, int(value))
    if item.kind:
        return services.label(desk.workspace, item.kind, value)
    return item.choices[value]


def _control(item: Filter, value: str, desk: Desk, params: QueryDict) -> Control:
    if item.span:
        return _span_control(item, value)
    if item.points_to:
        return Control(item.name, item.label, value, picker=_picker(item, value, desk, params))
    words = services.choices(desk.workspace, item.kind) if item.kind else item.choices
    if value and words and value not in words:
        words = {**words, value: _word(item, value, desk)}
    return Control(item.name, item.label, value, _options(words, value))


def _span_control(item: Filter, value: str) -> Control:
    own = ".." in value
    first, _, last = value.partition("..") if own else ("", "", "")
    days = (
        (f"{item.name}_from", f"{item.label} from", first),
        (f"{item.name}_to", f"{item.label} until", last),
    )
    words = {**ranges.WORDS, BETWEEN: "Between two days"}
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


def _picker(item: Filter, value: str, desk: Desk, params: QueryDict) -> SafeString:
    """A picker as in forms; without JavaScript a typed text brings up its matches."""
    if item.points_to is None:
        return SafeString("")
    field = PickerField(item.points_to, narrowed=item.narrowed, required=False)
    field.use_desk(desk)
    typed = field.widget.value_from_datadict(params, {}, item.name)
    if typed.startswith(pickers.TYPED):
        try:
            field.find(typed.removeprefix(pickers.TYPED))
        except GatewayError:
            field.widget.matches = None  # the list below says what is wrong
    attrs = {"id": f"filter-{item.name}", "class": "form-control", "placeholder": "Any"}
    return field.widget.render(item.name, value or typed, attrs, get_default_renderer())
