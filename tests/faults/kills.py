"""Operations whose process is killed (SIGKILL) before and after each statement that writes.

The process is a copy of the one that tests, and shares only the database and the service with it.
Each operation begins, is carried out by the copy, and then says what is wrong: what was typed is
there, what may have been sent is told as Not sure, and nothing is sent by itself or twice.
"""

import csv
import itertools
import mmap
import os
import re
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from io import StringIO
from pkgutil import resolve_name
from typing import Any

from django.db import OperationalError, connection, connections
from django.db.models.functions import Now
from django.test import Client
from django_tasks_db.models import DBTaskResult

from dashboard.imports.undoing import propose_undo
from dashboard.jobs import services as jobs
from dashboard.jobs.models import Job
from dashboard.people.keys import gateway_for, make_service, service
from dashboard.people.permissions import EXPORT_RECORDS
from dashboard.reader.sealed_cache import owner_of
from dashboard.standin.resources import RESOURCES
from dashboard.writes.deletions import send_deletion
from dashboard.writes.for_person import context_for
from dashboard.writes.models import Draft, RecordLock, Write
from tests.helpers import age_deletions, run_worker
from tests.jobs.conftest import let_time_pass, work

from . import checks, internals, table_jobs
from .browser import NOT_SAVED, NOT_SURE, SAVED, links, text_of, verdict
from .buttons import BUTTONS, Opener, calls_of
from .environment import Environment, User
from .matrix import pending_deletion
from .samples import SAMPLES

Watch = Callable[[], AbstractContextManager[object]]
HOUR = 3600  # seconds, after which a process counts as dead
COUNTDOWN = timedelta(seconds=9)
ROWS = 3
STILL_THERE = "may still be there"  # a lead that was to be deleted in the end
UNSENT = {"waiting": {0}, "not saved": {0}, "cancelled": {0}}
ENDS = {"saved": {1}, "not sure": {0, 1}, **UNSENT}  # effects of a row
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b")
State = Write.State
numbers = itertools.count(1)


# --- a process that dies ---


@dataclass(frozen=True)
class Copy:
    """A copy of this process that carries something out; `points` are counted while it does."""

    process: int
    counted: mmap.mmap

    def wait(self) -> int:
        """How many points it has reached, once it has ended or died."""
        os.waitpid(self.process, 0)
        return int.from_bytes(self.counted[:8], sys.byteorder)


def start(does: Callable[[Watch], object], point: int = 0, strike: str = "kill") -> Copy:
    """Let a copy of this process carry it out, and kill it at this point (0: never), or "cut" its
    connection to the database. Points are before and after each statement that writes while it
    watches.
    """
    connections.close_all()
    if make_service.cache_info().currsize:  # two processes cannot share its connections
        make_service().close()
        make_service.cache_clear()
    counted = mmap.mmap(-1, 8)
    child = os.fork()
    if child:
        return Copy(child, counted)
    for path in internals.POOLS:  # whose threads the copy lacks
        resolve_name(path).cache_clear()
    try:
        does(lambda: _watched(point, strike, counted))
    except BaseException:  # nothing of the tests may go on in this process
        traceback.print_exc()
    finally:
        os._exit(0)


def _watched(point: int, strike: str, counted: mmap.mmap) -> AbstractContextManager[object]:
    points = itertools.count(1)

    def reach() -> None:
        reached = next(points)
        counted[:8] = reached.to_bytes(8, sys.byteorder)
        if reached == point and strike == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if reached == point:
            connection.close()
            raise OperationalError("the database was started again")

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        if not WRITES.match(sql):
            return execute(sql, *rest)
        reach()
        answer = execute(sql, *rest)
        reach()
        return answer

    return connection.execute_wrapper(watch)


@contextmanager
def since(path: str, watch: Watch, meanwhile: Callable[[], object] = str) -> Iterator[None]:
    """Watch from the first answer of the function at `path`, after something else was done."""
    with ExitStack() as stack:
        left = [lambda: stack.enter_context(watch()), meanwhile]

        def make(does: Any) -> Any:
            def first(*args: Any, **kwargs: Any) -> Any:
                answer = does(*args, **kwargs)
                while left and answer is not None:
                    left.pop()()
                return answer

            return first

        stack.enter_context(internals.replaced(path, make))
        yield


