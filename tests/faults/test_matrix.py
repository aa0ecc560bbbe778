"""Every fault on every operation of every resource breaks no promise."""

import pytest

from . import broken, cases, checks, environment, matrix
from .browser import token_of
from .options import FULL, OPTIONS
from .samples import SAMPLES

KINDS = ["reset", "status-500", "status-422", "partial-saved"]
STEPS, ONLY, _ = broken.BUILDS["matrix"].get(OPTIONS.broken, ([], [], ""))
CASES = (
    cases.chosen(OPTIONS, list(SAMPLES), STEPS, ONLY)
    if FULL
    else list(cases.spread(list(SAMPLES), [], KINDS))
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_promise_is_broken(home, user, case):
    assert matrix.run(home, user, case) == []


@pytest.mark.short
@pytest.mark.parametrize("build", broken.BUILDS["matrix"])
def test_a_broken_build_is_found(unblocked, tmp_path, build):
    steps, kinds, check = broken.BUILDS["matrix"][build]
    with broken.build(build), environment.environment(tmp_path) as home:
        user = home.user("max")
        breaches = [
            words
            for case in cases.every(["contacts"], steps, kinds)
            for words in matrix.run(home, user, case)
        ]
    assert any(words.startswith(f"{check}: ") for words in breaches), breaches


def test_a_broken_build_shows_each_check():
    of_writes = {check.__name__ for check in checks.OF_WRITES}
    assert {check for *_, check in broken.BUILDS["matrix"].values()} == {
        *of_writes, "no_crash", "no_secret"
    }  # fmt: skip


def test_a_changed_start_of_a_task_is_sent_again(home, user):
    number = home.create(user, SAMPLES["tasks"], "zqstart")
    url = f"{SAMPLES['tasks'].url}{number}/edit/"
    data = user.browser.form(url, start_datetime="2026-04-07 10:30")
    home.fresh()
    home.standin.fault("reset-before", operation="update", resource="tasks", times=1)
    entry = user.browser.post(url, data).headers["Location"]
    home.end_looks()
    user.browser.post(f"{entry}again/", {"token": token_of(user.browser.get(entry))})
    assert home.stored("tasks", number)["start_datetime"] == "2026-04-07T10:30:00"
