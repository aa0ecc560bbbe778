"""A person's own settings for reminders of tasks, and the calendar of their tasks, which calendar
programs read by a secret address, without a sign-in. It is off until the person makes an address.

The key of the address stands in the query, which no log has.
"""

from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from dashboard import write_status
from dashboard.accounts.models import User
from dashboard.accounts.permissions import EDIT_RECORDS, VIEW_RECORDS, permission_required
from dashboard.context import RequestContext, context_with, page
from dashboard.credentials.backends import StaffBackend
from dashboard.credentials.services import gateway_for, note_answer
from dashboard.gateway import TASKS, Gateway, GatewayError, Record
from dashboard.markup import page_url
from dashboard.monitoring import rate_limit
from dashboard.preferences import calendar_addresses as addresses
from dashboard.preferences.models import CalendarAddress
from dashboard.reader import sealed_cache
from dashboard.reader.all_rows import all_rows
from dashboard.resources.tasks import OPEN_STATUSES, end_of
from dashboard.resources.tasks import TASKS as TASK_PAGES
from dashboard.sealed import marks_of
from dashboard.text.dates import format_datetime
from dashboard.text.icalendar import Event, calendar

from .due_soon import me_of

KEY = "key"  # the parameter of the address
AN_HOUR = 60 * 60  # seconds
MOST = 60  # times an hour that the calendar of one person is read
KEPT = 5 * 60  # seconds that an answer is kept
NO_CALENDAR = "There is no calendar at this address.\n"
NOT_NOW = "The tasks cannot be read now.\n"
TOO_OFTEN = "This calendar was read too often.\n"


def _makes(request: HttpRequest) -> bool:
    return request.POST.get("do") == "make"


@never_cache
@permission_required(VIEW_RECORDS)
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required(enabled=_makes)  # type: ignore[untyped-decorator]
@page
def settings(ctx: RequestContext) -> HttpResponse:
    """Whose tasks the reminders and the calendar are of, whether the browser shows reminders
    outside of its pages; makes the address of the calendar and shows it once, or ends it.
    """
    pressed = ctx.request.POST.get("do")
    known = addresses.of_person(ctx.user.pk)
    if pressed == "end":
        if known:
            addresses.end(known)
        messages.success(ctx.request, "The calendar is off. Its address leads nowhere.")
        return redirect("calendar:settings")
    context: dict[str, Any] = {
        "title": "Reminders and calendar",
        "is_known": me_of(ctx) is not None,
        "me_url": page_url("setup:me") if ctx.may(EDIT_RECORDS) else "",
        "address": _made(ctx) if pressed == "make" else "",
        "made_at": format_datetime(known.made_at) if known else "",
        "read_at": format_datetime(known.read_at) if known and known.read_at else "",
    }
    return ctx.render("overviews/calendar.html", context)


@sensitive_variables()
def _made(ctx: RequestContext) -> str:
    """A new address of the person's calendar, whole."""
    key = addresses.make(ctx.user.pk)
    return ctx.request.build_absolute_uri(f"{reverse('calendar:feed')}?{KEY}={key}")


@login_not_required  # whoever has the address may read
@require_safe
def serve(request: HttpRequest) -> HttpResponse:
    """The calendar. 404 for a wrong address and for people who may see no tasks any more, 429
    beyond the bound, 503 where the tasks cannot be read.
    """
    found = addresses.find(request.GET.get(KEY, ""))
    person = StaffBackend().get_user(found.person_id) if found else None
    if found is None or person is None or not person.has_perm(VIEW_RECORDS):
        return _plain(NO_CALENDAR, HTTPStatus.NOT_FOUND)
    if rate_limit.exceeded("calendar", person.pk, most=MOST, seconds=AN_HOUR):
        seconds = rate_limit.seconds_left(AN_HOUR)
        return _plain(TOO_OFTEN, HTTPStatus.TOO_MANY_REQUESTS, retry_after=seconds)
    try:
        text = _calendar_of(request, person, found)
    except GatewayError:
        return _plain(NOT_NOW, HTTPStatus.SERVICE_UNAVAILABLE, retry_after=KEPT)
    write_status.after_answer(addresses.note_read, address=found)
    return _answer(request, text)


def _calendar_of(request: HttpRequest, person: User, address: CalendarAddress) -> str:
    """The calendar, at most some minutes old. Raises GatewayError."""
    gateway = gateway_for(person)
    key = sealed_cache.keys_of(gateway)("calendar", TASKS, address.mark)
    if text := sealed_cache.read(key):
        return str(text)
    try:
        records = _open_tasks(gateway, me_of(context_with(person, gateway)))
    finally:
        note_answer(person, accepted=gateway.accepted)
    workspace = person.key_pair.workspace_id
    events = (_event(request, each, workspace) for each in records)
    dated = [each for each in events if each]
    text = calendar(dated, name="Entry Desk", made_at=address.made_at)
    sealed_cache.write(key, text, KEPT)
    return text


def _open_tasks(gateway: Gateway, me: int | None) -> list[Record]:
    """The open tasks of one user of the service, of everybody where the user is not known."""
    mine = {"assigned_user_id": me} if me else {}
    asked = [{"status": status, **mine} for status in OPEN_STATUSES]
    found = [each for one in asked for each in all_rows(gateway, TASKS, filters=one).records]
    return sorted(found, key=lambda each: (end_of(each), each.id))


def _event(request: HttpRequest, record: Record, workspace: str) -> Event | None:
    """None for a task without a time, or with one that no calendar has."""
    ends, starts = _moment(record["end_datetime"]), _moment(record["start_datetime"])
    begins = starts or ends
    if begins is None:
        return None
    uid = marks_of(f"{workspace} {record.id}", "calendar uids")[0]
    return Event(
        f"{uid}@entry-desk",
        TASK_PAGES.title(record),
        begins,
        ends,
        request.build_absolute_uri(TASK_PAGES.url(record.id)),
    )


def _moment(value: object) -> datetime | None:
    """A time of the service, which is of the zone of the office."""
    if not isinstance(value, datetime):
        return None
    try:
        return timezone.make_aware(value).astimezone(UTC)
    except OverflowError:
        return None


def _answer(request: HttpRequest, text: str) -> HttpResponse:
    body = text.encode()
    etag = quote_etag(sha256(body).hexdigest()[:32])
    if etag in request.headers.get("If-None-Match", ""):
        response = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
    else:
        response = HttpResponse(body, content_type="text/calendar; charset=utf-8")
        response.headers["Content-Disposition"] = 'inline; filename="tasks.ics"'
    response.headers["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _plain(words: str, status: HTTPStatus, *, retry_after: int = 0) -> HttpResponse:
    response = HttpResponse(words, content_type="text/plain; charset=utf-8", status=status)
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return response


feed = path("calendar/tasks.ics", serve, name="feed")
urls = ([path("settings/calendar/", settings, name="settings"), feed], "calendar")
