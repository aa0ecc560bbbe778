"""Each row that a test shows has a mutation that can be made, and what is not noticed is found."""

import pytest

from tests.assurance import mutate
from tests.assurance.mutate import NOTICED, Mutation
from tests.assurance.test_asvs import ROWS, TEST
from tests.copies import ROOT

MUTATIONS = mutate.mutations()
# Loading them takes longer than all the rest.
WITHOUT_PLUGINS = "django playwright base_url hypothesispytest time_machine anyio"
CONTROL = "def admits(count):\n    return count < 3\n"
TESTS = """
import control
import pytest

def test_some_are_admitted():
    assert control.admits(2)

def test_few_are_admitted():
    assert not control.admits(3)

@pytest.fixture
def refused():
    assert not control.admits(3)

def test_with_a_fixture(refused):
    pass
"""


def test_every_row_that_a_test_shows_has_a_mutation_and_no_other():
    shown = [row["requirement"] for row in ROWS if row["evidence"] == TEST]
    assert [one.row for one in MUTATIONS] == shown
    assert set(mutate.given()) == set(shown)


def test_each_old_text_stands_once_in_its_file():
    counts = {one.row: (ROOT / one.file).read_text().count(one.old) for one in MUTATIONS}
    assert {row: count for row, count in counts.items() if count != 1} == {}
    assert [one.row for one in MUTATIONS if one.old == one.new] == []


@pytest.fixture
def folder(tmp_path):
    """A control and its tests."""
    (tmp_path / "control.py").write_text(CONTROL)
    (tmp_path / "test_control.py").write_text(TESTS)
    options = " ".join(f"-p no:{name}" for name in WITHOUT_PLUGINS.split())
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "new", "begins"),
    [
        ("few_are_admitted", "count < 9", NOTICED),
        ("some_are_admitted", "count < 9", "NOT NOTICED"),
        ("with_a_fixture", "count < 9", "MUTATION BROKEN"),
    ],
)
def test_what_is_not_noticed_is_told(folder, test, new, begins):
    one = Mutation("0.0.0", "control.py", "count < 3", new, f"test_control.py::test_{test}")
    assert mutate.outcome(folder, one).startswith(begins)
    assert (folder / "control.py").read_text() == CONTROL


def test_an_old_text_that_is_missing_is_told(folder):
    one = Mutation("0.0.0", "control.py", "count < 4", "", "test_control.py::test_few_are_admitted")
    assert mutate.outcome(folder, one).startswith("OLD TEXT is 0 times")


def test_samples_of_all_turns_hold_every_row():
    turns = [mutate.sample(MUTATIONS, 20, turn) for turn in range(len(MUTATIONS))]
    assert {len(one) for one in turns} == {20}
    assert {one for turn in turns[:8] for one in turn} == set(MUTATIONS)
    assert turns[0] != turns[1]
