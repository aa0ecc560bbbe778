"""python -m bench.exports: the time of exports, as a ratio to reading the pages of the list,
and of the files that are written from them.

The turns of the job are taken in this process, as a worker takes them, with a database of its own.
"""

from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import Any

from . import servers, worker
from .budgets import Verdict
from .rounds import progress

SHARE = 35  # of 100 records of the stand-in are contacts
WARM_UP = 500  # rows
READING, MEMORY = 1.10, 5.0  # of the time of the pages alone; MB
WRITING = {"plain": 5.0, "xlsx": 15.0}  # seconds of 100,000 rows, while the file is downloaded
NAMES = {"plain": "CSV", "xlsx": "XLSX"}


def main() -> None:
    """Measure each number of rows, and print the verdicts."""
    parser = worker.arguments("exports", __doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    wanted = parser.parse_args()
    found: list[Verdict] = []
    with worker.database():
        for rows in (WARM_UP, *wanted.rows):
            with servers.standin(size=rows * 100 // SHARE) as standin:
                standin.ask("/latency", {"seconds": wanted.latency})
                measured = _measured(standin, rows, wanted.rounds)
                found += measured if rows != WARM_UP else []
    worker.tell(found, as_json=wanted.json)


def _measured(standin: servers.StandInServer, rows: int, rounds: int) -> list[Verdict]:
    context = worker.context(standin)
    ratios: list[float] = []
    writing: dict[str, list[float]] = {form: [] for form in WRITING}
    grown: list[float] = []
    for number in range(rounds):
        progress(f"{rows:,} rows: round {number + 1} of {rounds}")
        raw, before = worker.seconds(lambda: _read_pages(context)), _most_memory()
        ratios.append(worker.seconds(lambda: _export(context)) / raw)
        for form, found in writing.items():
            found.append(worker.seconds(lambda form=form: _write(context, form)))  # type: ignore[misc]
        grown.append(_most_memory() - before)
    progress("")
    return [
        Verdict(f"export of {rows:,} rows / pages", median(ratios), READING, "x"),
        *(
            Verdict(f"{NAMES[form]} of {rows:,} rows", median(found), WRITING[form], "s")
            for form, found in writing.items()
        ),
        Verdict(f"memory of exports of {rows:,} rows beyond reading", grown[0], MEMORY, "MB"),
    ]


def _most_memory() -> float:
    """The most that this process has held so far, in MB."""
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def _pages(context: Any) -> Any:
    from dashboard import resources
    from dashboard.lists import fetching
    from dashboard.lists.query import ListQuery

    return fetching.begin(context, ListQuery(resources.CONTACTS))


def _read_pages(context: Any) -> int:
    from dashboard.lists import fetching

    query, first, _ = _pages(context)
    return sum(len(page.records) for page in fetching.pages(context.gateway, query, first=first))


def _export(context: Any) -> None:
    from dashboard.exports import jobs
    from dashboard.exports.contents import COLUMNS

    query, first, _ = _pages(context)
    params = {"content": COLUMNS, "form": "csv", "notes": []}
    job = jobs.create(context, context.person, query, first, params, "contacts.csv")
    worker.finish(job)


def _write(context: Any, form: str) -> int:
    """Write the file of the last export, as its download does; its bytes."""
    from dashboard.exports.files import file_chunks
    from dashboard.exports.models import Export
    from dashboard.exports.storage import stored_rows

    rows = stored_rows(Export.objects.select_related("job").latest("pk"))
    return sum(len(chunk) for chunk in file_chunks(form, rows, [], context.style))


if __name__ == "__main__":
    main()
