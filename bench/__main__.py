"""python -m bench: compares the list page with the raw API call and Django's admin.

Starts all servers on loopback and stops them. A missed budget is printed and fails nothing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from . import (
    beside_jobs,
    budgets,
    cold_lists,
    crowds,
    day,
    floor,
    report,
    rounds,
    servers,
    site,
    today,
)

WARM_UP = 600  # requests to each server
ALONE = 1500  # lists that one person opens
PEOPLE = (1, 16, 64)  # at once


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="turns of a second of every case, 0 for none (5)")
    add("--memory-requests", type=int, default=20_000, help="0 leaves memory out (20000)")
    add("--lists", type=int, default=15, help="turns of a cold list, 0 for none (15)")
    add("--floor", type=int, default=30, help="turns of a list and its floor, 0 for none (30)")
    add("--today", type=int, default=5, help="turns of the page Today, 0 for none (5)")
    add("--day", type=int, default=3, help="turns of a day's pages in Chromium, 0 for none (3)")
    add("--crowded", type=float, default=70.0, help="seconds for 76 people, 0 for none (70)")
    add("--browsing", type=float, default=60.0, help="seconds through nginx, 0 for none (60)")
    add("--worker", type=int, default=3, help="turns of imports and bulk changes, 0 for none (3)")
    add("--shared", action="store_true", help="PostgreSQL and Redis instead of the defaults")
    add("--smoke", action="store_true", help="a few requests of each kind: does it still run?")
    return parser.parse_args()


def reduce_to_smoke(wanted: argparse.Namespace) -> None:
    wanted.memory_requests, wanted.day, wanted.crowded, wanted.browsing = 20, 0, 1.0, 2.0
    wanted.rounds = wanted.lists = wanted.today = wanted.worker = wanted.floor = 1


def main(wanted: argparse.Namespace) -> None:
    smoke = wanted.smoke
    if smoke:
        reduce_to_smoke(wanted)
    plan = rounds.Plan(PEOPLE[:1] if smoke else PEOPLE, wanted.rounds, 0.05 if smoke else 1.0)
    browsers, pause = (20, (0.1, 0.5)) if smoke else (1000, (10.0, 20.0))
    with (
        tempfile.TemporaryDirectory() as folder,
        site.opened(Path(folder), staff=max(*PEOPLE, browsers), shared=wanted.shared) as everything,
    ):
        alone = rounds.memory_over(everything, 20 if smoke else ALONE, people=1)
        rounds.warm_up(everything, answers=1 if smoke else WARM_UP)
        results = rounds.run(everything, plan)
        crowded = rounds.memory_over(everything, 0)
        verdicts = [*budgets.of_load(results), *budgets.of_html(everything)]
        verdicts += budgets.of_memory(alone, crowded)
        verdicts += measured_crowds(everything, wanted, browsers, pause)
        if wanted.memory_requests:
            verdicts += budgets.of_growth(rounds.memory_over(everything, wanted.memory_requests))
        above, layers = floor.measured(everything, turns=wanted.floor) if wanted.floor else ([], {})
        verdicts += [*above, *cold_lists.measured(everything, times=wanted.lists)]
        opened = today.measured(everything, count=wanted.today, turns=1 if smoke else today.TURNS)
        verdicts += today.budgets(opened)
        verdicts += measured_worker(everything, wanted)
        everything.standin.ask("/latency", {"seconds": 0})
        used = day.measured(everything, turns=wanted.day) if wanted.day else []
        verdicts += day.budgets(used)
    print_all(plan, results, verdicts)
    sys.stdout.write(f"\n{today.table(opened)}\n" if opened else "")
    sys.stdout.write("".join(f"\n{report.layers(*page)}\n" for page in layers.items()))
    sys.stdout.write(f"\n{day.table(used)}\n" if used else "")


def measured_worker(everything: site.Site, wanted: argparse.Namespace) -> list[budgets.Verdict]:
    if not wanted.worker:
        return []
    command = [sys.executable, "-m", "bench.paces", "--json", "--rounds", str(wanted.worker)]
    command += ["--rows", "20" if wanted.smoke else "400"]
    done = subprocess.run(command, cwd=servers.ROOT, stdout=subprocess.PIPE, check=True)
    found = [budgets.Verdict(**each) for each in json.loads(done.stdout)]
    seconds = 2.0 if wanted.smoke else 20.0
    return [*found, beside_jobs.measured(everything, rounds=wanted.worker, seconds=seconds)]


def measured_crowds(
    everything: site.Site, wanted: argparse.Namespace, browsers: int, pause: tuple[float, float]
) -> list[budgets.Verdict]:
    found = []
    if wanted.crowded:
        found.append(budgets.of_crowd(crowds.crowded(everything, wanted.crowded), wanted.crowded))
    if wanted.browsing:
        if through := crowds.through_nginx(everything, browsers, wanted.browsing, pause):
            found += budgets.of_browsing(through)
        else:
            sys.stdout.write("People through nginx: not measured (nginx is not installed).\n")
    rounds.progress("")
    return found


def print_all(plan: rounds.Plan, results: rounds.Results, verdicts: list[budgets.Verdict]) -> None:
    sys.stdout.write(
        f"Medians of {plan.rounds} interleaved rounds of {plan.seconds:g} s each. CPU: of the "
        "server asked, per request.\n\n"
        f"{report.table(results)}\n\n{report.circumstances(results)}\n\n"
        f"{report.budgets(verdicts)}\n"
    )


if __name__ == "__main__":
    main(arguments())
