"""The page System status: heartbeats of workers, the last backup, and the writes, jobs, deletions,
emails and keys with a problem in the administrator's workspace, or in all of them for a superuser.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_tasks_db.models import DBTaskResult

from dashboard import __version__
from dashboard.administration.models import Backup, read_queue
from dashboard.administration.pruning import prune_daily
from dashboard.core.certificates import read_certificates
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import Job
from dashboard.people.keys import administered_by
from dashboard.people.models import KeyPair, Mail, User
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required, signed_in
from dashboard.text.dates import duration
from dashboard.writes.models import Write

MAX_ROWS = 20  # rows of a block
JOB_STALL_TIMEOUT = timedelta(minutes=5)  # without a turn
BACKUP_TIMEOUT = timedelta(hours=36)
DELETION_TIMEOUT = timedelta(minutes=1)  # a deletion is sent 8 seconds after it was asked for


@permission_required(MANAGE_SETTINGS)
@require_safe
def show_status(request: HttpRequest) -> HttpResponse:
    """Show the problems. Records are not named: what people typed is encrypted for them alone."""
    now, person, queue = timezone.now(), signed_in(request), read_queue()
    refused = KeyPair.objects.filter(refused=True).select_related("user").order_by("pk")
    blocks: dict[str, QuerySet[Any]] = {
        "unsure": Write.objects.filter(Write.UNCLEAR).select_related("person").order_by("asked_at"),
        "jobs": stuck_jobs(now),
        "deletions": unsent(now),
        "refused": refused,
    }
    workspaces = administered_by(person)
    if workspaces is not None:
        blocks = {name: rows.filter(workspace__in=workspaces) for name, rows in blocks.items()}
    blocks["mails"] = mails_of(person).filter(Mail.FAILED)
    backup = Backup.objects.first()
    backup_age = now - backup.made_at if backup else timedelta()
    backup_is_late = backup_age > BACKUP_TIMEOUT
    certificates = read_certificates()
    ends_soon = any(each.ends_soon for each in certificates)
    counts = {name: rows.count() for name, rows in blocks.items()}
    context = {
        **{name: {"rows": rows[:MAX_ROWS], "count": counts[name]} for name, rows in blocks.items()},
        "title": "System status",
        "queue": queue,
        "backup": backup,
        "backup_age": backup_age,
        "backup_is_late": backup_is_late,
        "certificates": certificates,
        "has_problems": queue.is_silent or backup_is_late or ends_soon or any(counts.values()),
        "duration": duration,
        "mails_waiting": mails_of(person).filter(next_try__isnull=False).count(),
        "pruned": last_pruned(),
        "version": __version__,
        "pair": person.pair,
    }
    return render(request, "administration/status.html", context)


def stuck_jobs(now: datetime) -> QuerySet[Job]:
    """Return jobs that are paused, or had no slice for JOB_STALL_TIMEOUT; the oldest first."""
    late = Q(state__in=RUNNABLE, since__lt=now - JOB_STALL_TIMEOUT) & ~Q(not_before__gt=now)
    known = Job.objects.annotate(since=Coalesce("last_slice_at", "created_at"))
    stuck = known.filter(Q(state=Job.State.PAUSED) | late)
    return stuck.select_related("person").order_by("since")


def unsent(now: datetime) -> QuerySet[Write]:
    waiting = Write.objects.filter(Write.COUNTED_DOWN, state=Write.State.WAITING)
    late = waiting.filter(asked_at__lt=now - DELETION_TIMEOUT)
    return late.select_related("person").order_by("asked_at")


def last_pruned() -> datetime | None:
    pruned = DBTaskResult.objects.successful().filter(task_path=prune_daily.module_path)
    return pruned.order_by("-finished_at").values_list("finished_at", flat=True).first()


def mails_of(administrator: User) -> QuerySet[Mail]:
    """Return the unsent emails, the oldest first: to people of the administrator's workspace and to
    those who have connected no keys yet, such as invitations; for a superuser all.
    """
    found = Mail.objects.select_related("person").order_by("since")
    workspaces = administered_by(administrator)
    if workspaces is None:
        return found
    without_keys = Q(person__isnull=False, person__key_pair__isnull=True)
    return found.filter(Q(person__key_pair__workspace__in=workspaces) | without_keys)


app_name = "operation"
urlpatterns = [path("", show_status, name="page")]
