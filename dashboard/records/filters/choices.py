"""Filters with one value of several: a choice, an entry of a list of the workspace, a record."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from django import forms
from django.forms.renderers import get_default_renderer
from django.http import QueryDict

from dashboard.catalogue import services
from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import Endpoint, GatewayError, whole_number
from dashboard.reader import find
from dashboard.records.context import RequestContext
from dashboard.records.filters.base import Control, Filter, TypedFilter
from dashboard.records.forms import pickers
from dashboard.records.forms.field_cells import words_of
from dashboard.records.forms.pickers import PickerField
from dashboard.text.style import Style

PICKER_KEY = "w"  # "who": focuses the first picker of a list


@dataclass(frozen=True)
class Choice(Filter):
    """One of a few values. choices: their words. One that is declared without choices becomes what
    the form field of its name is: a choice, an entry or a record.
    """

    _: KW_ONLY
    choices: Mapping[str, str] = field(default_factory=dict)

    def completed(self, item: forms.Field | None) -> Filter:
        """The filter that the form field makes, if this has no choices of its own."""
        if self.choices or item is None:
            return self
        label = self.label or str(item.label or "")
        if isinstance(item, PickerField):
            widget = item.widget
            return RecordOf(
                self.name,
                label=label,
                points_to=item.endpoint,
                base_filters=widget.base_filters,
                prefers=widget.prefers,
            )
        if isinstance(item, ReferenceField):
            return Entry(self.name, label=label, kind=item.kind)
        words = words_of(item) if isinstance(item, forms.ChoiceField) else {}
        return replace(self, label=label, choices=words)

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        """The value if it is among the choices."""
        value = params.get(self.name, "").strip()
        return TypedFilter(value if value in self.choices else "")

    def words(self, value: str, ctx: RequestContext) -> str:
        """The word of the choice."""
        return self.choices[value]

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A select."""
        local = self.is_local
        return Control(self.name, self.label, value, self.choices, chosen=value, is_local=local)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        """The service takes every choice."""
        yield from super().problems(endpoint)
        fields = (each for each in endpoint.filters if each.name == self.name)
        values = {str(value) for each in fields for value in each.values}
        if wrong := sorted(set(self.choices) - values) if values else []:
            yield f"the service has no {', '.join(wrong)} in its filter “{self.name}”."


@dataclass(frozen=True)
class Entry(Filter):
    """An entry of a list of the workspace by its id; an id without a name is accepted."""

    _: KW_ONLY
    kind: Kind

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        """Any id."""
        return TypedFilter(str(whole_number(params.get(self.name, "").strip()) or ""))

    def words(self, value: str, ctx: RequestContext) -> str:
        """The name of the entry."""
        return services.label(ctx.workspace, self.kind, value)

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A select; a text for the number where the list is empty."""
        words = services.choices(ctx.workspace, self.kind)
        if value and words and value not in words:
            words = {**words, value: self.words(value, ctx)}
        return Control(self.name, self.label, value, words, chosen=value)


@dataclass(frozen=True)
class RecordOf(Filter):
    """A record of the endpoint `points_to`, chosen in a picker among those that `base_filters`
    leave; those that `prefers` names come first (forms/pickers.py).
    """

    _: KW_ONLY
    points_to: Endpoint
    base_filters: Mapping[str, str] = field(default_factory=dict)
    prefers: str = ""

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        """The id of the record."""
        return TypedFilter(str(whole_number(self._typed(params)) or ""))

    def words(self, value: str, ctx: RequestContext) -> str:
        """The name of the record."""
        return find.title(ctx.gateway, self.points_to, int(value))

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A picker as in forms; without JavaScript a typed text brings up its matches."""
        picker, typed = self._field(), self._typed(params)
        picker.use_context(ctx)
        if typed.startswith(pickers.TYPED):
            try:
                picker.find(typed.removeprefix(pickers.TYPED))
            except GatewayError:
                picker.widget.matches = None  # the list below says what is wrong
        attrs = {"id": f"filter-{self.name}", "class": "input", "placeholder": "Any"}
        attrs |= {"data-key": PICKER_KEY, "data-key-label": f"Filter by {self.label.lower()}"}
        html = picker.widget.render(self.name, value or typed, attrs, get_default_renderer())
        return Control(self.name, self.label, value, picker=html)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        """The endpoint pointed to takes the base filters."""
        yield from super().problems(endpoint)
        known = {each.name for each in self.points_to.filters}
        for name in sorted(self.base_filters.keys() - known):
            yield f"the filter “{self.name}” asks {self.points_to.name} for a filter “{name}”."

    def _field(self) -> PickerField:
        return PickerField(
            self.points_to, base_filters=self.base_filters, prefers=self.prefers, required=False
        )

    def _typed(self, params: QueryDict) -> str:
        return self._field().widget.value_from_datadict(params, {}, self.name)


def filters(*parts: str | Filter) -> tuple[Filter, ...]:
    """Filters, of which a plain name stands for the one that the form field of that name makes."""
    return tuple(Choice(part) if isinstance(part, str) else part for part in parts)
