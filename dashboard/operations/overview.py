"""The page Operation: whether workers live, and the writes, jobs, deletions, mails and keys that
wait for somebody, of everybody in the administrator's workspace. Superusers see those of all.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_tasks_db.models import DBTaskResult

from dashboard import __version__
from dashboard.accounts import mails
from dashboard.accounts.models import Mail, User
from dashboard.accounts.permissions import MANAGE_SETTINGS, permission_required, signed_in
from dashboard.credentials.models import KeyPair, Pause
from dashboard.credentials.services import administered_by, pair_of
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import Job
from dashboard.ledger.models import Write
from dashboard.operations import hours, workers
from dashboard.operations.tidying import tidy_daily

MOST = 20  # rows of a block
STUCK = timedelta(minutes=5)  # without a turn
OVERDUE = timedelta(minutes=1)  # a deletion is sent 8 seconds after it was asked for


@dataclass(frozen=True)
class StateBlock:
    """Rows of one kind: the first MOST, and how many there are."""

    rows: QuerySet[Any]
    count: int


@permission_required(MANAGE_SETTINGS)
@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show it. Records are not named: what was typed is sealed for its person."""
    now, person = timezone.now(), signed_in(request)
    refused = KeyPair.objects.filter(refused=True).select_related("user").order_by("pk")
    everywhere: dict[str, tuple[QuerySet[Any], str]] = {
        "unsure": (not_sure(), "workspace"),
        "jobs": (stuck_jobs(now), "workspace"),
        "deletions": (unsent(now), "workspace"),
        "refused": (refused, "workspace"),
        "pauses": (todays_pauses(now), "person__key_pair__workspace"),
    }
    workspaces = administered_by(person)
    blocks = {
        name: rows if workspaces is None else rows.filter(**{f"{field}__in": workspaces})
        for name, (rows, field) in everywhere.items()
    }
    context: dict[str, Any] = {
        name: StateBlock(rows[:MOST], rows.count()) for name, rows in blocks.items()
    }
    context["hours"] = hours.by_hour(now, workspaces)
    unsent_mails = mails_of(person).filter(next_try__isnull=True)
    context |= {
        "title": "System status",
        "queue": workers.queue(),
        "in_words": workers.in_words,
        "mails": StateBlock(unsent_mails[:MOST], unsent_mails.count()),
        "mails_waiting": mails_of(person).filter(next_try__isnull=False).count(),
        "tidied": last_tidied(),
        "version": __version__,
        "pair": pair_of(person),
    }
    found = (context[name].count for name in (*blocks, "mails"))
    context["has_problems"] = context["queue"].is_silent or any(found)
    return render(request, "operations/overview.html", context)


def not_sure() -> QuerySet[Write]:
    """The open writes of unknown outcome, the oldest first."""
    condition = {"state": Write.State.NOT_SURE, "resolution": Write.Resolution.OPEN}
    return Write.objects.filter(**condition).select_related("person").order_by("asked_at")


def stuck_jobs(now: datetime) -> QuerySet[Job]:
    """Jobs that are paused, or should run and have had no turn for STUCK; the oldest first."""
    late = Q(state__in=RUNNABLE, since__lt=now - STUCK) & ~Q(not_before__gt=now)
    known = Job.objects.annotate(since=Coalesce("last_turn", "created_at"))
    stuck = known.filter(Q(state=Job.State.PAUSED) | late)
    return stuck.select_related("person").order_by("since")


def unsent(now: datetime) -> QuerySet[Write]:
    """Deletions that no worker has sent in time, the oldest first."""
    waiting = Write.objects.filter(Write.COUNTED_DOWN, state=Write.State.WAITING)
    late = waiting.filter(asked_at__lt=now - OVERDUE)
    return late.select_related("person").order_by("asked_at")


def todays_pauses(now: datetime) -> QuerySet[Pause]:
    """The pauses since midnight, the latest first."""
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    return Pause.objects.filter(last__gte=midnight).select_related("person").order_by("-last")


def last_tidied() -> datetime | None:
    """When a worker last tidied; None for never."""
    tidied = DBTaskResult.objects.successful().filter(task_path=tidy_daily.module_path)
    return tidied.order_by("-finished_at").values_list("finished_at", flat=True).first()


def mails_of(administrator: User) -> QuerySet[Mail]:
    """The mails that were not sent, the oldest first: to people of the administrator's workspace
    and to those who have connected no keys yet, as invitations are; for a superuser all.
    """
    found = Mail.objects.select_related("person").order_by("since")
    workspaces = administered_by(administrator)
    if workspaces is None:
        return found
    without_keys = Q(person__isnull=False, person__key_pair__isnull=True)
    return found.filter(Q(person__key_pair__workspace__in=workspaces) | without_keys)


@permission_required(MANAGE_SETTINGS)
@require_POST
def send_mail_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the worker try a mail again that it has given up."""
    mail = get_object_or_404(mails_of(signed_in(request)), pk=pk)
    if mails.send_again(mail.pk):
        messages.success(request, "The mail is sent again.")
    return redirect("operation:page")


urls = (
    [path("", show, name="page"), path("mails/<int:pk>/", send_mail_again, name="send_mail")],
    "operation",
)
