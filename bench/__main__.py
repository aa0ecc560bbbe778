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
    browser,
    budgets,
    crowds,
    day,
    floor,
    jobs,
    lines,
    palette,
    report,
    rounds,
    servers,
    site,
    today,
)

WARM_UP = 600  # requests to each server


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="turns that every case gets, 0 for none (5)")
    add("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    add("--latencies", type=numbers, default=(0, 5, 50), help="of the API in ms (0,5,50)")
    add("--rows", type=numbers, default=(25, 100), help="rows a page (25,100)")
    add("--people", type=numbers, default=(1, 16, 64), help="people at once (1,16,64)")
    add("--memory-requests", type=int, default=20_000, help="0 leaves memory out (20000)")
    add("--jobs", type=int, default=15, help="times that each single job is done, 0 for none (15)")
    add("--floor", type=int, default=30, help="turns of a list and its floor, 0 for none (30)")
    add("--today", type=int, default=5, help="turns of the page Today, 0 for none (5)")
    add("--day", type=int, default=3, help="turns of a day's pages in Chromium, 0 for none (3)")
    add("--crowded", type=float, default=70.0, help="seconds for 76 people, 0 for none (70)")
    add("--browsing", type=float, default=60.0, help="seconds through nginx, 0 for none (60)")
    add("--browsers", type=int, default=1000, help="people through nginx (1000)")
    add("--pause", type=seconds, default=(10.0, 20.0), help="seconds between their pages (10,20)")
    add("--worker", type=int, default=3, help="turns of exports, imports and bulk, 0 for none (3)")
    add("--no-browser", action="store_true", help="leave Chromium out")
    add("--gunicorn", default="", help='more options for the dashboard, as "--threads 16"')
    add("--shared", action="store_true", help="PostgreSQL and Redis instead of the defaults")
    add("--json", type=Path, metavar="FILE", help="write every sample and verdict")
    add("--smoke", action="store_true", help="a few requests of each kind: does it still run?")
    return parser.parse_args()


def numbers(text: str) -> tuple[int, ...]:
    """Parse numbers such as 1,16,64."""
    return tuple(int(part) for part in text.split(","))


def seconds(text: str) -> tuple[float, float]:
    """Parse two durations such as 10,20, in seconds."""
    least, most = text.split(",")
    return float(least), float(most)


def reduce_to_smoke(wanted: argparse.Namespace) -> None:
    """Set the options of a run that sends a few requests of each kind."""
    wanted.rounds, wanted.seconds, wanted.memory_requests, wanted.jobs = 1, 0.05, 20, 1
    wanted.latencies, wanted.people, wanted.no_browser = (50,), (1, 2), True
    wanted.today = wanted.worker = wanted.floor = 1
    wanted.crowded, wanted.browsing, wanted.browsers, wanted.pause = 1.0, 2.0, 20, (0.1, 0.5)


def main(wanted: argparse.Namespace) -> None:
    """Measure, print, and save if a file is named."""
    if wanted.smoke:
        reduce_to_smoke(wanted)
    plan = rounds.Plan(
        wanted.latencies,
        wanted.rows,
        wanted.people,
        wanted.rounds,
        wanted.seconds,
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        site.opened(
            Path(folder),
            servers.SPREAD,
            *wanted.gunicorn.split(),
            staff=max(*wanted.people, wanted.browsers),
            shared=wanted.shared,
        ) as everything,
    ):
        rounds.warm_up(everything, answers=WARM_UP if not wanted.smoke else 1)
        results = rounds.run(everything, plan)
        verdicts = [*budgets.of_load(results), *budgets.of_html(everything)]
        verdicts += measured_crowds(everything, wanted)
        if wanted.memory_requests:
            kept = rounds.memory_over(everything, wanted.memory_requests)
            verdicts += budgets.of_memory(kept)
        above, layers = floor.measured(everything, turns=wanted.floor) if wanted.floor else ([], {})
        verdicts += above
        done = jobs.measured(everything, times=wanted.jobs) if wanted.jobs else []
        verdicts += jobs.budgets(done)
        if wanted.jobs:
            verdicts.append(palette.measured(everything, times=wanted.jobs))
        turns = 1 if wanted.smoke else today.TURNS
        opened = today.measured(everything, count=wanted.today, turns=turns)
        verdicts += today.budgets(opened)
        verdicts += measured_worker(everything, wanted)
        everything.standin.ask("/latency", {"seconds": 0})
        visit = None if wanted.no_browser else browser.first_visit(everything, site.PAGE)
        turns = 0 if wanted.no_browser else wanted.day
        used = day.measured(everything, turns=turns) if turns else []
        verdicts += day.budgets(used)
        if visit:
            admins = browser.first_visit(everything, site.ADMIN)
            verdicts += budgets.of_visit(visit, admins)
        times = 0 if wanted.no_browser else wanted.jobs // 3
        typed = lines.measured(everything, times=times) if times else []
        verdicts += lines.budgets(typed)
    print_all(plan, results, verdicts)
    sys.stdout.write(f"\n{jobs.table(done)}\n" if done else "")
    sys.stdout.write(f"\n{today.table(opened)}\n" if opened else "")
    sys.stdout.write("".join(f"\n{report.layers(*page)}\n" for page in layers.items()))
    sys.stdout.write(f"\n{day.table(used)}\n" if used else "")
    sys.stdout.write(f"\n{lines.table(typed)}\n" if typed else "")
    if not visit:
        sys.stdout.write("First visit: not measured (left out, or no Chromium with Playwright).\n")
    if wanted.json:
        report.save(wanted.json, results, verdicts)


def measured_worker(everything: site.Site, wanted: argparse.Namespace) -> list[budgets.Verdict]:
    """The verdicts on the jobs of workers, and on pages beside them."""
    if not wanted.worker:
        return []
    found = []
    for module, rows in (("exports", ("10000", "100000")), ("paces", ("400",))):
        command = [sys.executable, "-m", f"bench.{module}", "--json"]
        command += ["--rounds", str(wanted.worker), "--rows", *(("20",) if wanted.smoke else rows)]
        done = subprocess.run(command, cwd=servers.ROOT, stdout=subprocess.PIPE, check=True)
        found += [budgets.Verdict(**each) for each in json.loads(done.stdout)]
    seconds = 2.0 if wanted.smoke else 20.0
    return [*found, beside_jobs.measured(everything, rounds=wanted.worker, seconds=seconds)]


def measured_crowds(everything: site.Site, wanted: argparse.Namespace) -> list[budgets.Verdict]:
    """The verdicts on the two scenarios that were requested and can run here."""
    found = []
    if wanted.crowded:
        found.append(budgets.of_crowd(crowds.crowded(everything, wanted.crowded), wanted.crowded))
    if wanted.browsing:
        browsing = (wanted.browsers, wanted.browsing, wanted.pause)
        if through := crowds.through_nginx(everything, *browsing):
            found += budgets.of_browsing(through)
        else:
            sys.stdout.write("People through nginx: not measured (nginx is not installed).\n")
    rounds.progress("")
    return found


def print_all(plan: rounds.Plan, results: rounds.Results, verdicts: list[budgets.Verdict]) -> None:
    """Print the table, the conditions of the run and the budgets."""
    sys.stdout.write(
        f"Medians of {plan.rounds} interleaved rounds of {plan.seconds:g} s each. CPU: of the "
        "server asked, per request.\n\n"
        f"{report.table(results)}\n\n{report.circumstances(results)}\n\n"
        f"{report.budgets(verdicts)}\n"
    )


if __name__ == "__main__":
    main(arguments())
