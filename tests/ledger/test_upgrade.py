"""A database that release 0.1 has filled keeps everything that its people had there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent
WORKER = ("manage.py", "db_worker", "--batch", "--no-startup-delay", "--interval", "0.1")
ADDRESSES = (
    "/unfinished/", "/unsure/", "/jobs/", "/jobs/1/", "/jobs/2/", "/jobs/4/", "/history/",
    "/settings/keys/",
)  # fmt: skip


@pytest.fixture
def run(own_database, standin, tmp_path):
    """run(*arguments): a Python process with a database that the release has filled."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.ledger.served_settings",
        "TEST_DATABASE_URL": own_database,
        "PROOF_API": standin.url,
        "PROOF_CACHE": str(tmp_path / "cache"),
    }

    def process(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done

    process("-m", "tests.ledger.upgrade", "fill")
    return process


def pages(run, *addresses: str) -> dict[str, str]:
    """The texts of pages after the upgrade, by their address."""
    printed = run("-m", "tests.ledger.upgrade", "pages", *addresses).stdout
    return json.loads(printed.splitlines()[-1])


def test_everything_that_people_had_is_there_after_the_upgrade(run, standin):
    begun_too_soon = run(*WORKER, status=1).stderr
    assert "run manage.py migrate" in begun_too_soon
    run("manage.py", "migrate", "-v", "0")
    texts = pages(run, *ADDRESSES)
    unfinished, unsure, jobs, history = (
        texts[address] for address in ("/unfinished/", "/unsure/", "/jobs/", "/history/")
    )
    for name in ("Typed Ltd", "Left Ltd", "Refused Ltd"):
        assert f"New contact: {name} ," in unfinished, "a draft"
    for name, why in (
        ("Counting Ltd", "It was not sent when its countdown ended."),
        ("Broken Ltd", "Sending it was interrupted before anything was sent."),
        ("Stubborn Ltd", "The service did not accept this."),
    ):
        waits = rf"Contact {name} asked for at [^.]*\. {re.escape(why)} Undo"
        assert re.search(waits, unfinished), "a deletion that was not sent"
    assert "Create again Contact Deleted Ltd" in unfinished
    assert "Kept Ltd" not in unfinished
    for name in ("New contact Open Ltd", "Deletion of contact Unsure Ltd", "New contact Row One",
                 "New contact Row Two"):  # fmt: skip
        assert f"Check {name}" in unsure
    assert "5 of 5, 1 refused, 1 skipped, 2 not sure" in jobs
    assert "Stopped 0 of 2" in jobs
    assert "Running 0 of 3" in jobs
    assert (
        "Workspace Acme Access key ends in 5ecb Secret key ends in b998"
        in (texts["/settings/keys/"])
    ), "the keys, which only their encryption key opens"
    told_rows(texts["/jobs/1/"])
    assert "Run Three Not sent" in texts["/jobs/4/"]
    told_history(history)
    told_jobs(run, standin)
    run("-m", "tests.ledger.upgrade", "leave")


def told_jobs(run, standin):
    """The worker, started anew, sends the rows of the job that the release left waiting."""
    assert not standin.ledger(operation="create")
    run(*WORKER)
    assert len(standin.ledger(operation="create")) == 2
    job = pages(run, "/jobs/5/")["/jobs/5/"]
    for name in ("Later One Ltd", "Later Two Ltd"):
        assert f"{name} Saved" in job


def told_rows(page):
    """The rows of the job that has ended, with what became of each."""
    for words in (
        "Row One Not sure Not sure whether it was saved. Looked for: it is not there.",
        "Row Two Not sure Not sure whether it was saved. Looked for: it is there, equal in every",
        "Row Three Refused The service did not accept this. Fault on request",
        "Row Four Saved",
        "skip Five Skipped It is to be skipped.",
    ):
        assert words in page


def told_history(page):
    """The lines of the history, with those of the office and of an export."""
    for words in (
        r"Exported Contacts \S+ \S+ \S+ \S+ max",
        r"Changed max \S+ \S+ \S+ \S+ ada Role Editor Manager",
        r"1 not created, 2 perhaps created, 1 created",
        r"Perhaps deleted Unsure Ltd",
        r"Not deleted Stubborn Ltd \S+ \S+ \S+ \S+ max, the CRM refused it \(422\)",
        r"Deleted Deleted Ltd",
        r"Changed Edited Ltd \S+ \S+ \S+ \S+ max Address New Street 1",
        r"Not created Refused Ltd",
        r"Created Saved Ltd \S+ \S+ \S+ \S+ max Name Saved Ltd Type Individual",
        r"Changed Old Deal \S+ \S+ \S+ \S+ max Deal title Older Old Deal",
    ):
        assert len(re.findall(words, page)) == 1, words
