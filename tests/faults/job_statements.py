"""A worker that is killed between two statements of its database, while its job is being stopped.

The worker is a child of this process, so that a case takes a moment. Its job is stopped or paused
as soon as its turn has begun, and it ends itself (SIGKILL) before the statement of a number.
"""

import csv
import itertools
import os
import signal
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.signals import setting_changed
from django.db import connection, connections
from django.db.models.functions import Now
from django.test import Client

from dashboard.accounts.permissions import EXPORT_RECORDS
from dashboard.credentials.services import gateway_for, service
from dashboard.imports.undoing import propose_undo
from dashboard.jobs import services as jobs
from dashboard.jobs.models import Job
from dashboard.ledger.models import Write
from dashboard.reader.sealed_cache import owner_of
from dashboard.standin.resources import RESOURCES
from dashboard.writes.for_person import context_for
from tests.jobs.conftest import let_time_pass, work

from . import internals, table_jobs
from .environment import Environment, User
from .job_worker import stepped

HOUR = 3600  # seconds, after which a worker counts as dead
ROWS = 3
PRESSES: dict[str, Callable[[Job], object]] = {"stop": jobs.stop, "pause": jobs.pause}
UNSENT = {"waiting": {0}, "not saved": {0}, "cancelled": {0}}
ENDS = {"saved": {1}, "not sure": {0, 1}, **UNSENT}  # effects of a row
_marks = itertools.count()


@contextmanager
def context_of(user: User) -> Iterator[Any]:
    """Who asks, with their own keys."""
    owner = owner_of(gateway_for(user.account))
    with context_for(user.account.pk, owner=owner, permission=EXPORT_RECORDS) as ctx:
        yield ctx


def begin(user: User, kind: str) -> Job:
    """A job whose calls are made one after the other, as threads' statements are not counted."""
    with context_of(user) as ctx:
        if kind == "imports":
            found = table_jobs.begin_imports(ctx, f"zs{next(_marks):05}", ROWS, [])
        else:
            found = table_jobs.begin_exports(ctx)
        job: Job = next(found)
    Job.objects.filter(pk=job.pk).update(at_once=1)
    return job


def carry_out(job: Job, press: str, kill_before: int, folder: Path) -> int:
    """Let a worker carry out what is due, press a button when its turn has begun, and kill it
    before the statement of this number after that (0: never); how many statements it has begun.
    """
    counted = folder / "statements"
    counted.write_text("0", "ascii")
    connections.close_all()
    # Closes the connections to the service, which two processes cannot share.
    setting_changed.send(sender=None, setting="API_BASE_URL", value=None, enter=True)
    child = os.fork()
    if not child:
        _be_the_worker(job, press, kill_before, counted)
    os.waitpid(child, 0)
    return int(counted.read_text("ascii"))


def _be_the_worker(job: Job, press: str, kill_before: int, counted: Path) -> None:
    """Never returns: this process is a copy of the one that tests."""
    numbers = itertools.count(1)
    begun = False

    def count(execute: Any, *statement: Any) -> Any:
        if begun:
            number = next(numbers)
            counted.write_text(str(number), "ascii")
            if number == kill_before:
                os.kill(os.getpid(), signal.SIGKILL)
        return execute(*statement)

    def reached(step: str) -> None:
        nonlocal begun
        if step and not begun:
            PRESSES[press](job)
            begun = True

    try:
        make = partial(stepped, reached=reached, after="turn taken")
        with internals.replaced(internals.TAKE_LEASE, make), connection.execute_wrapper(count):
            work()
    except BaseException:  # nothing of the tests may go on in this process
        traceback.print_exc()
    finally:
        os._exit(0)


def recover(job: Job) -> None:
    """Let an hour pass, and another worker carry out what is due then."""
    let_time_pass(job, HOUR)
    sent = Write.objects.filter(sent_at__isnull=False)
    sent.update(sent_at=Now() - timedelta(seconds=HOUR))
    service().breakers.reset()
    work()
    job.refresh_from_db()


def finish(job: Job) -> None:
    """Continue a paused job to its end."""
    jobs.resume(job, job.owner)
    for _ in range(3):
        recover(job)


def breaches(home: Environment, user: User, job: Job, press: str) -> list[str]:
    """What is wrong with a job after its worker was killed and another one has run."""
    recover(job)
    found = _wrong_rows(home, user, job)
    if press == "pause" and job.state == Job.State.PAUSED:
        finish(job)
        found += _wrong_rows(home, user, job)
    wanted = {"stop": Job.State.STOPPED, "pause": Job.State.FINISHED}[press]
    return found if job.state == wanted else [*found, f"{job}, not {wanted}"]


def wrong_in_export(home: Environment, job: Job) -> list[str]:
    """What is wrong with the file of an export that was finished."""
    acme = [("workspace = ?", "acme")]
    leads = home.standin.store.page(RESOURCES["leads"], acme, "id", 10_000, 0)
    return table_jobs.wrong_in_export(job, len(leads))


def _wrong_rows(home: Environment, user: User, job: Job) -> list[str]:
    """Each row ends once, as the service's ledger has it, and the pages tell the same."""
    rows = list(job.rows.order_by("number"))
    if not rows:
        return []
    entries = home.standin.ledger(effect=True, operation="create")
    effects = Counter(entry["body"]["cstname"] for entry in entries)
    found = []
    for row in rows:
        name = row.job_row["sends"]["label"]
        if effects[name] not in ENDS.get(row.state, ()):
            found.append(f"{name} is {row.state} and was written {effects[name]} times")
    return found + _wrong_pages(user, job) + _wrong_undo(user, job)


def _wrong_pages(user: User, job: Job) -> list[str]:
    """The page and the CSV tell each row's outcome, and the same number of saved ones."""
    client = Client()
    client.force_login(user.account)
    page = client.get(f"/jobs/{job.pk}/").context
    told = b"".join(client.get(f"/jobs/{job.pk}/?format=csv")).decode()
    outcomes = [row[2] for row in list(csv.reader(StringIO(told)))[1:]]
    shown = [row["outcome"] for row in page["rows"]]
    words = {"waiting": "not sent", "cancelled": "not sent", "not saved": "refused"}
    states = [words.get(state, state) for state in job.rows.values_list("state", flat=True)]
    same = sorted(outcomes) == sorted(shown) == sorted(states)
    if same and page["saved"] == shown.count("saved"):
        return []
    return [f"the page says {shown} ({page['saved']} saved), the CSV {outcomes}, rows: {states}"]


def _wrong_undo(user: User, job: Job) -> list[str]:
    """What would be undone is every saved row."""
    saved = set(job.rows.filter(state="saved").values_list("record_id", flat=True))
    with context_of(user) as ctx:
        proposed = propose_undo(ctx, job)
    undone = set()
    if proposed:
        undone = {row.job_row["sends"]["id"] for row in proposed.rows.all()}
        jobs.discard(proposed)
    return [] if undone == saved else [f"of {saved} only {undone} would be undone"]
