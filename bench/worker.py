"""Lets the jobs of a person be done in this process, with a database of its own."""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import report, servers
from .budgets import Verdict

WORKSPACE = "Acme"


def arguments(name: str, description: str | None) -> argparse.ArgumentParser:
    """The command line that the measurements of jobs have in common."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=description)
    parser.add_argument("--latency", type=float, default=0.1, help="of the API in seconds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    return parser


def tell(verdicts: list[Verdict], *, as_json: bool) -> None:
    text = json.dumps(list(map(asdict, verdicts))) if as_json else report.budgets(verdicts)
    sys.stdout.write(f"{text}\n")


@contextmanager
def database() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings"}
        os.environ |= {"TEST_DATABASE_URL": f"sqlite:///{Path(folder) / 'db.sqlite3'}"}
        import django

        from tests.databases import make_tables

        django.setup()
        make_tables()
        yield


def seconds(work: Callable[[], Any]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def context(standin: servers.StandInServer) -> Any:
    """A Manager with keys of the stand-in, as RequestContext."""
    from django.test.utils import override_settings

    from dashboard.people import permissions
    from dashboard.people.context import RequestContext
    from dashboard.people.keys import gateway_for
    from dashboard.people.models import User
    from tests.workspaces import connect

    override_settings(API_BASE_URL=f"http://127.0.0.1:{standin.port}").enable()
    person = User.objects.create_user(f"bench{standin.port}")
    permissions.set_role(person, permissions.MANAGER)
    access, secret = standin.ask("/keys")["working"]["acme"][0]
    connect(person, access=access, secret=secret, workspace=WORKSPACE)
    person = User.objects.get(pk=person.pk)
    return RequestContext(gateway=gateway_for(person), person=person, workspace=WORKSPACE)


def finish(job: Any) -> None:
    """Run the slices of a job as a worker does. Raises RuntimeError if it pauses."""
    from dashboard.jobs.services import run_slice

    while job.state != job.State.FINISHED:
        run_slice.call(job.pk, job.slices)
        job.refresh_from_db()
        if job.state == job.State.PAUSED:
            raise RuntimeError(job.reason)
