"""Kills workers during jobs, and restarts PostgreSQL, under faults of the service.

    FAULTS_KILLS=20 FAULTS_SEED=1 python -m tests.faults.jobs_proof sqlite|postgres

Two workers carry out jobs of two people: plain writes, imports and exports, or those that
FAULTS_JOBS names. Prints one JSON object: the breaches, how many rows of which kind ended how, and
how many workers were killed.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from dashboard.standin import StandIn
from tests import postgres
from tests.faults.job_worker import NAMES

WORKERS = 2
LATENCY = 0.02
PATIENCE = 900.0  # seconds until all jobs have ended
FAULTS = {"reset-after": 0.02, "reset-before": 0.02, "status-422": 0.04, "status-503-after": 0.01}
READS = {"reset-before": 0.03, "status-503": 0.03, "status-429:1": 0.01}
RARE = {"status-429": 0.005, "hang-before:1.5": 0.004}


class Workers:
    """Worker processes; one that has ended is started again."""

    def __init__(self, chance: random.Random, broken: str) -> None:
        self.chance, self.broken = chance, broken
        self.running: list[subprocess.Popen[bytes]] = []
        self.ended = 0

    def keep_up(self, steps: bool) -> None:
        """Start what has ended; with `steps` each new one ends itself at a step by chance."""
        for worker in [one for one in self.running if one.poll() is not None]:
            self.running.remove(worker)
            self.ended += 1
        while len(self.running) < WORKERS:
            self.running.append(self._start(steps))

    def kill_one(self) -> None:
        """Kill one of them at this moment."""
        self.chance.choice(self.running).kill()

    def stop(self) -> None:
        """End all of them."""
        for worker in self.running:
            worker.kill()
            worker.wait()

    def _start(self, steps: bool) -> "subprocess.Popen[bytes]":
        step = f"{self.chance.choice(NAMES)}:{self.chance.randint(1, 12)}" if steps else ""
        more = {"FAULTS_KILL": step, "FAULTS_BROKEN": self.broken}
        return subprocess.Popen(
            [sys.executable, "-m", "tests.faults.job_worker"], env=os.environ | more
        )


class Proof:
    """Jobs of two people, and what must be true of each of their rows."""

    def __init__(self, standin: StandIn, chance: random.Random, rows: int) -> None:
        from dashboard.accounts import roles
        from dashboard.accounts.models import User

        self.standin, self.chance, self.rows = standin, chance, rows
        self.people = []
        for number, name in enumerate(("ann", "bob")):
            user = User.objects.create(username=name, email=f"{name}@a.test")
            roles.set_role(user, roles.MANAGER)
            self._connect(user, number)
            self.people.append(user)
        kinds = {"writes": self._writes, "imports": self._imports, "exports": self._exports}
        self.jobs: list[Any] = []
        asked = os.environ.get("FAULTS_JOBS", "")
        for kind in asked.split(",") if asked else kinds:
            self.jobs += kinds[kind]()

    def _writes(self) -> Iterator[Any]:
        ann, bob = self.people
        yield self._job(ann, "create contacts", self._created("zq"))
        yield self._job(bob, "create contacts", self._created("yq"))
        yield self._job(bob, "rename contacts", self._renamed())

    def _imports(self) -> Iterator[Any]:
        from tests.faults import table_jobs

        for user, begun in zip(self.people, (40, 60), strict=True):
            numbers = [row[0] for row in self._contacts(20, begun)]
            get = partial(self.standin.store.get, _resource("contacts"))
            there = [{"id": number, "cstemail": get(number)[1]["cstemail"]} for number in numbers]
            there = [one for one in there if one["cstemail"]]
            with self._context(user) as ctx:
                yield from table_jobs.begin_imports(ctx, user.username, self.rows, there)

    def _exports(self) -> Iterator[Any]:
        from tests.faults import table_jobs

        for user in self.people * (self.rows // 40):
            with self._context(user) as ctx:
                yield from table_jobs.begin_exports(ctx)

    def _context(self, user: Any) -> Any:
        from dashboard.accounts.permissions import EXPORT_RECORDS
        from dashboard.credentials.services import gateway_for
        from dashboard.reader.sealed_cache import owner_of
        from dashboard.writes.for_person import context_for

        owner = owner_of(gateway_for(user))
        return context_for(user.pk, owner=owner, permission=EXPORT_RECORDS)

    def _connect(self, user: Any, number: int) -> None:
        from tests.workspaces import connect

        access, secret = self.standin.keys["acme"][number]
        connect(user, access=access, secret=secret, workspace="Acme")

    def _job(self, user: Any, kind: str, rows: list[dict[str, Any]]) -> Any:
        from dashboard.credentials.services import gateway_for
        from dashboard.jobs import services
        from dashboard.reader.sealed_cache import owner_of

        owner = owner_of(gateway_for(user))
        return services.create(
            person=user, owner=owner, workspace="Acme", kind=kind, title=kind, rows=rows,
            resource="contacts",
        )  # fmt: skip

    def _created(self, mark: str) -> list[dict[str, Any]]:
        return [{"label": f"{mark}{number:04}"} for number in range(self.rows)]

    def _renamed(self) -> list[dict[str, Any]]:
        found = self._contacts(40, 0)
        return [{"label": "x", "id": row[0], "name": f"xq{row[0]}"} for row in found]

    def _contacts(self, number: int, begun: int) -> Any:
        acme = [("workspace = ?", "acme")]
        return self.standin.store.page(_resource("contacts"), acme, "id", number, begun)

    def are_over(self) -> bool:
        """Whether all jobs have ended; one that asks its person is continued."""
        from dashboard.jobs import services

        for job in self.jobs:
            job.refresh_from_db()
            if job.state == job.State.PAUSED:
                services.resume(job, job.owner)
        return all(job.state == job.State.FINISHED for job in self.jobs)

    def breaches(self) -> list[str]:
        """What is wrong with the rows, and with the files."""
        from tests.faults import table_jobs

        effects = Counter(
            entry["body"]["cstname"]
            for entry in self.standin.ledger(effect=True)
            if entry["operation"] in ("create", "update")
        )
        found = [f"{job} has not ended" for job in self.jobs if job.state != job.State.FINISHED]
        for job in self.jobs:
            if job.kind == "export":
                found += table_jobs.wrong_in_export(job, self._leads())
        for row in self._rows():
            name, number = row["name"], effects[row["name"]]
            wanted = {"saved": {1}, "not sure": {0, 1}}.get(row["state"], {0})
            if number not in wanted or row["state"] in ("waiting", "sending"):
                found.append(f"{name} is {row['state']} and was written {number} times")
            if row["state"] == "saved" and not self._is_stored(row["record_id"], name):
                found.append(f"{name} is saved as {row['record_id']}, which is another record")
        return found

    def ends(self) -> dict[str, int]:
        """How many rows ended how, and how many exports."""
        files = Counter(f"{job.kind}: {job.state}" for job in self.jobs if job.kind == "export")
        return dict(files + Counter(f"{row['kind']}: {row['state']}" for row in self._rows()))

    def _leads(self) -> int:
        acme = [("workspace = ?", "acme")]
        return len(self.standin.store.page(_resource("leads"), acme, "id", 10_000, 0))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for job in self.jobs:
            for row in job.rows:
                kept = row.job_row["sends"]
                yield {
                    "kind": job.kind,
                    "state": row.state,
                    "record_id": row.record_id,
                    "name": kept.get("name", kept["label"]),
                }

    def _is_stored(self, record_id: int, name: str) -> bool:
        stored = self.standin.store.get(_resource("contacts"), record_id)
        return bool(stored) and stored[1]["cstname"] == name


def _resource(name: str) -> Any:
    from dashboard.standin.resources import RESOURCES

    return RESOURCES[name]


@contextmanager
def database(kind: str, folder: Path) -> Iterator[postgres.Cluster | None]:
    """The database of the proof; its URL is set in the environment."""
    if kind == "sqlite":
        os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'db.sqlite3'}"
        yield None
    else:
        with postgres.stoppable() as cluster:
            os.environ["DATABASE_URL"] = cluster.url
            yield cluster


def run(proof: Proof, workers: Workers, cluster: postgres.Cluster | None, kills: int) -> None:
    """Kill until it is enough, then let the workers finish."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        workers.keep_up(steps=workers.ended < kills and proof.chance.random() < 0.7)
        time.sleep(proof.chance.uniform(0.1, 0.8))
        if workers.ended < kills and proof.chance.random() < 0.3:
            workers.kill_one()
        if cluster and workers.ended < kills and proof.chance.random() < 0.06:
            cluster.stop()
            time.sleep(0.3)
            cluster.start()
        if _asked_again(proof.are_over):
            return


