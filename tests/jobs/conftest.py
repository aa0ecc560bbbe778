"""Jobs of people with keys, a worker in this process, and bulk jobs of a manager."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django_tasks_db.models import DBTaskResult

from dashboard.jobs import services
from dashboard.jobs.models import Job
from dashboard.people.keys import gateway_for, owner_of
from dashboard.people.models import User
from dashboard.writes import verification
from dashboard.writes.models import Write
from tests.conftest import person
from tests.helpers import context_of


@pytest.fixture
def _kinds(settings: Any, one_thread: None) -> None:
    settings.JOB_KINDS = ("tests.jobs.kinds.KINDS",)


@pytest.fixture
def max_(with_keys: Callable[[User], User], manager: User) -> User:
    return with_keys(manager)


@pytest.fixture
def paula(with_keys: Callable[[User], User]) -> User:
    """Another person with the same key pair."""
    return with_keys(person("paula", "Manager"))


def job_of(user: User, *names: str, kind: str = "create contacts", **more: Any) -> Job:
    """A job that creates contacts with these names."""
    return services.create(
        context_of(user, owner=owner_of(gateway_for(user))),
        kind=kind,
        title="Create contacts",
        resource="contacts",
        rows=more.pop("rows", [{"label": name} for name in names]),
        **more,
    )


def run_one() -> bool:
    """Run the next task that is due, as a worker does; whether there was one."""
    task = DBTaskResult.objects.ready().first()
    if task is None:
        return False
    task.claim("test")
    result = task.task_result
    task.task.call(*result.args, **result.kwargs)
    task.set_successful(None)
    return True


def work(most: int = 100) -> int:
    """Run the tasks that are due until there are none; how many."""
    return next((number for number in range(most) if not run_one()), most)


def states(job: Job) -> dict[str, str]:
    """The state of each row by its number."""
    return dict(job.rows.order_by("number").values_list("number", "state"))


def let_time_pass(job: Job, seconds: int) -> None:
    """Make everything of a job older."""
    earlier = timedelta(seconds=seconds)
    for name in ("lease_until", "not_before", "last_slice_at"):
        for each in Job.objects.filter(pk=job.pk, **{f"{name}__isnull": False}):
            Job.objects.filter(pk=job.pk).update(**{name: getattr(each, name) - earlier})
    for write in Write.objects.filter(done_at__isnull=False):
        Write.objects.filter(pk=write.pk).update(done_at=write.done_at - earlier)
    for task in DBTaskResult.objects.filter(status="READY", run_after__year__lt=9000):
        task.run_after -= earlier
        task.save(update_fields=["run_after"])


@pytest.fixture
def _in_this_process(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setattr(verification, "RECONCILE_AT", (0,))


def propose(desk: Client, resource: str, do: str, ids: Any, **fields: Any) -> Job:
    """Fill the page of a bulk job; the proposed job."""
    data = {"do": do, "chosen": ids, "filled": "1", **fields}
    answer = desk.post(f"/bulk/{resource}/", data)
    assert answer.status_code == 302, answer.context["form"].errors
    assert answer["Location"].startswith("/bulk/"), answer["Location"]
    return Job.objects.get(pk=answer["Location"].strip("/").rpartition("/")[2])
