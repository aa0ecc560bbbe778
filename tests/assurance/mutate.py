"""Shows that the tests of the table notice when a control is taken away.

    python -m tests.assurance.mutate --all
    python -m tests.assurance.mutate --rows 3.4.5,6.3.3
    python -m tests.assurance.mutate --sample 20 --turn 137

For each row that a test shows (asvs.csv), the mutation of that row (mutations.toml) is made in a
copy of the repository, and the test has to fail there. Without any mutation it has to pass. Exits
1 if a row is not noticed, or if its mutation cannot be tried.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.copies import Copy, run_tests

HERE = Path(__file__).parent
NOTICED = "noticed"
PROCESSES = 2
LONGEST = 300  # seconds that one test may take


@dataclass(frozen=True)
class Mutation:
    """A text of a file that another one replaces, and the test that has to fail then."""

    row: str
    file: str
    old: str
    new: str
    test: str


def given() -> dict[str, dict[str, str]]:
    """The file, the old and the new text by the number of a row."""
    return tomllib.loads((HERE / "mutations.toml").read_text(encoding="utf-8"))


def mutations() -> list[Mutation]:
    texts = given()
    with (HERE / "asvs.csv").open(encoding="utf-8", newline="") as file:
        tests = {row["requirement"]: row["shown_by"] for row in csv.DictReader(file)}
    return [Mutation(row, **texts[row], test=test) for row, test in tests.items() if row in texts]


def sample(found: list[Mutation], count: int, turn: int) -> list[Mutation]:
    """The next `count` mutations at each turn, from the beginning again after the last."""
    begin = turn * count % len(found)
    return [*found, *found][begin : begin + count]


def passing(folder: Path, tests: Iterable[str]) -> tuple[bool, str]:
    """Whether all the tests pass in an unchanged copy, and what pytest says."""
    done = run_tests(folder, *sorted(set(tests)))
    return done.returncode == 0, done.stdout


def outcome(folder: Path, one: Mutation) -> str:
    """NOTICED, or in words why not; the file is as before afterwards."""
    path = folder / one.file
    text = path.read_text(encoding="utf-8")
    if text.count(one.old) != 1:
        return f"OLD TEXT is {text.count(one.old)} times in {one.file}"
    path.write_text(text.replace(one.old, one.new), encoding="utf-8")
    try:
        done = run_tests(folder, "-x", "-rf", "--tb=line", one.test, seconds=LONGEST)
    except subprocess.TimeoutExpired:
        return f"MUTATION BROKEN: no answer in {LONGEST} seconds"
    finally:
        path.write_text(text, encoding="utf-8")
    if done.returncode == 1 and f"\nFAILED {one.test}" in done.stdout:
        return NOTICED
    last = (done.stdout.strip() or done.stderr.strip()).rpartition("\n")[2]
    # Errors of fixtures and modules show nothing: the mutated code has to run.
    return f"NOT NOTICED: {last}" if done.returncode == 0 else f"MUTATION BROKEN: {last}"


def tried(rows: list[Mutation]) -> bool:
    """Whether the test of each row passes in a copy, and fails there after the mutation."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        good, words = passing(copy.folder, (one.test for one in rows))
        if not good:
            print(f"FAILS WITHOUT ANY MUTATION:\n{words}", flush=True)
        for one in rows:
            found = outcome(copy.folder, one)
            good &= found == NOTICED
            print(f"{one.row:8}{found}  ({one.file}; {one.test})", flush=True)
    return good


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--all", action="store_true", help="every row, which takes ten minutes")
    which.add_argument("--rows", help="these rows, with commas between them")
    which.add_argument("--sample", type=int, help="so many rows, others at each turn")
    parser.add_argument("--turn", type=int, default=0, help="which turn of the sample it is")
    chosen = parser.parse_args(arguments)
    rows = mutations()
    if chosen.rows:
        rows = [one for one in rows if one.row in chosen.rows.split(",")]
    elif chosen.sample:
        rows = sample(rows, chosen.sample, chosen.turn)
    piles = [rows[start::PROCESSES] for start in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        good = all(list(pool.map(tried, filter(None, piles))))
    print(f"{len(rows)} rows were tried.")
    return 0 if good and rows else 1


if __name__ == "__main__":
    sys.exit(main())
