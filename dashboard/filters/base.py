"""What every filter of a list can do; each kind is a class of its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.context import RequestContext
from dashboard.gateway import Endpoint, Record, whole_number
from dashboard.text.dates import TypedDay
from dashboard.text.style import Style

Sent = int | str | date | None


@dataclass(frozen=True)
class TypedFilter:
    """What an address says of a filter. value: the valid value, "" for none. unread: what cannot
    be read, as it was typed, by its parameter. wrong: why it cannot, in sentences.
    """

    value: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()


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

    sent: filters of the API that hold for all it keeps. order: a key to sort by, None for the
    service's order. conflict: what to say where another filter excludes what is `sent`.
    """

    keeps: Callable[[Record], bool]
    _: KW_ONLY
    sent: Mapping[str, Any] = field(default_factory=dict)
    order: Callable[[Record], Any] | None = None
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
