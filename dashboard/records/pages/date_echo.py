"""Parses a date while it is being typed, for static/days.js."""

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from dashboard.records.context import StaffRequest, style_of
from dashboard.records.forms.inputs import day_echo
from dashboard.records.parsing.datetimes import datetime_echo
from dashboard.records.parsing.style import NotReadable

LONGEST = 40


@require_safe
def echo_date(request: StaffRequest) -> JsonResponse:
    """{"said": "Fri 14 Mar 2026", "iso": "2026-03-14", "time": ""}; `iso` is "" if the text
    is no date, and `said` is then the reason.

    With ?kind=moment the text is parsed as a date with a time, and `time` is filled.
    """
    text, style = request.GET.get("text", "")[:LONGEST], style_of(request.user)
    said = iso = time = ""
    try:
        if text.strip() and request.GET.get("kind") == "moment":
            said, iso, time = datetime_echo(text, style)
        elif text.strip():
            said, iso = day_echo(text, style)
    except NotReadable as error:
        said = str(error)
    return JsonResponse({"said": said, "iso": iso, "time": time})
