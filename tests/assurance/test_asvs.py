"""The table of OWASP ASVS 5.0, level 2, names places and proofs that exist.

Its rows are the requirements that apply to this dashboard and that Django, allauth or nginx do not
meet alone. Each names where it is met and what shows it: a test, which fails without the control
(mutations.toml), or a section of a page, also where no test could fail, which the note then says. A
row that is not met says why in its note.
"""

import ast
import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
COLUMNS = ["requirement", "subject", "state", "where", "evidence", "shown_by", "note"]
STATES = ("met", "partly", "not met", "exception")
TEST, DOCUMENT = EVIDENCE = ("test", "document")
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


def has_section(page: str, title: str) -> bool:
    """Whether a page has this heading, or a paragraph or row that begins with it in bold type."""
    text = (ROOT / page).read_text(encoding="utf-8")
    name = re.escape(title)
    return bool(re.search(rf"^#+ {name}$|^[-|] \*\*{name}\.?\*\*", text, re.MULTILINE))


def place(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


def numbers(rows: list[dict[str, str]]) -> list[str]:
    return [row["requirement"] for row in rows]


def test_every_requirement_that_applies_is_there_once():
    found = numbers(ROWS)
    assert len(set(found)) == len(found)
    assert found == sorted(found, key=place)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", number) for number in found)


def test_every_row_is_complete():
    assert NAMES == COLUMNS
    assert numbers([row for row in ROWS if row["state"] not in STATES or not row["subject"]]) == []
    assert numbers([row for row in ROWS if row["evidence"] not in EVIDENCE]) == []
    assert numbers([row for row in ROWS if not (row["where"] and row["shown_by"])]) == []
    unexplained = [row for row in ROWS if row["state"] != "met"]
    assert numbers([row for row in unexplained if not row["note"]]) == []


def test_there_are_few_exceptions():
    assert sum(row["state"] == "exception" for row in ROWS) <= MOST_EXCEPTIONS


def test_every_place_exists():
    assert sorted({row["where"] for row in ROWS if not (ROOT / row["where"]).is_file()}) == []


def test_every_named_test_exists():
    proofs = {row["shown_by"] for row in ROWS if row["evidence"] != DOCUMENT}
    named = [proof.partition("[")[0].split("::") for proof in sorted(proofs)]
    assert [name for path, name in named if name not in functions_of(path)] == []


def test_every_named_section_exists():
    proofs = {row["shown_by"] for row in ROWS if row["evidence"] == DOCUMENT}
    named = [proof.split("#") for proof in sorted(proofs)]
    assert [title for page, title in named if not has_section(page, title)] == []


def test_the_security_page_gives_the_counts_of_the_table():
    states = Counter(row["state"] for row in ROWS)
    shown = Counter(row["evidence"] for row in ROWS)
    page = " ".join((ROOT / "docs/security.md").read_text(encoding="utf-8").split())
    told = ", ".join(f"{states[state]} {state}" for state in STATES)
    assert f"Of its {len(ROWS)} rows: {told}." in page
    assert f"{shown[TEST]} are shown by a test that fails" in page
    assert f"{shown[DOCUMENT]} by a page" in page
