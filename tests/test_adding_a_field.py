"""The README's worked example, done for real to a copy: a new field touches two files."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("dashboard", "templates", "static", "tests")
BELOW = {  # the file, and how the line begins below which a line of the example goes
    "nickname =": ("dashboard/resources/contacts.py", "ct_taxnumber ="),
    "Detail(": ("dashboard/resources/contacts.py", 'Detail(name="ct_taxnumber"'),
    "Field(": ("dashboard/standin/resources/contacts.py", 'Field("ct_taxnumber"'),
}
TRIED = '''
"""What a person can do with a field that was just added."""

import pytest

from dashboard.gateway import CONTACTS, Rejected
from tests.helpers import text
from tests.resources.conftest import every_profile
from tests.resources.forms import submitted


@every_profile
def test_form_page_and_service_know_it(desk, sent):
    page = desk.get("/contacts/new/")
    assert "Nickname (optional)" in text(page)
    long = desk.post("/contacts/new/", submitted(page, cstname="Zoe", nickname="z" * 41))
    assert "at most 40 characters" in text(long)
    made = desk.post("/contacts/new/", submitted(page, cstname="Zoe", nickname="Zozo"), follow=True)
    assert sent("create")[-1]["nickname"] == "Zozo"
    assert "Nickname Zozo" in text(made)

    address = made.redirect_chain[-1][0] + "edit/"
    changed = desk.post(address, submitted(desk.get(address), nickname="Zuzu"), follow=True)
    assert sent("update") == [{"nickname": "Zuzu"}]
    assert "Nickname Zuzu" in text(changed)


def test_the_service_holds_its_limit(standin, gateway):
    with pytest.raises(Rejected) as refused:
        body = {"cstname": "Zoe", "contact_type": 1, "nickname": "z" * 41}
        gateway.create(CONTACTS, body)
    assert list(refused.value.fields) == ["nickname"]
'''


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The parts of the repository that a test needs."""
    for part in PARTS:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def add_the_field(copy: Path) -> None:
    """Put each line of the README's example where the README says."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = readme.partition("### Adding a field")[2].partition("\n### ")[0]
    lines = re.findall(r"```python\n +(.*)\n +```", example)
    assert len(lines) == len(BELOW)
    for line in lines:
        name, above = next(place for start, place in BELOW.items() if line.startswith(start))
        text = (copy / name).read_text(encoding="utf-8")
        found = re.search(rf"^( *){re.escape(above)}.*\n", text, re.MULTILINE)
        new = f"{found[0]}{found[1]}{line}\n"
        (copy / name).write_text(text.replace(found[0], new, 1), encoding="utf-8")


def changed_files(copy: Path) -> set[str]:
    files = [path for part in PARTS for path in (copy / part).rglob("*") if path.is_file()]
    names = [str(path.relative_to(copy)) for path in files]
    _, different, missing = filecmp.cmpfiles(ROOT, copy, names, shallow=False)
    return {*different, *missing}


@pytest.mark.slow
def test_a_new_field_touches_two_files_and_is_known_everywhere(copy):
    add_the_field(copy)
    assert changed_files(copy) == {name for name, _ in BELOW.values()}
    (copy / "tests" / "resources" / "test_nickname.py").write_text(TRIED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/resources/test_nickname.py"],
        cwd=copy,
        env={name: value for name, value in os.environ.items() if "PYTEST" not in name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
