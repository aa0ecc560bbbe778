"""What a worker does for a request has that request's id; a worker that ends logs why, as JSON."""

import json
from pathlib import Path

import pytest
from django_tasks_db.models import DBTaskResult
from structlog.contextvars import get_contextvars

from dashboard.people import mails
from dashboard.people.models import User
from tests.helpers import run_worker
from tests.page import InspectingClient as Client
from tests.processes import python

ENDS = """
import django; django.setup()
from django.core.management import call_command
from django_tasks_db.models import DBTaskResult
from tests.databases import make_tables
make_tables()
def fail(*args, **options): raise {error}
DBTaskResult.objects.ready = fail
import warnings; warnings.warn("look here")
call_command("db_worker")
"""


def ids() -> set[str]:
    return {row.args_kwargs.get("request_id", "") for row in DBTaskResult.objects.all()}


def test_a_task_and_those_that_follow_from_it_have_the_id_of_the_request(viewer, monkeypatch):
    seen = []
    monkeypatch.setattr(mails, "send_mail", lambda *args: seen.append(get_contextvars()))
    asked = Client().post(
        "/accounts/password/reset/", {"email": viewer.email}, headers={"X-Request-ID": "asked-0001"}
    )
    assert asked.status_code == 302
    run_worker()
    assert ids() == {"asked-0001"}
    assert [bound["request_id"] for bound in seen] == ["asked-0001"]
    assert "request_id" not in get_contextvars()


def test_a_task_of_no_request_has_none(db):
    mails.post("invitation", ["a@b.test"], {"person": User(), "url": ""})
    run_worker()
    assert ids() == {""}


def ended(tmp_path: Path, error: str) -> list[dict[str, str]]:
    """The lines of a worker that ends by an error."""
    done = python(
        "-c", ENDS.format(error=error),
        DJANGO_SETTINGS_MODULE="tests.settings",
        TEST_DATABASE_URL=f"sqlite:///{tmp_path / 'own.sqlite3'}",
    )  # fmt: skip
    assert done.returncode == 1
    return [json.loads(line) for line in done.stderr.splitlines() if "look here" not in line]


@pytest.mark.slow
def test_a_dying_worker_logs_why_in_one_line_of_json(tmp_path):
    line = ended(tmp_path, "ZeroDivisionError")[-1]
    assert line["event"] == "the worker ends"
    assert (line["level"], "Traceback" in line["exception"]) == ("critical", True)
