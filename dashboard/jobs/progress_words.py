"""How far a job is, in words."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.utils import timezone

from dashboard.core.templates import page_url
from dashboard.jobs import leases, row_results
from dashboard.jobs.kinds import done_word
from dashboard.jobs.models import Job
from dashboard.schema import charts
from dashboard.text.dates import duration
from dashboard.writes.models import Write

State, Row = Job.State, Write.State
LIVE = (State.WAITING, State.RUNNING)
SOON = 3  # rows, before which the pace is not known
WORDS = {
    Row.SAVED: "saved",
    Row.NOT_SAVED: "refused",
    Row.SKIPPED: "skipped",
    Row.NOT_SURE: "not sure",
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


def words_of(job: Job) -> dict[Write.State, str]:
    """The outcomes of a job's rows in words: of one that deletes they are deleted, not saved."""
    return {**WORDS, Row.SAVED: done_word(job)}


def outcome_of(row: Write, job: Job) -> str:
    """The outcome of one row in words, also before it has been sent."""
    words = {Row.WAITING: "not sent", Row.SENDING: "being sent", **words_of(job)}
    return words[Row(row.state)]


def progress_of(job: Job) -> dict[str, Any]:
    """The template context of a job's progress: bar, parts, time left, and counts, each the state,
    its words and a number.
    """
    done = row_results.done(job)
    pace = _pace(job, done)
    rows_left = job.total - done
    is_live = job.state in LIVE
    words_by_state = words_of(job)
    return {
        "job": job,
        "live": is_live,
        "done": done,
        "counts": [(state, words, job.counts[state]) for state, words in words_by_state.items()
                   if job.counts.get(state)],
        "bar": charts.segments(
            [(TONES[state], Decimal(job.counts.get(state, 0))) for state in WORDS],
            Decimal(job.total or done),
        ),
        "parts": charts.strip(
            [(TONES[state], words, Decimal(job.counts[state]), f"{job.counts[state]:,}",
              f"{page_url('jobs:show', job.pk)}?state={quote(state)}")
             for state, words in words_by_state.items() if job.counts.get(state)]
            + ([("left", "still to do", Decimal(rows_left), f"{rows_left:,}", "")]
               if rows_left > 0 else [])
        ),
        "time_left": _time_left(rows_left / pace) if pace and rows_left and is_live else "",
        "lacks_worker": leases.lacks_worker(job),
        "status": STATUS.get(State(job.state), "off"),
    }  # fmt: skip


def _time_left(seconds: float) -> str:
    """In steps of 5 seconds, so that the words do not change with each look."""
    return duration(timedelta(seconds=max(5, 5 * round(seconds / 5))))


def _pace(job: Job, done: int) -> float:
    """Rows a second since the job was last begun; 0 where that is not known yet."""
    if job.paced_from is None or done - job.paced_done < SOON:
        return 0
    end = job.finished_at or (timezone.now() if job.state in LIVE else job.last_turn)
    passed = ((end or job.paced_from) - job.paced_from) / timedelta(seconds=1)
    return (done - job.paced_done) / max(passed, 1)
