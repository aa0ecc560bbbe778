"""Deletions that are asked for at a site and sent by a worker, each by its own clock."""

import os
import re
import sys
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import httpx

from dashboard.standin import StandIn
from tests.processes import running
from tests.waits import wait_until


def worker(clock: int) -> AbstractContextManager[object]:
    """Run one worker."""
    command = [sys.executable, "-m", "tests.writes.served_worker"]
    return running(command, env=os.environ | {"CLOCK": str(clock)})


def outcomes(standin: StandIn, browser: httpx.Client) -> dict[str, int]:
    """How many deletions were sent: during the countdown, after it, after a page had said that
    the record was not deleted, and after Undo. `counted`: the countdown was shown in full.
    """
    from tests.helpers import deletes

    url, page = ask(browser, "Zebra Sent")
    early = deletes(standin)
    counted = bool(re.search("</a> in <span data-seconds>[78]</span>", page))
    let_pass(9)
    wait_until(lambda: deletes(standin) > early)
    sent = deletes(standin)
    ask(browser, "Zebra Told")
    let_pass(61, tasks=False)
    is_told = "was not deleted" in browser.get("/help/").text
    let_pass(9)
    send_again()
    after_told = deletes(standin) - sent
    url, page = ask(browser, "Zebra Undone")
    kept = browser.post(f"{url}keep/", data={"csrfmiddlewaretoken": csrf_of(page)})
    assert kept.status_code == 302, kept
    let_pass(9)
    send_again()
    after_undo = deletes(standin) - sent - after_told
    return {
        "counted": counted,
        "early": early,
        "sent": sent,
        "told_late": is_told,
        "after_told": after_told,
        "after_undo": after_undo,
    }


def ask(browser: httpx.Client, name: str) -> tuple[str, str]:
    """Ask to delete a new contact, and let the worker ask when that is due: the address of the
    pending deletion, and a page.
    """
    from dashboard.writes.models import Write
    from tests.page_forms import fields

    new: Any = browser.get("/contacts/new/")
    contact = browser.post("/contacts/new/", data=fields(new, cstname=name)).headers["Location"]
    data = {"csrfmiddlewaretoken": csrf_of(new.text), "now": "1"}
    page = browser.post(f"{contact}delete/", data=data, follow_redirects=True)
    deletion = Write.objects.filter(Write.COUNTED_DOWN).latest("pk")
    wait_until(lambda: not _tasks(deletion.pk, "READY", without_pause=True))
    return f"/unfinished/deletions/{deletion.pk}/", page.text


def csrf_of(page: str) -> str:
    """The token of the first form."""
    return re.findall('name="csrfmiddlewaretoken" value="([^"]+)"', page)[0]


def let_pass(seconds: int, *, tasks: bool = True) -> None:
    """Let the database's time, and the worker's pauses, be over sooner."""
    from django.db.models import F
    from django_tasks_db.models import DBTaskResult

    from tests.helpers import age_deletions

    by = timedelta(seconds=seconds)
    age_deletions(by)
    if tasks:
        waiting = DBTaskResult.objects.filter(status="READY", run_after__year__lt=9999)
        waiting.update(run_after=F("run_after") - by)


def send_again() -> None:
    """Let the worker be asked once more to send the last deletion, and carry that out."""
    from dashboard.writes.deletions import send_deletion
    from dashboard.writes.models import Write

    deletion = Write.objects.filter(Write.COUNTED_DOWN).latest("pk")
    send_deletion.enqueue(deletion.pk)
    wait_until(lambda: not _tasks(deletion.pk, "READY") and not _tasks(deletion.pk, "RUNNING"))


def _tasks(pk: int, status: str, *, without_pause: bool = False) -> bool:
    """Whether a task for this deletion has this status. without_pause: any worker may take it."""
    from django_tasks_db.models import DBTaskResult

    results = DBTaskResult.objects.filter(status=status, args_kwargs__args=[pk])
    return (results.filter(run_after__year=9999) if without_pause else results).exists()