def clean(home: Environment) -> None:
    """Nothing is stored, locked or due."""
    for model in (DBTaskResult, Write, Draft, RecordLock, Job):
        model.objects.all().delete()
    home.fresh()


def let_locks_end() -> None:
    """End the locks of a dead process, and the time in which its write may still be answered."""
    earlier = Now() - timedelta(seconds=HOUR)
    Write.objects.filter(state=State.SENDING, sent_at__isnull=False).update(sent_at=earlier)
    RecordLock.objects.update(until=earlier)


# --- what is carried out ---


class Button:
    """A form that is submitted."""

    def __init__(self, home: Environment, user: User, name: str) -> None:
        self.home, self.user = home, user
        clean(home)
        self.submit = BUTTONS[name](Opener(home, user), f"zk{next(numbers)}x")
        self.known = {f"/unsure/{pk}/" for pk in Write.objects.values_list("pk", flat=True)}
        self.written = set(Write.objects.filter(sent_at__isnull=False).values_list("pk", flat=True))
        home.fresh()

    def act(self, watch: Watch) -> None:
        """Press the button; what is typed is kept once it is a draft."""
        submit, draft = self.submit, internals.STORE_DRAFT if self.submit.words else ""
        with since(draft, watch) if draft else watch():
            self.user.browser.post(submit.url, submit.data, **submit.headers)

    def breaches(self) -> Iterator[str]:
        """What is wrong after the user has looked round, and has pressed the button again."""
        browser, submit, calls = self.user.browser, self.submit, calls_of(self.home)
        sent = Write.objects.filter(sent_at__isnull=False).exclude(pk__in=self.written)
        of_calls, unclear = sent.count(), sent.filter(state__in=(State.SENDING, State.NOT_SURE))
        is_unclear = unclear.exists()
        if calls.total() > of_calls:
            yield f"once: sent before it was noted: {dict(calls)}"
        let_locks_end()
        unsure = links(browser.get("/unsure/"), r"/unsure/\d+/")
        is_listed = bool(set(unsure) - self.known)
        drafts = links(browser.get("/unfinished/"), r"/.*\?draft=\d+")
        unfinished = [text_of(browser.get(url)) for url in (*unsure, *drafts)]
        lost = [text for text in submit.words if not any(text in page for page in unfinished)]
        if lost and not self._is_recorded():
            yield f"kept: typed, and gone: {lost}"
        if calls_of(self.home) != calls:
            yield f"once: sent by itself: {dict(calls_of(self.home) - calls)}"
        pages = browser.follow(browser.post(submit.url, submit.data, **submit.headers))
        verdict_again, page = verdict(pages[:1]), text_of(pages[min(1, len(pages) - 1)])
        if too_many := calls_of(self.home) - submit.calls:
            yield f"once: sent again: {dict(too_many)}"
        if of_calls > submit.main and STILL_THERE in page:
            if verdict_again != SAVED or not is_unclear:
                yield f"told: {verdict_again}, and the last record may still be there"
        else:
            yield from self._untrue(verdict_again, is_unclear=is_unclear, is_listed=is_listed)
        yield from checks.no_secret(browser.seen, self.home.lines.kept, self.home.secrets())

    def _untrue(self, verdict_again: str, *, is_unclear: bool, is_listed: bool) -> Iterator[str]:
        """The same form again is told the truth; what may have been sent is listed as Not sure.
        An update is Saved once its page was opened and has found it.
        """
        calls, submit = calls_of(self.home), self.submit
        is_update = {operation for _, operation in submit.calls} == {"update"}
        is_found = is_update and is_listed and verdict_again == SAVED
        if is_unclear and verdict_again != NOT_SURE and not is_found:
            yield f"told: nobody can know, and the page says {verdict_again}"
        if not is_unclear and verdict_again != SAVED:
            yield f"told: it can be known, and the page says {verdict_again}"
        if is_unclear and not is_listed:
            yield "told: what may have been sent is not listed as not sure"
        is_done = all(entry["effect"] for entry in self.home.writes())
        if verdict_again == SAVED and (submit.calls - calls or not is_done):
            yield f"told: said to be saved: {dict(calls)}"
        if verdict_again == NOT_SAVED and calls:
            yield "told: said not to be saved, and was sent"

    def _is_recorded(self) -> bool:
        kinds = {resource for resource, _ in self.submit.calls if resource in SAMPLES}
        mark = f"%{self.submit.mark}%"
        return any(self.home.count(kind, "body LIKE ?", mark) for kind in kinds)


