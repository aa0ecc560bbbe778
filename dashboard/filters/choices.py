"""Filters with one value of several: a choice of the service or of ours, an entry of a list of the
workspace, a record.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from django import forms
from django.forms.renderers import get_default_renderer
from django.http import QueryDict

from dashboard.catalogue import services
from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.filters.base import BuiltInView, Control, Filter, LocalFilter, TypedFilter
from dashboard.forms import pickers
from dashboard.forms.field_cells import words_of
from dashboard.forms.pickers import PickerField
from dashboard.gateway import Endpoint, GatewayError, whole_number
from dashboard.ledger import history
from dashboard.reader import find
from dashboard.text.style import Style

ME = "me"
CREATED_BY_ME = BuiltInView("created", "Created by me", {"created": ME})
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
        value = params.get(self.name, "").strip()
        return TypedFilter(value if value in self.choices else "")

    def words(self, value: str, ctx: RequestContext) -> str:
        return self.choices[value]

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        return self.draw(value, options=self.choices, chosen=value)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from super().problems(endpoint)
        fields = (each for each in endpoint.filters if each.name == self.name)
        values = {str(value) for each in fields for value in each.values}
        if wrong := sorted(set(self.choices) - values) if values else []:
            yield f"the service has no {', '.join(wrong)} in its filter “{self.name}”."


@dataclass(frozen=True)
class Local(Choice):
    """A choice among the rows that were read. apply: how the records of a choice are found."""

    _: KW_ONLY
    apply: Callable[[RequestContext, str], LocalFilter]

    @property
    def is_local(self) -> bool:
        return True

    def local(self, value: str, ctx: RequestContext) -> LocalFilter:
        return self.apply(ctx, value)


@dataclass(frozen=True)
class Entry(Filter):
    """An entry of a list of the workspace by its id; an id without a name is accepted."""

    _: KW_ONLY
    kind: Kind

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        return TypedFilter(str(whole_number(params.get(self.name, "").strip()) or ""))

    def words(self, value: str, ctx: RequestContext) -> str:
        return services.label(ctx.workspace, self.kind, value)

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A select; a text for the number where the list is empty."""
        words = services.choices(ctx.workspace, self.kind)
        if value and words and value not in words:
            words = {**words, value: self.words(value, ctx)}
        return self.draw(value, options=words, chosen=value)


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
        typed = self._field().widget.value_from_datadict(params, {}, self.name)
        return TypedFilter(str(whole_number(typed) or ""))

    def words(self, value: str, ctx: RequestContext) -> str:
        return find.title(ctx.gateway, self.points_to, int(value))

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A picker as in forms; without JavaScript a typed text brings up its matches."""
        picker = self._field()
        picker.use_context(ctx)
        typed = picker.widget.value_from_datadict(params, {}, self.name)
        if typed.startswith(pickers.TYPED):
            try:
                picker.find(typed.removeprefix(pickers.TYPED))
            except GatewayError:
                picker.widget.matches = None  # the list below says what is wrong
        attrs = {"id": f"filter-{self.name}", "class": "input", "placeholder": "Any"}
        attrs |= {"data-key": PICKER_KEY, "data-key-label": f"Filter by {self.label.lower()}"}
        html = picker.widget.render(self.name, value or typed, attrs, get_default_renderer())
        return self.draw(value, picker=html)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from super().problems(endpoint)
        known = {each.name for each in self.points_to.filters}
        for name in sorted(self.base_filters.keys() - known):
            yield f"the filter “{self.name}” asks {self.points_to.name} for a filter “{name}”."

    def _field(self) -> PickerField:
        return PickerField(
            self.points_to, base_filters=self.base_filters, prefers=self.prefers, required=False
        )


def filters(*parts: str | Filter) -> tuple[Filter, ...]:
    """Filters, of which a plain name stands for the one that the form field of that name makes."""
    return tuple(Choice(part) if isinstance(part, str) else part for part in parts)


def created_here(resource: str) -> Local:
    """The filter for what the person created from this dashboard, by its own history."""

    def apply(ctx: RequestContext, value: str) -> LocalFilter:
        ids: set[int | None] = set()
        if ctx.person:
            created = history.created_by(ctx.person, ctx.workspace, resource=resource)
            ids = set(created.values_list("record_id", flat=True))
        return LocalFilter(lambda record: record.id in ids)

    return Local("created", label="Created here", choices={ME: "By me"}, apply=apply)


def empty(label: str, name: str, field: str) -> Local:
    """A filter for records whose list row has nothing in a field."""
    return Local(
        name,
        label=label,
        choices={"none": "None given"},
        apply=lambda ctx, value: LocalFilter(lambda record: not record[field]),
    )
