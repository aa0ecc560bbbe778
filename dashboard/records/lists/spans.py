"""A span of days as a filter: a name such as "this-month", or two days as a person types them."""

from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils import timezone

from dashboard.records.parts import Filter
from dashboard.text import date_ranges
from dashboard.text.style import Style
from dashboard.text.typed_days import TypedDay, read_typed_day

BETWEEN = "between"
REVERSED = "The first day is after the last one."
ENDS = ("from", "to")


@dataclass(frozen=True)
class TypedSpan:
    """word: a key of `date_ranges.WORDS`, "" for two days, of which either may be empty."""

    name: str
    word: str
    first: TypedDay
    last: TypedDay

    @property
    def value(self) -> str:
        """The span for the address, as `date_ranges.read` takes it, without what is unreadable."""
        first, last = ("" if end.wrong else str(end.day or "") for end in self._ends)
        return self.word or date_ranges.between(first, last)

    @property
    def unread(self) -> dict[str, str]:
        """What cannot be used, as it was typed, by the parameter of the address."""
        named = zip(ENDS, self._ends, strict=True)
        return {f"{self.name}_{end}": day.typed for end, day in named if day.wrong}

    @property
    def _ends(self) -> tuple[TypedDay, TypedDay]:
        return self.first, self.last


def read_span(item: Filter, params: QueryDict, style: Style) -> TypedSpan:
    """The span of an address, or of a form that was sent without JavaScript."""
    value, today = params.get(item.name, "").strip(), timezone.localdate()
    if value in date_ranges.WORDS:
        return TypedSpan(item.name, value, TypedDay(), TypedDay())
    stored = value if date_ranges.read(value, today) else ""
    ends = []
    for end, known in zip(ENDS, stored.partition("..")[::2], strict=True):
        typed = params.get(f"{item.name}_{end}", "").strip()
        ends.append(read_typed_day(typed or known, today, style))
    first, last = ends
    if first.day and last.day and first.day > last.day:
        first, last = (replace(end, wrong=REVERSED) for end in ends)
    return TypedSpan(item.name, "", first, last)
