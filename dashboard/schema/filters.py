"""The filters of a list: one class for each kind, and the form that reads them from a URL."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.core.service_name import SERVICE
from dashboard.gateway import Endpoint, Record, whole_number
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferenceWidget
from dashboard.people.context import RequestContext
from dashboard.reader import find
from dashboard.schema.defaults import own_id
from dashboard.schema.fields import ChoiceField, IdField
from dashboard.schema.inputs import MoneyField
from dashboard.schema.pickers import MAX_LISTED, TYPED, PickerField
from dashboard.text import dates
from dashboard.text.dates import DateRange, read_typed_day
from dashboard.text.numbers import write_number
from dashboard.text.style import Style

RowTest = Callable[[Record], bool]
CHOOSE = "“%(value)s” isn't valid. Choose one from the list."
CHOOSE_NUMBER = "“%(value)s” isn't valid. Enter a whole number, for example 17."
ANY = ("", "Any")
ME = "me"  # in a URL: the person's own user of the service
UNKNOWN_SELF = f"Choose your user in {SERVICE} to use this filter."


class RowOrder(NamedTuple):
    """The order that a filter gives to its rows, and its label."""

    caption: str
    sort: Callable[[Iterable[Record]], list[Record]]


@dataclass(frozen=True)
class Filter(ABC):
    """One filter of a list: a field of its FilterForm, and by default a filter of the API.

    suffixes: the ends of the names of its parameters in a URL. is_local: the service lacks it, so
    `row_test` is applied to the rows that were read. conflict: the message if another filter sets
    the same API filter to another value.
    """

    suffixes: ClassVar[tuple[str, ...]] = ("",)
    is_local: ClassVar[bool] = False
    conflict: ClassVar[str] = "Another filter excludes this."
    name: str
    _: KW_ONLY
    label: str = ""

    def resolved_from_field(self, item: forms.Field | None) -> "Filter":
        """Return the filter completed from the form field of its name."""
        return self

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(f"{self.name}{suffix}" for suffix in self.suffixes)

    @abstractmethod
    def form_field(self, ctx: RequestContext) -> forms.Field:
        """Return the field that reads, checks and draws it."""

    def address_value(self, value: Any) -> str:
        """Return the text of a value in a URL, independent of the person's style."""
        return str(value)

    def api_params(self, value: Any) -> dict[str, Any]:
        """Return the filters of the API by wire name, as `Gateway.list` takes them."""
        return {} if self.is_local else {self.name: value}

    def row_test(self, value: Any, ctx: RequestContext) -> RowTest | None:
        """Return the test of a row; None if the service filters."""
        return None

    def row_order(self, value: Any, ctx: RequestContext) -> RowOrder | None:
        """Return the order of the filtered rows; None for the service's own."""
        return None

    def as_of_today(self, value: Any) -> Any:
        """Return the fixed value, as of today, of a relative one such as this month."""
        return value

    @abstractmethod
    def caption(self, value: Any, ctx: RequestContext) -> str:
        """Return the value as a person reads it."""

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        """Yield a sentence for each mistake in its declaration for the list of an endpoint."""
        if not self.is_local:
            yield from unknown(endpoint, self.name)


def unknown(endpoint: Endpoint, *names: str) -> Iterator[str]:
    """Yield a sentence for each of these filters that the endpoint lacks."""
    known = {each.name for each in endpoint.filters}
    yield from (f"the service has no filter “{name}”." for name in names if name not in known)


