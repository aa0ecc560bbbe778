"""The wait for a page while a worker does an import, beside the wait without one.

As a program, with the dashboard's settings, it begins that import for the first person:

    python -m bench.beside_jobs 5000
"""

import subprocess
import sys
import time
from statistics import median

import django

from . import load, servers
from .budgets import Verdict
from .rounds import progress
from .site import PAGE, Site

PEOPLE, PAUSE = 16, (0.5, 1.5)  # seconds
LATENCY = 0.05  # of the API, in seconds
ROWS = 20_000  # more than the worker sends
LIMIT = 1.3


def measured(site: Site, *, rounds: int, seconds: float) -> Verdict:
    """The median of the ratios of the rounds, each of which measures with and without."""
    site.standin.ask("/latency", {"seconds": LATENCY})
    command = [sys.executable, "-m", "bench.beside_jobs", str(ROWS)]
    subprocess.run(command, cwd=servers.ROOT, env=site.environment, check=True)
    ratios, before = [], _created(site)
    for number in range(rounds):
        progress(f"pages beside a job: round {number + 1} of {rounds}")
        alone = _p95(site, seconds)
        with servers.worker(site.environment):
            _wait_for_rows(site)
            ratios.append(_p95(site, seconds) / alone)
    progress("")
    sent = _created(site) - before
    return Verdict(f"p95 of pages beside a job ({sent:,} rows sent)", median(ratios), LIMIT, "x")


def _created(site: Site) -> int:
    return len(site.standin.ask("/ledger?operation=create"))


def _wait_for_rows(site: Site) -> None:
    before, limit = _created(site), time.monotonic() + servers.PATIENCE
    while _created(site) == before:
        if time.monotonic() > limit:
            raise RuntimeError("the worker did not begin")
        time.sleep(0.2)


def _p95(site: Site, seconds: float) -> float:
    with load.Crowd(site.servers[PAGE].port, site.requests(PAGE, 25), PEOPLE) as crowd:
        pausing = load.PausingCrowd(crowd, PAUSE)
        load.run_with_pauses([pausing], seconds)
    return pausing.done.percentile(95)


def main(rows: int) -> None:
    from dashboard.people.context import RequestContext
    from dashboard.people.keys import gateway_for
    from dashboard.people.models import User

    from . import paces

    person = User.objects.order_by("pk")[0]
    context = RequestContext(gateway=gateway_for(person), person=person, workspace="Acme")
    paces.begin_import(context, rows)


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]))
