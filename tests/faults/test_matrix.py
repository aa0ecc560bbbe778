"""A slice of the matrix, and every oracle shown to bite: so that neither can rot."""

import pytest

from tests.faults import broken, cases, house, matrix, oracles
from tests.faults.rows import ROWS

KINDS = ["reset", "status-500", "status-422", "partial-saved"]


@pytest.fixture
def runner(transactional_db):
    with house.opened() as home:
        yield matrix.Runner(home, home.enter("max"))


@pytest.mark.django_db
@pytest.mark.parametrize("row", ROWS)
def test_no_promise_is_broken_by_a_handful_of_faults(runner, row):
    found = {str(case): runner.run(case) for case in cases.every([row], [], KINDS)}
    assert len(found) > 40
    assert {case: words for case, words in found.items() if words} == {}


@pytest.mark.django_db
@pytest.mark.parametrize("build", broken.BUILDS)
def test_a_broken_build_is_caught(runner, build):
    make, steps, kinds, oracle = broken.BUILDS[build]
    with make():
        found = [
            words for case in cases.every(["contacts"], steps, kinds) for words in runner.run(case)
        ]
    assert any(words.startswith(f"{oracle}: ") for words in found), found


def test_every_oracle_is_shown_to_bite():
    shown = {oracle for *_, oracle in broken.BUILDS.values()}
    assert shown == {oracle.__name__ for oracle in oracles.ORACLES}