class FilterForm(forms.Form):
    """The filters of a list, bound to its URL. With errors, the list stays empty."""

    use_required_attribute = False

    def __init__(
        self, filters: Iterable[Filter], params: Mapping[str, str], ctx: RequestContext
    ) -> None:
        super().__init__(params, auto_id="filter-%s")
        self.filters, self.ctx = tuple(filters), ctx
        for each in self.filters:
            self.fields[each.name] = each.form_field(ctx)

    def clean(self) -> None:
        """Reject filters that set the same API filter to different values."""
        asked: dict[str, Any] = {}
        for each, value in self._values():
            wanted = each.api_params(value)
            if any(asked.get(name, other) != other for name, other in wanted.items()):
                self.add_error(each.name, each.conflict)
            else:
                asked |= wanted

    @cached_property
    def active(self) -> list[tuple[Filter, Any]]:
        return list(self._values()) if self.errors is not None else []

    def _values(self) -> Iterator[tuple[Filter, Any]]:
        for each in self.filters:
            value = self.cleaned_data.get(each.name)
            if value not in (None, ""):
                yield each, value

    @property
    def is_local(self) -> bool:
        """Return whether rows have to be read and tested because the service lacks a filter."""
        return any(each.is_local for each, _ in self.active)

    @cached_property
    def params(self) -> dict[str, str]:
        """Return the parameters of the URL; an invalid value stays as it was typed."""
        return self._params(self.active)

    def params_as_of_today(self) -> dict[str, str]:
        """Return the parameters with relative values fixed as of today."""
        return self._params((each, each.as_of_today(value)) for each, value in self.active)

    def _params(self, values: Iterable[tuple[Filter, Any]]) -> dict[str, str]:
        readable = {each.name: each.address_value(value) for each, value in values}
        params: dict[str, str] = {}
        for each in self.filters:
            if each.name in readable:
                params[each.name] = readable[each.name]
            elif each.name in self.errors:
                typed = {name: self.data.get(name, "").strip() for name in each.parameters}
                params |= {name: text for name, text in typed.items() if text}
        return params

    def params_without(self, name: str) -> dict[str, str]:
        left = next(each.parameters for each in self.filters if each.name == name)
        return {key: value for key, value in self.params.items() if key not in left}

    @cached_property
    def api_params(self) -> dict[str, Any]:
        asked = (each.api_params(value) for each, value in self.active)
        return {name: value for part in asked for name, value in part.items()}

    @cached_property
    def row_tests(self) -> list[RowTest]:
        tests = (each.row_test(value, self.ctx) for each, value in self.active)
        return [test for test in tests if test]

    @cached_property
    def row_order(self) -> RowOrder | None:
        orders = (each.row_order(value, self.ctx) for each, value in self.active)
        return next(filter(None, orders), None)

    @property
    def problems(self) -> list[str]:
        return [
            f"{self.fields[name].label}: {' '.join(map(str, errors))}"
            for name, errors in self.errors.items()
        ]

    @property
    def lacks_own_user(self) -> bool:
        """Return whether a filter for the person's own user fails as that is not known."""
        return any(self.has_error(name, ME) for name in self.errors)

    @property
    def shortcuts(self) -> dict[str, str]:
        """Return the label of PICKER_KEY, if a filter is a picker."""
        pickers = [each for each in self.filters if isinstance(each, RecordOf)]
        return {PICKER_KEY: pickers[0].key_label} if pickers else {}

    def suggest(self, ids: Mapping[str, tuple[int, ...]]) -> None:
        """Let the pickers offer these records first. `ids`: by endpoint."""
        for item in self.fields.values():
            if isinstance(item, PickerField):
                item.widget.listed = ids.get(item.endpoint.name, ())[:MAX_LISTED]


@dataclass(frozen=True)
class BuiltInView:
    """A named list that everyone has: the parameters of its URL."""

    key: str
    label: str
    params: Mapping[str, str]


class FilterSelect(forms.Select):
    """A select that also shows a value it does not offer, by its `caption`."""

    def __init__(
        self, choices: Iterable[tuple[str, str]] = (), caption: Callable[[str], str] = str
    ) -> None:
        super().__init__(choices=[*choices])
        self.caption = caption

    def optgroups(self, name: str, value: list[str], attrs: Any = None) -> list[Any]:
        groups: list[Any] = super().optgroups(name, value, attrs)
        known = {str(code) for code, _ in self.choices}
        for code in value:
            if code not in known:
                label, place = self.caption(code), len(groups)
                option = self.create_option(name, code, label, True, place, attrs=attrs)
                groups.append((None, [option], place))
        return groups


AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?\.\.")  # in an address, in whatever style


class AmountField(MoneyField):
    """An amount as typed, or in the style-independent form of a URL."""

    def prepare_value(self, value: Any) -> Any:
        """Format the amount of a URL in the person's style; leave typed text unchanged."""
        amount = _amount_in_address(value)
        return value if amount is None else write_number(amount, self.style)

    def to_python(self, value: Any) -> Decimal | None:
        """Return the amount; None for no text. Raises ValidationError."""
        amount = _amount_in_address(value)
        return super().to_python(value) if amount is None else amount


def _amount_in_address(value: Any) -> Decimal | None:
    text = str(value or "").strip()
    return Decimal(text.removesuffix("..")) if AMOUNT.fullmatch(text) else None


@dataclass(frozen=True)
class AtLeast(Filter):
    """The least amount in a list field, compared with the rows that were read."""

    is_local = True
    _: KW_ONLY
    field: str

    def form_field(self, ctx: RequestContext) -> forms.Field:
        item = AmountField(label=self.label, required=False, least=0)
        item.bind(ctx)
        item.widget.attrs["placeholder"] = "Amount"
        return item

    def address_value(self, value: Decimal) -> str:
        return f"{value:f}.."

    def row_test(self, value: Decimal, ctx: RequestContext) -> RowTest:
        def is_as_large(record: Record) -> bool:
            amount = record[self.field]
            return isinstance(amount, Decimal) and amount >= value

        return is_as_large

    def caption(self, value: Decimal, ctx: RequestContext) -> str:
        return write_number(value, ctx.style, grouped=True)


BETWEEN = "between"
CHOOSE_DAYS = "“%(value)s” isn't valid. Choose a period or two days."
REVERSED = "Choose a first day before the last one."
ENDS = {"from": "from", "to": "until"}  # of the names of the two parameters, with their words


class Span(NamedTuple):
    """Days from the first to the last, None for an open end; `word` where they have a name."""

    days: DateRange
    word: str = ""


