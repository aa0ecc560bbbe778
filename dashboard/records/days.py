"""Says which day somebody means while they are still at it (static/days.js)."""

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from .desk import style_of
from .inputs import day_echo
from .reading import NotReadable
from .request import StaffRequest

LONGEST = 40


@require_safe
def echo(request: StaffRequest) -> JsonResponse:
    """{"said": "Fri 14 Mar 2026", "iso": "2026-03-14"}; without a day `iso` is empty."""
    text = request.GET.get("text", "")[:LONGEST]
    try:
        said, iso = day_echo(text, style_of(request.user)) if text.strip() else ("", "")
    except NotReadable as error:
        said, iso = str(error), ""
    return JsonResponse({"said": said, "iso": iso})
