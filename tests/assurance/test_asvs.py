"""The table of OWASP ASVS 5.0, level 2, names places and proofs that exist.

Its rows are the requirements that apply to this dashboard. A row that is met names where, and a
test or page that shows it; any other says why in its note.
"""

import ast
import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
COLUMNS = ["requirement", "subject", "state", "where", "shown_by", "note"]
STATES = ("met", "partly", "not met", "exception")
APPLICABLE = 171
MOST_EXCEPTIONS = 2

with (ROOT / "tests/assurance/asvs.csv").open(encoding="utf-8", newline="") as file:
    TABLE = csv.DictReader(file)
    NAMES, ROWS = TABLE.fieldnames, list(TABLE)


@cache
def functions_of(path: str) -> frozenset[str]:
    """The names of the test functions in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(each.name for each in functions if each.name.startswith("test_"))


def place(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


def test_every_requirement_that_applies_is_there_once():
    numbers = [row["requirement"] for row in ROWS]
    assert len(set(numbers)) == len(numbers) == APPLICABLE
    assert numbers == sorted(numbers, key=place)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", number) for number in numbers)


def test_every_row_is_complete():
    assert NAMES == COLUMNS
    assert [row for row in ROWS if row["state"] not in STATES or not row["subject"]] == []
    unproved = [row for row in ROWS if not (row["where"] and row["shown_by"])]
    assert [row["requirement"] for row in unproved if row["state"] == "met"] == []
    unexplained = [row for row in ROWS if row["state"] != "met" and not row["note"]]
    assert [row["requirement"] for row in unexplained] == []


def test_there_are_few_exceptions():
    assert sum(row["state"] == "exception" for row in ROWS) <= MOST_EXCEPTIONS


def test_every_named_file_exists():
    named = {row["where"] for row in ROWS} | {row["shown_by"].partition("::")[0] for row in ROWS}
    assert sorted(name for name in named - {""} if not (ROOT / name).is_file()) == []


def test_every_named_test_exists():
    proofs = {row["shown_by"] for row in ROWS if "::" in row["shown_by"]}
    named = [proof.split("::") for proof in sorted(proofs)]
    assert [name for path, name in named if name not in functions_of(path)] == []


def test_the_security_page_gives_the_counts_of_the_table():
    counts = Counter(row["state"] for row in ROWS)
    page = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    told = ", ".join(f"{counts[state]} {state}" for state in STATES)
    assert f"Of its {APPLICABLE} rows: {told}." in page