class SpanWidget(forms.Widget):
    """A select of spans, and two days. An address has a span as 2026-03-01..2026-03-31, too."""

    template_name = "schema/span.html"

    def __init__(self, label: str, style: Style) -> None:
        super().__init__()
        self.label, self.style = label, style

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """Return the word and the two days as texts; no days if the word is enough."""
        word, *ends = (data.get(f"{name}{suffix}", "").strip() for suffix in Days.suffixes)
        stored = word.split("..", 1) if ".." in word else ["", ""]
        if word in dates.RANGES or (not word and name in data):
            return [word, "", ""]
        ends = [typed or known for typed, known in zip(ends, stored, strict=True)]
        return [BETWEEN if any(stored) or (any(ends) and not word) else word, *ends]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `options` (labels by value), `chosen`, and `days` (name, label, day)."""
        (word, *texts), today = value, timezone.localdate()
        options = {"": "Any", **dates.RANGES, BETWEEN: "Between two days"}
        days = [
            (f"{name}_{end}", f"{self.label} {words}", read_typed_day(text, today, self.style))
            for (end, words), text in zip(ENDS.items(), texts, strict=True)
        ]
        context = {"options": options | {word: options.get(word, word)}, "chosen": word}
        return super().get_context(name, value, attrs) | context | {"days": days}


class SpanField(forms.Field):
    """Days from the first to the last; cleans to a Span, or None for any."""

    def __init__(self, label: str, style: Style) -> None:
        super().__init__(label=label, required=False, widget=SpanWidget(label, style))
        self.style = style

    def to_python(self, value: Any) -> Span | None:
        """Return the days of the word, or those typed. Raises ValidationError."""
        (word, *texts), today = value, timezone.localdate()
        if word in dates.RANGES:
            return Span(dates.named_range(word, today, self.style), word)
        if word not in ("", BETWEEN):
            raise ValidationError(CHOOSE_DAYS, params={"value": word})
        first, last = (read_typed_day(text, today, self.style) for text in texts)
        if wrong := list(dict.fromkeys(filter(None, (first.wrong, last.wrong)))):
            raise ValidationError(wrong)
        if first.day and last.day and first.day > last.day:
            raise ValidationError(REVERSED)
        return Span(DateRange(first.day, last.day)) if first.day or last.day else None


@dataclass(frozen=True)
class Days(Filter):
    """A span of days. sent: the two parameters of the API for its ends. field: without `sent`, the
    list field that each row is tested by.
    """

    suffixes = ("", *(f"_{end}" for end in ENDS))
    _: KW_ONLY
    sent: tuple[str, str] | None = None
    field: str = ""

    @property
    def is_local(self) -> bool:  # type: ignore[override]  # a constant of most kinds
        return self.sent is None

    def form_field(self, ctx: RequestContext) -> forms.Field:
        return SpanField(self.label, ctx.style)

    def address_value(self, value: Span) -> str:
        return value.word or "..".join(
            str(day or "") for day in (value.days.first, value.days.last)
        )

    def api_params(self, value: Span) -> dict[str, Any]:
        ends = (value.days.first, value.days.last)
        return dict(zip(self.sent, ends, strict=True)) if self.sent else {}

    def row_test(self, value: Span, ctx: RequestContext) -> RowTest | None:
        if self.sent:
            return None
        first, last = value.days.first or date.min, value.days.last or date.max

        def is_within(record: Record) -> bool:
            day = record[self.field]
            return isinstance(day, date) and first <= day <= last

        return is_within

    def as_of_today(self, value: Span) -> Span:
        return Span(value.days)

    def caption(self, value: Span, ctx: RequestContext) -> str:
        return dates.RANGES.get(value.word) or str(value.days)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from unknown(endpoint, *(self.sent or ()))


PICKER_KEY = "w"  # "who": focuses the first picker of a list


@dataclass(frozen=True)
class Choice(Filter):
    """One of a few values. choices: their labels. Without choices, the form field of its name
    decides: a choice, an entry or a record.
    """

    _: KW_ONLY
    choices: Mapping[str, str] = field(default_factory=dict)

    def resolved_from_field(self, item: forms.Field | None) -> Filter:
        """Return the filter for the form field if this one has no choices of its own."""
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
        choices = item.captions if isinstance(item, ChoiceField) else {}
        return replace(self, label=label, choices=choices)

    def form_field(self, ctx: RequestContext) -> forms.Field:
        return self._field

    @cached_property
    def _field(self) -> forms.Field:
        return forms.ChoiceField(
            label=self.label,
            choices=[ANY, *self.choices.items()],
            widget=FilterSelect(),
            required=False,
            error_messages={"invalid_choice": CHOOSE},
        )

    def api_params(self, value: str) -> dict[str, Any]:
        if self.is_local:
            return {}
        number = whole_number(value, least=0)
        return {self.name: value if number is None else number}

    def caption(self, value: str, ctx: RequestContext) -> str:
        return self.choices[value]

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from super().problems(endpoint)
        fields = (each for each in endpoint.filters if each.name == self.name)
        values = {str(value) for each in fields for value, _ in each.choices}
        if wrong := sorted(set(self.choices) - values) if values else []:
            yield f"the service has no {', '.join(wrong)} in its filter “{self.name}”."


class UserField(IdField):
    """A user of the service by id; ME is the person's own."""

    def __init__(self, ctx: RequestContext, **options: Any) -> None:
        super().__init__(**options)
        self.ctx = ctx

    def to_python(self, value: Any) -> int | None:
        """Return the id; None for none. Raises ValidationError, also where one's own is unknown."""
        if value != ME:
            return super().to_python(value)
        own = whole_number(own_id(self.ctx))
        if own is None:
            raise ValidationError(UNKNOWN_SELF, code=ME)
        return own


