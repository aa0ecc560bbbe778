"""python -m tests.bench.exports: the time of exports, as a ratio to reading the pages of the list.

The turns of the job are taken in this process, as a worker takes them, with a database of its own.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import Any

from . import servers

SHARE = 35  # of 100 records of the stand-in are contacts
FORMS = ("plain", "xlsx")
LIMIT = 1.10


def main() -> None:
    """Measure each number of rows, and print a line for each format."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.exports", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--latency", type=float, default=0.05, help="of the API in seconds")
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _open_database(Path(folder))
        for rows in wanted.rows:
            with servers.standin(size=rows * 100 // SHARE) as standin:
                standin.ask("/latency", {"seconds": wanted.latency})
                _measure(standin, rows, wanted.rounds)


def _open_database(folder: Path) -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    os.environ |= {"TEST_DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}"}
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _measure(standin: servers.StandInServer, rows: int, rounds: int) -> None:
    context = _context(standin)
    ratios: dict[str, list[float]] = {form: [] for form in FORMS}
    for _ in range(rounds):
        raw = _seconds(lambda: _read_pages(context))
        for form in FORMS:
            before = getrusage(RUSAGE_SELF).ru_maxrss
            seconds = _seconds(lambda form=form: _export(context, form))  # type: ignore[misc]
            grown = (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1000
            ratios[form].append(seconds / raw)
            sys.stdout.write(
                f"{rows:,} rows, {form}: {seconds:.1f} s, the pages alone {raw:.1f} s, "
                f"{grown:.1f} MB more\n"
            )
    for form, found in ratios.items():
        kept = "kept" if median(found) <= LIMIT else "MISSED"
        sys.stdout.write(f"{rows:,} rows as {form} / pages: {median(found):.2f}x, {kept}\n")


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def _context(standin: servers.StandInServer) -> Any:
    from django.test.utils import override_settings

    from dashboard.accounts import roles
    from dashboard.accounts.models import User
    from dashboard.credentials.services import gateway_for
    from dashboard.records.context import RequestContext
    from tests.workspaces import connect

    override_settings(API_BASE_URL=f"http://127.0.0.1:{standin.port}").enable()
    person = User.objects.create_user(f"bench{standin.port}")
    roles.set_role(person, roles.MANAGER)
    access, secret = standin.ask("/keys")["working"]["acme"][0]
    connect(person, access=access, secret=secret, workspace="Acme")
    person = User.objects.get(pk=person.pk)
    return RequestContext(gateway=gateway_for(person), person=person, workspace="Acme")


def _pages(context: Any) -> Any:
    from dashboard import resources
    from dashboard.records.lists import paging
    from dashboard.records.lists.query import ListQuery

    return paging.begin(context, ListQuery(resources.CONTACTS))


def _read_pages(context: Any) -> int:
    from dashboard.records.lists import paging

    query, first, _ = _pages(context)
    return sum(len(page.records) for page in paging.all_pages(context.gateway, query, first))


def _export(context: Any, form: str) -> None:
    from dashboard.exports import jobs
    from dashboard.exports.contents import COLUMNS
    from dashboard.jobs.models import Job
    from dashboard.jobs.tasks import take_turn

    query, first, _ = _pages(context)
    params = {"content": COLUMNS, "form": form, "notes": []}
    job = jobs.create(context, context.person, query, first, params, f"contacts.{form}")
    while job.state != Job.State.FINISHED:
        take_turn.call()
        job.refresh_from_db()
        if job.state == Job.State.PAUSED:
            raise RuntimeError(job.reason)


if __name__ == "__main__":
    main()
