"""The filters of a list: what each can do, and a class for each kind."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.forms.renderers import get_default_renderer
from django.http import QueryDict
from django.utils import timezone

from dashboard.catalogue import services
from dashboard.catalogue.fields import ReferenceField
from dashboard.catalogue.kinds import Kind
from dashboard.context import RequestContext
from dashboard.forms import pickers
from dashboard.forms.field_cells import words_of
from dashboard.forms.pickers import PickerField
from dashboard.gateway import Endpoint, Record, whole_number
from dashboard.ledger import history
from dashboard.reader import find
from dashboard.text import dates
from dashboard.text.dates import DateRange, TypedDay, read_typed_day
from dashboard.text.numbers import read_number, write_number
from dashboard.text.style import NotReadable, Style

Sent = int | str | date | None


@dataclass(frozen=True)
class TypedFilter:
    """What an address says of a filter. value: the valid value, "" for none. unread: what cannot
    be used, as it was typed, by its parameter; the list is empty then. wrong: why, in sentences.
    """

    value: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()


CHOOSE = "Choose one from the list."
CHOOSE_DAYS = "Choose a time, or two days."


def _chosen(name: str, text: str, *, is_usable: bool) -> TypedFilter:
    """A value that was typed or linked, if it is one of those to choose from."""
    unread = {} if is_usable or not text else {name: text}
    return TypedFilter("" if unread else text, unread, (CHOOSE,) if unread else ())


@dataclass(frozen=True)
class Control:
    """A filter as the page draws it: a `picker`, else a select of `options`, else a text.

    options: what may be chosen, in words by value, of which `chosen` is. picker: its HTML, which
    Django's form renderer makes. days: name, label and what was typed of the two days of a span.
    hint: stands in an empty text, which takes digits alone unless it `takes` "decimal".
    is_local: the filter applies to the rows that were read. wrong: why the text cannot be read.
    """

    name: str
    label: str
    value: str
    options: Mapping[str, str] = field(default_factory=dict)
    chosen: str = ""
    picker: str = ""
    days: tuple[tuple[str, str, TypedDay], ...] = ()
    hint: str = "Number"
    takes: str = "numeric"
    is_local: bool = False
    wrong: str = ""


@dataclass(frozen=True)
class LocalFilter:
    """Which of the rows read a filter keeps that the service lacks.

    sent: filters of the API that hold for all it keeps. order: puts rows in order, None for the
    service's order. ordered: that order in words. conflict: what to say where another filter
    excludes what is `sent`.
    """

    keeps: Callable[[Record], bool]
    _: KW_ONLY
    sent: Mapping[str, Any] = field(default_factory=dict)
    order: Callable[[Iterable[Record]], list[Record]] | None = None
    ordered: str = ""
    conflict: str = ""


@dataclass(frozen=True)
class Filter(ABC):
    """One filter of a list: a parameter of its address, and by default one of the API."""

    name: str
    _: KW_ONLY
    label: str = ""

    @property
    def is_local(self) -> bool:
        """Whether the service lacks it, so that it applies to the rows that were read."""
        return False

    def completed(self, item: forms.Field | None) -> "Filter":
        """The filter with what the form field of its name says."""
        return self

    def offering(self, listed: Mapping[str, tuple[int, ...]]) -> "Filter":
        """The filter that offers the records of a list first, whose ids are given by endpoint."""
        return self

    @abstractmethod
    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        """Its value in an address, or in a form that was sent without JavaScript."""

    def send(self, value: str, endpoint: Endpoint, style: Style) -> dict[str, Sent]:
        """The filters of the API by wire name, as `Gateway.list` takes them."""
        if self.is_local:
            return {}
        kind = endpoint.filter(self.name).kind
        return {self.name: whole_number(value, least=0) if kind == "integer" else value}

    def local(self, value: str, ctx: RequestContext) -> LocalFilter | None:
        """How it applies to the rows that were read; None where the service applies it."""
        return None

    def as_of_today(self, value: str, style: Style) -> str:
        """The value that means tomorrow what this one means today."""
        return value

    @abstractmethod
    def words(self, value: str, ctx: RequestContext) -> str:
        """The value as a person reads it."""

    def draw(self, value: str, **drawn: Any) -> Control:
        """A control with this name and label."""
        return Control(self.name, self.label, value, is_local=self.is_local, **drawn)

    @abstractmethod
    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """The control with this value. params: the address, with what cannot be read of it."""

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        """What is wrong with its declaration for the list of an endpoint, in sentences."""
        if not self.is_local:
            yield from unknown(endpoint, self.name)


def unknown(endpoint: Endpoint, *names: str) -> Iterator[str]:
    """A sentence for each of these filters that the endpoint lacks."""
    known = {each.name for each in endpoint.filters}
    yield from (f"the service has no filter “{name}”." for name in names if name not in known)


@dataclass(frozen=True)
class BuiltInView:
    """A list under a name that everybody has: the parameters of its address by name.

    own_id: a filter that takes the person's own user id in the service; without one there is no
    such list.
    """

    key: str
    label: str
    params: Mapping[str, str]
    _: KW_ONLY
    own_id: str = ""


LONGEST_AMOUNT = 40  # characters of an amount as typed
STORED = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6})?\.\.")
NEGATIVE = "Write an amount of 0 or more."


@dataclass(frozen=True)
class AtLeast(Filter):
    """The least amount in a list field, compared with the rows that were read."""

    _: KW_ONLY
    field: str

    @property
    def is_local(self) -> bool:
        return True

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        typed = params.get(self.name, "").strip()[:LONGEST_AMOUNT].strip()
        if not typed or STORED.fullmatch(typed):
            return TypedFilter(typed)
        try:
            amount = read_number(typed, style)
        except NotReadable as error:
            return TypedFilter(unread={self.name: typed}, wrong=(str(error),))
        stored = f"{amount:f}.."
        if not STORED.fullmatch(stored):
            return TypedFilter(unread={self.name: typed}, wrong=(NEGATIVE,))
        return TypedFilter(stored)

    def local(self, value: str, ctx: RequestContext) -> LocalFilter:
        least = _amount(value)

        def keeps(record: Record) -> bool:
            amount = record[self.field]
            return isinstance(amount, Decimal) and amount >= least

        return LocalFilter(keeps)

    def words(self, value: str, ctx: RequestContext) -> str:
        return write_number(_amount(value), ctx.style, grouped=True)

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        typed = self.read(params, ctx.style)
        text = write_number(_amount(value), ctx.style) if value else typed.unread.get(self.name, "")
        wrong = " ".join(typed.wrong)
        return self.draw(text, hint="Amount", takes="decimal", wrong=wrong)


def _amount(value: str) -> Decimal:
    """The amount by its value in the address."""
    return Decimal(value.removesuffix(".."))


BETWEEN = "between"
REVERSED = "The first day is after the last one."
ENDS = {"from": "from", "to": "until"}  # of the names of the two parameters, with their words


@dataclass(frozen=True)
class Days(Filter):
    """A span of days. sent: the two parameters of the API that take its ends. field: without them,
    the list field that is compared with it here.
    """

    _: KW_ONLY
    sent: tuple[str, str] | None = None
    field: str = ""

    @property
    def is_local(self) -> bool:
        return self.sent is None

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        """A key of `dates.RANGES`, or two days, without what is unreadable."""
        span = params.get(self.name, "").strip()
        if span not in ("", BETWEEN) and not dates.read_range(span, timezone.localdate()):
            return TypedFilter("", {self.name: span}, (CHOOSE_DAYS,))
        word, ends = self._typed(params, style)
        names = [f"{self.name}_{end}" for end in ENDS]
        unread = {name: day.typed for name, day in zip(names, ends, strict=True) if day.wrong}
        first, last = ("" if day.wrong else str(day.day or "") for day in ends)
        wrong = tuple(dict.fromkeys(day.wrong for day in ends if day.wrong))
        return TypedFilter(word or dates.range_between(first, last), unread, wrong)

    def send(self, value: str, endpoint: Endpoint, style: Style) -> dict[str, Sent]:
        if self.sent is None:
            return {}
        span = _span(value, style)
        return dict(zip(self.sent, (span.first, span.last), strict=True))

    def local(self, value: str, ctx: RequestContext) -> LocalFilter | None:
        if self.sent is not None:
            return None
        span = _span(value, ctx.style)
        first, last = span.first or date.min, span.last or date.max

        def keeps(record: Record) -> bool:
            day = record[self.field]
            return isinstance(day, date) and first <= day <= last

        return LocalFilter(keeps)

    def as_of_today(self, value: str, style: Style) -> str:
        """The days in place of words such as this month."""
        span = _span(value, style)
        return dates.range_between(*(str(day or "") for day in (span.first, span.last)))

    def words(self, value: str, ctx: RequestContext) -> str:
        return dates.range_words(value, timezone.localdate())

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A select of spans, and two days."""
        word, ends = self._typed(params, ctx.style)
        options = {**dates.RANGES, BETWEEN: "Between two days"}
        days = tuple(
            (f"{self.name}_{end}", f"{self.label} {words}", day)
            for (end, words), day in zip(ENDS.items(), ends, strict=True)
        )
        chosen = word or (BETWEEN if any(day.typed for day in ends) else "")
        return self.draw(value, options=options, chosen=chosen, days=days)

    def problems(self, endpoint: Endpoint) -> Iterator[str]:
        yield from unknown(endpoint, *(self.sent or ()))

    def _typed(self, params: QueryDict, style: Style) -> tuple[str, tuple[TypedDay, TypedDay]]:
        """A word, or the two days."""
        value, today = params.get(self.name, "").strip(), timezone.localdate()
        if value in dates.RANGES:
            return value, (TypedDay(), TypedDay())
        stored = value if dates.read_range(value, today) else ""
        first, last = (
            read_typed_day(params.get(f"{self.name}_{end}", "").strip() or known, today, style)
            for end, known in zip(ENDS, stored.partition("..")[::2], strict=True)
        )
        if first.day and last.day and first.day > last.day:
            return "", (replace(first, wrong=REVERSED), replace(last, wrong=REVERSED))
        return "", (first, last)


