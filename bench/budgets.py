"""The budgets: ratios to another measurement of the same run, or absolute figures."""

import gzip
from dataclasses import dataclass
from statistics import median

from .crowds import CROWD, Browsing
from .load import Slice
from .rounds import Case, MemoryUse, Results
from .site import ADMIN, API, FLOOR, PAGE, Site


@dataclass(frozen=True)
class Verdict:
    """One budget and the measured figure. at_least: whether the limit is a minimum."""

    name: str
    measured: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit


def of_load(results: Results) -> list[Verdict]:
    found = []
    for people, limit in ((1, 1.1), (16, 1.4), (64, 5)):
        pair = Case(PAGE, 25, people, 50), Case(API, 25, people, 50)
        if all(case in results for case in pair):
            name = f"p50 / raw call, API 50 ms, 25 rows, {people} at once"
            found.append(Verdict(name, ratio(results, *pair, "p50"), limit, "x"))
        pair = Case(PAGE, 25, people, 50), Case(FLOOR, 25, people, 50)
        if all(case in results for case in pair):
            name = f"CPU of a list / the floor's under gunicorn, 25 rows, {people} at once"
            found.append(Verdict(name, ratio(results, *pair, "cpu"), 2.3, "x"))
    if (crowd := Case(PAGE, 25, 64, 50)) in results:
        name = "pages/s of those 64 / the floor's"
        rate = ratio(results, crowd, Case(FLOOR, 25, 64, 50), "rate") * 100
        found.append(Verdict(name, rate, 50, "%", at_least=True))
        longest = max(sample.longest for sample in results[crowd]) / 1000
        found.append(Verdict("longest wait of those 64", longest, 1, "s"))
    for rows, limit in ((25, 0.4), (100, 0.22)):
        if (worst := cpu_of_admins(results, rows)) is not None:
            name = f"CPU per page / admin's, {rows} rows, API 50 ms, 1 or 16 at once"
            found.append(Verdict(name, worst * 100, limit * 100, "%"))
    return found


def of_crowd(done: Slice, seconds: float) -> Verdict:
    """The verdict on the longest wait with more connections than threads."""
    name = f"longest wait of {CROWD} people for {seconds:g} s, API 50 ms"
    return Verdict(name, done.longest, 1, "s")


def of_browsing(found: Browsing) -> list[Verdict]:
    """The verdicts on users who pause between pages, relative to raw calls at the same time."""
    name = f"{found.people} people through nginx, {found.page.rate:.0f} pages/s"
    ratios = {p: found.page.percentile(p) / found.raw.percentile(p) for p in (95, 99)}
    return [
        Verdict(f"p95 / raw call, {name}", ratios[95], 1.6, "x"),
        Verdict(f"p99 / raw call, {name}", ratios[99], 2.5, "x"),
        Verdict(f"longest wait, {name}", found.page.longest, 1, "s"),
    ]


def ratio(results: Results, over: Case, under: Case, figure: str) -> float:
    """The median of the ratios of each round, as noise in a round affects both sides."""
    pairs = zip(results[over], results[under], strict=True)
    return median(float(getattr(a, figure) / getattr(b, figure)) for a, b in pairs)


def cpu_of_admins(results: Results, rows: int) -> float | None:
    """The largest ratio of cases with the same number of connections; None without any."""
    pairs = ((Case(PAGE, rows, n, 50), Case(ADMIN, rows, n)) for n in (1, 16))
    found = [ratio(results, *p, "cpu") for p in pairs if all(case in results for case in p)]
    return max(found, default=None)


def of_html(site: Site) -> list[Verdict]:
    """The verdicts on the size of a page of 25 rows and of its swap, compressed with gzip."""
    return [
        _of_html(site, "HTML of 25 rows", 6, swap=False),
        _of_html(site, "a swap of them", 3.5, swap=True),
    ]


def _of_html(site: Site, name: str, limit: float, *, swap: bool) -> Verdict:
    body, packed = site.fetch(PAGE, 25, swap=swap)
    by = "the site" if packed else "a proxy in front"
    size = len(gzip.compress(body, 6)) / 1000
    return Verdict(f"{name}, gzip by {by} ({len(body) / 1000:.1f} kB plain)", size, limit, "kB")


def of_memory(alone: MemoryUse, crowded: MemoryUse) -> list[Verdict]:
    """The verdicts on the memory of a worker. PSS divides shared pages among the workers."""
    return [
        Verdict(f"PSS of a worker after {alone.requests:,} lists", alone.after.pss, 80, "MB"),
        Verdict("PSS of a worker after all rounds", crowded.after.pss, 110, "MB"),
    ]


def of_growth(kept: MemoryUse) -> list[Verdict]:
    growth = kept.after.rss - kept.settled.rss
    return [Verdict(f"growth of its RSS over {kept.requests:,} requests", growth, 1, "MB")]
