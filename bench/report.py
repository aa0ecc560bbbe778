"""Prints the figures as a plain table."""

import os

from .budgets import Verdict, ratio
from .rounds import Case, Results, Sample, medians
from .site import ADMIN, API, PAGE

HEAD = "{:>5} {:>5} {:>7}  {:<15} {:>8} {:>8} {:>8} {:>7} {:>8}  {}"
ROW = "{:>5} {:>5} {:>7}  {:<15} {:>8.2f} {:>8.2f} {:>8.2f} {:>7.0f} {:>8.2f}  {}"


def table(results: Results) -> str:
    """One line for each case; those of the page with ratios to the raw call and to the admin."""
    titles = ("API", "rows", "people", "asked", "p50 ms", "p95 ms", "p99 ms", "req/s", "CPU ms", "")
    lines = [HEAD.format(*titles)]
    for case, samples in results.items():
        figures = medians(samples)
        lines.append(_line(case, figures, _beside(results, case)))
    return "\n".join(lines)


def _line(case: Case, figures: Sample, beside: str) -> str:
    latency = "" if case.target == ADMIN else f"{case.latency} ms"
    return ROW.format(
        latency,
        case.rows,
        case.people,
        case.target,
        figures.p50,
        figures.p95,
        figures.p99,
        figures.rate,
        figures.cpu,
        beside,
    ).rstrip()


def _beside(results: Results, case: Case) -> str:
    if case.target != PAGE:
        return ""
    raw = Case(API, case.rows, case.people, case.latency)
    admin = Case(ADMIN, case.rows, case.people)
    text = f"p50 {ratio(results, case, raw, 'p50'):.2f}x the call"
    if admin in results:
        text += f"; of the admin's p50 {ratio(results, case, admin, 'p50'):.0%}"
        text += f", CPU {ratio(results, case, admin, 'cpu'):.1%}"
    return text


def budgets(verdicts: list[Verdict]) -> str:
    return "\n".join(_verdict(each) for each in verdicts)


def _verdict(each: Verdict) -> str:
    bound = "at least" if each.at_least else "at most"
    mark = "pass" if each.kept else "OVER"
    return f"{mark}  {each.measured:8.2f} {each.unit:<2} {bound} {each.limit:g}  {each.name}"


def layers(page: str, spent: dict[str, float]) -> str:
    """Where the CPU of a page goes, one line for each layer."""
    lines = [f"{milliseconds:>6.2f} ms  {layer}" for layer, milliseconds in spent.items()]
    return "\n".join([f"CPU of {page} by layer:", *lines])


def circumstances(results: Results) -> str:
    """The CPU use of other processes and of the load client, which shares the cores."""
    samples = [sample for found in results.values() for sample in found]
    if not samples:
        return ""
    whole = medians(samples)
    return (
        f"{os.cpu_count()} cores; of them busy with other work: {whole.others:.2f} (median). "
        f"The load client, on one thread of the same cores, takes {whole.client:.3f} ms of CPU per "
        f"request: alone it could ask {1000 / whole.client:,.0f} times a second."
    )