@dataclass(frozen=True)
class Entry(Filter):
    """An entry of a list of the workspace by its id; an id without a name is accepted."""

    _: KW_ONLY
    kind: Kind

    def form_field(self, ctx: RequestContext) -> forms.Field:
        choices = reference_lists.choices(ctx.workspace, self.kind)
        widget: forms.Widget = forms.TextInput(
            {"inputmode": "numeric", "autocomplete": "off", "placeholder": "Number"}
        )
        if len(choices) > reference_lists.MAX_LISTED:
            widget = ReferenceWidget(self.kind, {"placeholder": "Any"})
            widget.workspace = ctx.workspace
        elif choices:
            widget = FilterSelect([ANY, *choices.items()], lambda code: self._words(code, ctx))
        wrong = {"invalid": CHOOSE if choices else CHOOSE_NUMBER}
        field = partial(UserField, ctx) if self.kind == Kind.USER else IdField
        return field(label=self.label, required=False, widget=widget, error_messages=wrong)

    def _words(self, text: str, ctx: RequestContext) -> str:
        if text == ME:
            return "Me"
        number = whole_number(text)
        return self.caption(number, ctx) if number else text

    def caption(self, value: int, ctx: RequestContext) -> str:
        return reference_lists.label(ctx.workspace, self.kind, value)


class ChosenRecordField(PickerField):
    """A picker that accepts only a chosen record, so that no name is looked up before the list is
    read.
    """

    def to_python(self, value: Any) -> int | None:
        """Return the chosen id; None for nothing. Raises ValidationError."""
        text = str(value or "").strip()
        number = whole_number(text)
        if text and number is None:
            shown = text.removeprefix(TYPED)
            raise ValidationError(CHOOSE, params={"value": shown})
        return number


@dataclass(frozen=True)
class RecordOf(Filter):
    """A record of the endpoint `points_to`, chosen in a picker among those that match
    `base_filters`; those that match `prefers` come first (schema/pickers.py).
    """

    suffixes = ("", "-was", "-text")
    _: KW_ONLY
    points_to: Endpoint
    base_filters: Mapping[str, str] = field(default_factory=dict)
    prefers: str = ""

    def form_field(self, ctx: RequestContext) -> forms.Field:
        item = ChosenRecordField(
            self.points_to,
            base_filters=self.base_filters,
            prefers=self.prefers,
            label=self.label,
            required=False,
        )
        item.bind(ctx)
        item.widget.attrs |= {
            "placeholder": "Any",
            "data-key": PICKER_KEY,
            "data-key-label": self.key_label,
        }
        return item

    @property
    def key_label(self) -> str:
        return f"Filter by {self.label.lower()}"

    def caption(self, value: int, ctx: RequestContext) -> str:
        return find.read_title(ctx.gateway, self.points_to, value)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from super().problems(endpoint)
        known = {each.name for each in self.points_to.filters}
        for name in sorted(self.base_filters.keys() - known):
            yield f"the filter “{self.name}” asks {self.points_to.name} for a filter “{name}”."


def filters(*parts: str | Filter) -> tuple[Filter, ...]:
    """Return filters; a plain name stands for the filter that its form field makes."""
    return tuple(Choice(part) if isinstance(part, str) else part for part in parts)


NONE = "none"


@dataclass(frozen=True)
class Lacking(Choice):
    """Records whose list row has no value in a field."""

    is_local = True
    _: KW_ONLY
    choices: Mapping[str, str] = field(default_factory=lambda: {NONE: "Not set"})
    field: str

    def row_test(self, value: str, ctx: RequestContext) -> RowTest:
        return lambda record: not record[self.field]