class Deletion:
    """A deletion that a worker sends when its countdown has ended."""

    def __init__(self, home: Environment, user: User, name: str) -> None:
        self.home, self.user = home, user
        clean(home)
        self.deletion = self._ask(name)
        end_countdowns()
        home.fresh()

    def _ask(self, name: str) -> Write:
        sample = SAMPLES[name]
        number = self.home.create(self.user, sample, f"zw{next(numbers)}x")
        pending_deletion(self.user, f"{sample.url}{number}/delete/")
        return Write.objects.get(Write.COUNTED_DOWN, resource=name, record_id=number)

    def double(self, number: int) -> None:
        """More deletions that are due, each with two tasks."""
        for _ in range(number):
            self._ask(self.deletion.resource)
        for pk in Write.objects.values_list("pk", flat=True):
            send_deletion.enqueue(pk)
        end_countdowns()
        self.home.fresh()

    def act(self, watch: Watch) -> None:
        """Work as a worker does."""
        with watch():
            run_worker()

    def sent(self) -> int:
        """How many deletions have reached the service."""
        return sum(1 for entry in self.home.writes() if entry["operation"] == "delete")

    def breaches(self) -> Iterator[str]:
        """What is wrong after other workers have found the same task."""
        at_death = self.sent()
        if at_death and not Write.objects.filter(sent_at__isnull=False).exists():
            yield "once: sent before it was noted"
        run_worker()
        send_deletion.enqueue(self.deletion.pk)
        run_worker()
        if self.sent() > 1:
            yield f"once: sent {self.sent()} times, {at_death} times before the worker died"
        let_locks_end()
        age_deletions(timedelta(seconds=HOUR))
        yield from self._untrue()

    def _untrue(self) -> Iterator[str]:
        """What the pages say of it, compared with the service."""
        browser, deletion = self.user.browser, self.deletion
        is_there = bool(self.home.stored(deletion.resource, deletion.record_id or 0))
        unsure = links(browser.get("/unsure/"), r"/unsure/\d+/")
        page = browser.get("/unfinished/")
        kept = links(page, rf"/unfinished/deletions/{deletion.pk}/close/")
        gone = links(page, rf"/\w+/new/\?again={deletion.pk}")
        if [bool(unsure), bool(kept), bool(gone)].count(True) != 1:
            found = [len(unsure), len(kept), len(gone)]
            yield f"told: not sure, not deleted and deleted: {found} times"
        elif (kept and not is_there) or (gone and is_there):
            yield "told: the opposite of what the service has"


def end_countdowns() -> None:
    """Let every deletion and its task be due."""
    age_deletions(COUNTDOWN)
    DBTaskResult.objects.filter(run_after__year__lt=9000).update(run_after=Now() - COUNTDOWN)


