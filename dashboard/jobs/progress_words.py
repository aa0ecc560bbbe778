"""The progress of a job, in words."""

from decimal import Decimal
from typing import Any
from urllib.parse import quote

from dashboard.core.templates import page_url
from dashboard.jobs import leases, row_results
from dashboard.jobs.kinds import kind_of
from dashboard.jobs.models import Job
from dashboard.schema import charts
from dashboard.writes import outcomes
from dashboard.writes.models import Write

State, Row = Job.State, Write.State
UNSENT = {
    Row.WAITING: "not sent",
    Row.SENDING: "being sent",
    Row.SKIPPED: "skipped",
    Row.CANCELLED: "not sent",
}
TONES = {
    Row.SAVED: "b0",
    Row.NOT_SAVED: "b4",
    Row.SKIPPED: "none",
    Row.NOT_SURE: "b1",
    Row.CANCELLED: "left",
}
STATUS = {
    State.RUNNING: "open",
    State.WAITING: "open",
    State.PAUSED: "soon",
    State.FINISHED: "paid",
}


def outcomes_of(job: Job) -> dict[Write.State, str]:
    operation = kind_of(job).operation
    return {state: UNSENT.get(state) or outcomes.label(operation, state) for state in Row}


def progress_of(job: Job) -> dict[str, Any]:
    """Return the template context of a job's progress: bar, parts, and counts as (state,
    words, number).
    """
    done = row_results.done(job)
    rows_left = job.total - done
    left = "not sent" if job.state in leases.ENDED else "remaining"
    words = outcomes_of(job)
    counts = [(each, words[each], job.counts[each]) for each in TONES if job.counts.get(each)]
    return {
        "job": job,
        "live": job.state in leases.RUNNABLE,
        "done": done,
        "counts": counts,
        "bar": charts.segments(
            [(TONES[state], Decimal(number)) for state, _, number in counts],
            Decimal(job.total or done),
        ),
        "parts": charts.strip(
            [(TONES[state], words, Decimal(number), f"{number:,}",
              f"{page_url('jobs:show', job.pk)}?state={quote(state)}")
             for state, words, number in counts]
            + ([("left", left, Decimal(rows_left), f"{rows_left:,}", "")]
               if rows_left > 0 else [])
        ),
        "lacks_worker": leases.lacks_worker(job),
        "status": STATUS.get(State(job.state), "off"),
    }  # fmt: skip