def _span(value: str, style: Style) -> DateRange:
    """The days of a value as of today."""
    return dates.read_range(value, timezone.localdate(), style) or DateRange(None, None)


ME = "me"
CREATED_BY_ME = BuiltInView("created", "Entered by me", {"created": ME})
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
        return _chosen(self.name, value, is_usable=value in self.choices)

    def words(self, value: str, ctx: RequestContext) -> str:
        return self.choices[value]

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        typed = value or params.get(self.name, "").strip()
        unknown = {typed: typed} if typed and typed not in self.choices else {}
        return self.draw(value, options={**self.choices, **unknown}, chosen=typed)

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
        value = params.get(self.name, "").strip()
        number = whole_number(value)
        return _chosen(self.name, str(number or value), is_usable=bool(number))

    def words(self, value: str, ctx: RequestContext) -> str:
        return services.label(ctx.workspace, self.kind, value)

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A select; a text for the number where the list is empty."""
        words = services.choices(ctx.workspace, self.kind)
        typed = value or params.get(self.name, "").strip()
        if typed and words and typed not in words:
            words = {**words, typed: self.words(value, ctx) if value else typed}
        return self.draw(typed, options=words, chosen=typed)


@dataclass(frozen=True)
class RecordOf(Filter):
    """A record of the endpoint `points_to`, chosen in a picker among those that `base_filters`
    leave; those that `prefers` names come first, before them those with the ids `listed`
    (forms/pickers.py).
    """

    _: KW_ONLY
    points_to: Endpoint
    base_filters: Mapping[str, str] = field(default_factory=dict)
    prefers: str = ""
    listed: tuple[int, ...] = ()

    def offering(self, listed: Mapping[str, tuple[int, ...]]) -> "RecordOf":
        ids = listed.get(self.points_to.name, ())
        return replace(self, listed=ids[: pickers.MOST_LISTED])

    def read(self, params: QueryDict, style: Style) -> TypedFilter:
        typed = self._field().widget.value_from_datadict(params, {}, self.name)
        number, text = whole_number(typed), typed.removeprefix(pickers.TYPED)
        parameter = self.name if text == typed else f"{self.name}-text"
        return _chosen(parameter, str(number or text), is_usable=bool(number))

    def words(self, value: str, ctx: RequestContext) -> str:
        return find.title(ctx.gateway, self.points_to, int(value))

    def control(self, value: str, ctx: RequestContext, params: QueryDict) -> Control:
        """A picker as in forms."""
        picker = self._field()
        picker.use_context(ctx)
        typed = picker.widget.value_from_datadict(params, {}, self.name)
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
            self.points_to,
            base_filters=self.base_filters,
            prefers=self.prefers,
            listed=self.listed,
            required=False,
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

    return Local("created", label="Entered", choices={ME: "By me"}, apply=apply)


def empty(label: str, name: str, field: str) -> Local:
    """A filter for records whose list row has nothing in a field."""
    return Local(
        name,
        label=label,
        choices={"none": "None given"},
        apply=lambda ctx, value: LocalFilter(lambda record: not record[field]),
    )