class Batch:
    """A job of rows or an export, which its person stops or pauses once a worker has begun it."""

    PRESSES: dict[str, Callable[[Job], object]] = {"stop": jobs.stop, "pause": jobs.pause}

    def __init__(self, home: Environment, user: User, name: str) -> None:
        self.home, self.user = home, user
        kind, _, self.press = name.partition(", ")
        clean(home)
        with self._context() as ctx:
            if kind == "imports":
                begun_jobs = table_jobs.begin_imports(ctx, f"zs{next(numbers):05}", ROWS, [])
            else:
                begun_jobs = table_jobs.begin_exports(ctx)
            self.job: Job = next(begun_jobs)
        # Calls are made one after the other, as the statements of threads are not counted.
        Job.objects.filter(pk=self.job.pk).update(at_once=1)

    @contextmanager
    def _context(self) -> Iterator[Any]:
        account = self.user.account
        owner = owner_of(gateway_for(account))
        with context_for(account.pk, owner=owner, permission=EXPORT_RECORDS) as ctx:
            yield ctx

    def act(self, watch: Watch) -> None:
        """Work as a worker does; the button is pressed as soon as the first turn has begun."""
        press = partial(self.PRESSES.get(self.press, str), self.job)
        with since(internals.TAKE_LEASE, watch, press):
            self._work()

    def _work(self) -> None:
        """Carry out what is due; an export of some pieces, each of some pages."""
        with (
            internals.replaced(internals.PAGE_SIZE, lambda size: 5),
            internals.replaced(internals.FLUSHED, lambda size: 10),
        ):
            work()

    def breaches(self) -> Iterator[str]:
        """What is wrong after an hour, in which another worker has run."""
        self._recover()
        yield from self._wrong_rows()
        if self.press == "pause" and self.job.state == Job.State.PAUSED:
            jobs.resume(self.job, self.job.owner)
            for _ in range(3):
                self._recover()
            yield from self._wrong_rows()
        expected = Job.State.STOPPED if self.press == "stop" else Job.State.FINISHED
        if self.job.state != expected:
            yield f"told: {self.job}, not {expected}"
        if self.job.kind == "export" and expected == Job.State.FINISHED:
            acme = [("workspace = ?", "acme")]
            leads = self.home.standin.store.page(RESOURCES["leads"], acme, "id", 10_000, 0)
            yield from table_jobs.wrong_in_export(self.job, len(leads))

    def _recover(self) -> None:
        let_time_pass(self.job, HOUR)
        let_locks_end()
        service().breaker.reset()
        self._work()
        self.job.refresh_from_db()

    def _wrong_rows(self) -> Iterator[str]:
        """Each row ends once, as the service's ledger has it, and the pages tell the same."""
        entries = self.home.standin.ledger(effect=True, operation="create")
        effects = Counter(entry["body"]["cstname"] for entry in entries)
        for row in self.job.rows.order_by("number"):
            name = row.job_row["sends"]["label"]
            if effects[name] not in ENDS.get(row.state, ()):
                yield f"once: {name} is {row.state} and was written {effects[name]} times"
        if self.job.kind != "export":
            yield from self._wrong_pages()
            yield from self._wrong_undo()

    def _wrong_pages(self) -> Iterator[str]:
        """The page and the CSV tell each row's outcome, and the same number of saved ones."""
        client = Client()
        client.force_login(self.user.account)
        page = client.get(f"/jobs/{self.job.pk}/").context
        csv_text = b"".join(client.get(f"/jobs/{self.job.pk}/?format=csv")).decode()
        outcomes = [row[2] for row in list(csv.reader(StringIO(csv_text)))[1:]]
        on_page = [row["outcome"] for row in page["rows"]]
        words = {"waiting": "not sent", "cancelled": "not sent", "not sure": "perhaps saved"}
        states = [
            words.get(state, state) for state in self.job.rows.values_list("state", flat=True)
        ]
        is_same = sorted(outcomes) == sorted(on_page) == sorted(states)
        if not is_same or page["saved"] != on_page.count("saved"):
            yield f"told: the page {on_page}, {page['saved']} saved, the CSV {outcomes}: {states}"

    def _wrong_undo(self) -> Iterator[str]:
        """What would be undone is every saved row."""
        saved = set(self.job.rows.filter(state="saved").values_list("record_id", flat=True))
        with self._context() as ctx:
            proposed = propose_undo(ctx, self.job)
        undone = set()
        if proposed:
            undone = {row.job_row["sends"]["id"] for row in proposed.rows.all()}
            jobs.discard(proposed)
        if undone != saved:
            yield f"told: of {saved} only {undone} would be undone"
