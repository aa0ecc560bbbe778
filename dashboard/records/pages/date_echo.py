"""Says which day somebody means while they are still at it (static/days.js)."""

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from dashboard.records.context import StaffRequest, style_of
from dashboard.records.forms.inputs import day_echo
from dashboard.records.parsing.datetimes import datetime_echo
from dashboard.records.parsing.style import NotReadable

LONGEST = 40


@require_safe
def echo(request: StaffRequest) -> JsonResponse:
    """{"said": "Fri 14 Mar 2026", "iso": "2026-03-14", "time": ""}; without a day `iso` is empty.

    With ?kind=moment a time belongs to it, and is said as well.
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
