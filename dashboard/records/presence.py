"""Shows who else has the same record open, by heartbeats of edit forms stored in the cache.

A name is shown only to members of the same workspace who have read a record with the same id and
title: the room's key is an HMAC of these.
"""

import time
from typing import Any

from django.core import signing
from django.core.cache import cache
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_POST

from dashboard.people.context import RequestContext, page

HEARTBEAT = 25  # seconds between two heartbeats of a visible form
PRESENCE_TIMEOUT = 70  # seconds after the last heartbeat until a person counts as absent
SALT = "records.presence"


def join(ctx: RequestContext, record: str, title: str) -> dict[str, Any]:
    """Store that the person has the record's form open. Return {"room": the signed room, "others":
    who else has it open, in words, "beat": seconds between heartbeats}.
    """
    room = salted_hmac(SALT, "\n".join([ctx.workspace, record, title])).hexdigest()
    ticket = signing.dumps([room, ctx.user.pk], salt=SALT)
    return {"room": ticket, "others": _others_present(ctx, room), "beat": str(HEARTBEAT)}


@require_POST
@page
def heartbeat(ctx: RequestContext) -> HttpResponse:
    """Return JSON {"others": who else has the record open, in words; "" for nobody}."""
    try:
        room, person = signing.loads(ctx.request.POST.get("room", ""), salt=SALT)
    except signing.BadSignature:
        return HttpResponseBadRequest()
    if person != ctx.user.pk:
        return HttpResponseBadRequest()
    return JsonResponse({"others": _others_present(ctx, room)})


def _others_present(ctx: RequestContext, room: str) -> str:
    """Store this person's heartbeat. Return who else is present, in words. Of two simultaneous
    heartbeats one may be lost, until the next one.
    """
    now, key = time.time(), f"open:{room}"
    seen_people: dict[str, list[Any]] = (
        cache.get(key) or {}
    )  # id of the person -> name, when last seen
    here = {
        person: seen for person, seen in seen_people.items() if seen[1] > now - PRESENCE_TIMEOUT
    }
    user = ctx.user
    here[str(user.pk)] = [user.display_name, now]
    cache.set(key, here, PRESENCE_TIMEOUT)
    return _words(sorted(name for person, (name, _) in here.items() if person != str(user.pk)))


def _words(names: list[str]) -> str:
    if len(names) < 2:
        return f"{names[0]} has this open." if names else ""
    return f"{', '.join(names[:-1])} and {names[-1]} have this open."
