"""A span of days as a filter: a name such as "this-month", or two days as a person types them."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date

from django.http import QueryDict
from django.utils import timezone

from dashboard.context import RequestContext
from dashboard.filters.base import Control, Filter, LocalFilter, Sent, TypedFilter, unknown
from dashboard.gateway import Endpoint, Record
from dashboard.text import dates
from dashboard.text.dates import DateRange, TypedDay, read_typed_day
from dashboard.text.style import Style

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
            (f"{self.name}_{end}", f"{self.label} {said}", day)
            for (end, said), day in zip(ENDS.items(), ends, strict=True)
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
