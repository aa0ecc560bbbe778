"""The progress of a job, in words."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.utils import timezone

from dashboard.core.templates import page_url
from dashboard.jobs import leases, row_results
from dashboard.jobs.kinds import kind_of
from dashboard.jobs.models import Job
from dashboard.schema import charts
from dashboard.text.dates import duration
from dashboard.writes import outcomes
from dashboard.writes.models import Write

State, Row = Job.State, Write.State
LIVE = (State.WAITING, State.RUNNING)
MIN_ROWS_FOR_PACE = 3  # rows, before which the pace is not known
UNSENT = {
    Row.WAITING: "not sent",
    Row.SENDING: "being sent",
    Row.SKIPPED: "skipped",
    Row.CANCELLED: "not sent",
}
TONES = {
    Row.SAVED: "e0",
    Row.NOT_SAVED: "b4",
    Row.SKIPPED: "e3",
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
    try:
        operation = kind_of(job).operation
    except KeyError:  # one that this version does not know
        operation = "save"
    return {state: UNSENT.get(state) or outcomes.label(operation, state) for state in Row}


def progress_of(job: Job) -> dict[str, Any]:
    """Return the template context of a job's progress: bar, parts, time left, and counts as (state,
    words, number).
    """
    done = row_results.done(job)
    pace = _pace(job, done)
    rows_left = job.total - done
    is_live = job.state in LIVE
    words = outcomes_of(job)
    counts = [(each, words[each], job.counts[each]) for each in TONES if job.counts.get(each)]
    return {
        "job": job,
        "live": is_live,
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
            + ([("left", "still to do", Decimal(rows_left), f"{rows_left:,}", "")]
               if rows_left > 0 else [])
        ),
        "time_left": _time_left(rows_left / pace) if pace and rows_left and is_live else "",
        "lacks_worker": leases.lacks_worker(job),
        "status": STATUS.get(State(job.state), "off"),
    }  # fmt: skip


def _time_left(seconds: float) -> str:
    """Round to 5 seconds, so that the text does not change with each poll."""
    return duration(timedelta(seconds=max(5, 5 * round(seconds / 5))))


def _pace(job: Job, done: int) -> float:
    """Return rows per second since the job was last started; 0 if not known yet."""
    if job.paced_from is None or done - job.paced_done < MIN_ROWS_FOR_PACE:
        return 0
    end = job.finished_at or (timezone.now() if job.state in LIVE else job.last_slice_at)
    passed = ((end or job.paced_from) - job.paced_from) / timedelta(seconds=1)
    return (done - job.paced_done) / max(passed, 1)
