"""Who else has the same record open: a light heartbeat of edit forms, kept in the cache alone.

The API does not say which key pairs belong to one workspace; people only write a label beside
theirs. A name is therefore told only to somebody who has connected keys under the same label and
has themselves read a record of the same number and name: both go into the room where people meet.
"""

import time
from typing import Any

from django.core import signing
from django.core.cache import cache
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_POST

from dashboard.records.context import StaffRequest, workspace_of

HEARTBEAT = 25  # seconds between two beats of a form that can be seen
GONE = 70  # seconds after the last beat
SALT = "records.presence"


def join(request: StaffRequest, record: str, title: str) -> dict[str, Any]:
    """Note that a person has the form of a record open; its room, signed, and who
    else is there, in words."""
    workspace = " ".join(workspace_of(request.user).split()).casefold()
    room = salted_hmac(SALT, "\n".join([workspace, record, title])).hexdigest()
    ticket = signing.dumps([room, request.user.pk], salt=SALT)
    return {"room": ticket, "others": _others_present(request, room), "beat": str(HEARTBEAT)}


@require_POST
def heartbeat(request: StaffRequest) -> HttpResponse:
    """{"others": who has the same record open, in words; "" for nobody}."""
    try:
        room, person = signing.loads(request.POST.get("room", ""), salt=SALT)
    except signing.BadSignature:
        return HttpResponseBadRequest()
    if person != request.user.pk:
        return HttpResponseBadRequest()
    return JsonResponse({"others": _others_present(request, room)})


def _others_present(request: StaffRequest, room: str) -> str:
    """Two beats at one moment may lose one of them; the next one mends that."""
    now, key = time.time(), f"open:{room}"
    found: dict[int, tuple[str, float]] = cache.get(key) or {}
    here = {person: seen for person, seen in found.items() if seen[1] > now - GONE}
    user = request.user
    here[user.pk] = (user.get_full_name() or user.get_username(), now)
    cache.set(key, here, GONE)
    return _words(sorted(name for person, (name, _) in here.items() if person != user.pk))


def _words(names: list[str]) -> str:
    if len(names) < 2:
        return f"{names[0]} has this open." if names else ""
    return f"{', '.join(names[:-1])} and {names[-1]} have this open."