def _asked_again(question: Any) -> bool:
    """Its answer; asked again on a new connection if the database has cut this one."""
    from django.db import OperationalError, close_old_connections

    try:
        return bool(question())
    except OperationalError:
        close_old_connections()
        return bool(question())


def main(kind: str) -> None:
    """Run the proof and print what was found as JSON."""
    kills, seed = int(os.environ["FAULTS_KILLS"]), os.environ["FAULTS_SEED"]
    chance = random.Random(seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        standin = stack.enter_context(StandIn(profile="verbose", size="small", seed=1))
        os.environ |= {"API_BASE_URL": standin.url, "CACHE_URL": "locmemcache://"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.faults.jobs_settings"}
        os.environ |= {"FAULTS_LOG": str(folder / "log")}
        cluster = stack.enter_context(database(kind, folder))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from tests.faults import internals

        stack.enter_context(internals.replaced(internals.PAGE_SIZE, lambda size: 5))
        proof = Proof(standin, chance, rows=40 + 12 * kills)
        standin.latency = LATENCY
        for name, share in (FAULTS | RARE).items():
            standin.fault(name, operation="create", probability=share)
            standin.fault(name, operation="update", probability=share)
        for name, share in READS.items():
            standin.fault(name, operation="list", probability=share)
        workers = Workers(chance, os.environ.get("FAULTS_BROKEN", ""))
        stack.callback(workers.stop)
        run(proof, workers, cluster, kills)
        _asked_again(proof.are_over)
        found = {"breaches": proof.breaches(), "ends": proof.ends(), "killed": workers.ended}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
