"""Runs one slice of a job, and decides what a failure means for it."""

import logging
import time
from dataclasses import replace
from datetime import timedelta

import structlog
from django.db import Error

from dashboard.core import sealed
from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import (
    Busy,
    Forbidden,
    GatewayError,
    KeysRefused,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Unavailable,
)
from dashboard.jobs import leases
from dashboard.jobs.kinds import UNKNOWN, RetryLater, Slice, kind_of
from dashboard.jobs.leases import Ending
from dashboard.jobs.models import Job
from dashboard.people.keys import KeysUnreadable, NoKeys
from dashboard.reader.failures import summary
from dashboard.writes.for_person import NotPermitted, OtherKeys, context_for

logger = logging.getLogger(__name__)

State = Job.State
SECONDS = 4.0  # of a slice
FIRST_DELAY, MAX_DELAY = 5, 300  # seconds before a service that fails is asked again
MAX_FAILURES = 8  # slices in a row, about a quarter of an hour; then the person is asked
WAITS = (Busy, Unavailable)
DELAYS = (*WAITS, OutcomeUnknown)  # raised by a slice
ASKS = (
    Forbidden,
    KeysRefused,
    KeysUnreadable,
    NoKeys,
    NotAllowed,
    NotOffered,
    NotPermitted,
    OtherKeys,
)
WORDS: dict[type[GatewayError], str] = {
    KeysRefused: f"{SERVICE_AT_START} rejected your API keys. Connect a new pair, then resume.",
    KeysUnreadable: "We can't read your API keys any more. Enter them again, then resume.",
    NoKeys: "You have no API keys. Connect a pair, then resume.",
    OutcomeUnknown: f"{SERVICE_AT_START} gave no clear answer to what was sent last.",
}
UNKNOWN_KIND = "This version of Entry Desk can't run this job."
SEALED = "We can't open the stored data any more."
INTERNAL_ERROR = "Something went wrong. Your administrator can find the details in the log."


def run(job: Job) -> Ending | None:
    """Run the slice of a leased job; None if the lease was lost. Raises django.db.Error."""
    with structlog.contextvars.bound_contextvars(request_id=f"job-{job.pk}-{job.slices}"):
        return _ending(job)


def _ending(job: Job) -> Ending | None:
    try:
        kind = kind_of(job)
        if kind is UNKNOWN:
            return Ending(State.PAUSED, UNKNOWN_KIND)
        params = job.params
        with context_for(job.person_id, owner=job.owner, permission=kind.permission) as ctx:
            job_ctx, deadline = replace(ctx, job=job.pk), time.monotonic() + SECONDS
            is_finished = kind.run(Slice(job, job_ctx, params, deadline))
        return Ending(State.FINISHED if is_finished else State.RUNNING)
    except leases.LeaseLost:
        return None
    except RetryLater as wait:
        return Ending(delay=timedelta(seconds=wait.seconds))
    except GatewayError as error:
        return ending_of(error, job.failures + 1)
    except sealed.DecryptionError:
        return Ending(State.PAUSED, SEALED)
    except Error:
        raise
    except Exception:
        logger.exception("%s was paused", job)
        return Ending(State.PAUSED, INTERNAL_ERROR)


def ending_of(error: GatewayError, failures: int) -> Ending:
    """Map an error that no row caused to a delay or a pause."""
    if not isinstance(error, DELAYS) or failures >= MAX_FAILURES:
        return Ending(State.PAUSED, WORDS.get(type(error)) or summary(error))
    return Ending(delay=timedelta(seconds=delay_of(error, failures)), failures=failures)


def delay_of(error: GatewayError, failures: int = 1) -> float:
    """Return the seconds until the next slice: as many as the service asks for, else more after
    each failure.
    """
    asked_for = error.retry_after if isinstance(error, Busy) else None
    return min(asked_for or FIRST_DELAY * 2 ** (failures - 1), MAX_DELAY)
