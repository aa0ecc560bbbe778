"""Parses a date while it is being typed, for static/js/days.js."""

from django.http import JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.people.context import RequestContext, page_without_keys
from dashboard.schema.inputs import DATETIME, FUTURE
from dashboard.text.dates import describe_typed, read_date, read_datetime
from dashboard.text.plain import typed_text
from dashboard.text.style import NotReadable

MAX_LENGTH = 40


@require_safe
@page_without_keys
def echo_date(ctx: RequestContext) -> JsonResponse:
    """Return JSON {"said": "Fri 14 Mar 2026", "iso": "2026-03-14", "time": ""}; only the weekday
    where the text has the date. If the text is no date, `iso` is "" and `said` is the reason.

    ?kind=moment parses a date with a time, and fills `time`; with ?kind=ahead a day without a year
    is the next such day.
    """
    text, style = typed_text(ctx.params, "text")[:MAX_LENGTH], ctx.style
    kind = ctx.params.get("kind")
    words, iso, time, today = "", "", "", timezone.localdate()
    try:
        if text and kind == DATETIME:
            meant = read_datetime(text, today, style)
            words, iso = describe_typed(text, meant), meant.date().isoformat()
            time = f"{meant:%H:%M}"
        elif text:
            day = read_date(text, today, style, looks_ahead=kind == FUTURE)
            words, iso = describe_typed(text, day), day.isoformat()
    except NotReadable as error:
        words = str(error)
    return JsonResponse({"said": words, "iso": iso, "time": time})


urlpatterns = [path("", echo_date, name="day")]
