"""The kinds of jobs, declared in higher rooms.

settings.JOB_KINDS holds dotted names of tuples of JobKind, imported at first use.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from dashboard.gateway import Gateway
from dashboard.jobs.models import Job
from dashboard.people.context import RequestContext


@dataclass(frozen=True)
class Slice:
    """A slice of a job. `deadline`: of time.monotonic; a kind ends its slice then, or earlier."""

    job: Job
    ctx: RequestContext
    params: Mapping[str, Any]
    deadline: float


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """One kind of job.

    run: runs one slice and returns whether the job is finished. It may raise GatewayError, which
    delays or pauses the job, RetryLater, or leases.LeaseLost.
    permission: that the person must have in every slice. undo: the name of the page that proposes
    to undo what such a job has saved, "" for none; can_undo: whether there is a way to undo it.
    operation: what it does with the record of a row, one of outcomes.DONE.
    """

    name: str
    run: Callable[[Slice], bool]
    permission: str
    undo: str = ""
    can_undo: Callable[[Job, Gateway], bool] = lambda job, gateway: True
    operation: str = "save"


# One that this version does not know.
UNKNOWN = JobKind(name="", run=lambda job_slice: False, permission="")


class RetryLater(Exception):  # noqa: N818 (what it is, without Error)
    """Nothing can be done for some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


@cache
def _kinds(names: tuple[str, ...]) -> dict[str, JobKind]:
    kinds: list[JobKind] = [kind for name in names for kind in import_string(name)]
    return {kind.name: kind for kind in kinds}


def kind_of(job: Job) -> JobKind:
    return _kinds(tuple(settings.JOB_KINDS)).get(job.kind, UNKNOWN)
