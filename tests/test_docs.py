"""README and docs/ agree with settings, commands, files and the gateway's interface."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from dashboard import __version__
from dashboard.people.keys import UNPUBLISHED
from tests.copies import section
from tests.processes import ROOT, python
from tests.test_imports import FLOORS

MOST_LINES = 150
MOST_FOR_OPERATORS = 10  # of a release in CHANGELOG.md
MOST_WORDS = 400  # of SECURITY.md
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*DOCS, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))]
PAGES += [ROOT / "tests/README.md", ROOT / "dashboard/deploy/SIZING.md"]

# What every project of Django has.
AT_THE_ROOT = {"settings", "urls", "wsgi"}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_configuration_table_has_exactly_the_settings_with_their_defaults():
    table = read(ROOT / "docs/configuration.md")
    rows = [line.split(" | ")[:2] for line in table.splitlines() if line.startswith("| `")]
    stated = []
    for cell, values in rows:
        names = re.findall(r"`([A-Z_]+)`", cell)
        defaults = re.findall(r"`([^`]+)`|(none|required)", values)
        each = [value for value, _ in defaults] * (len(names) if len(defaults) == 1 else 1)
        stated += zip(names, each, strict=True)
    example = re.findall(r"^#?([A-Z_]+)=(.*)$", read(ROOT / ".env.example"), re.MULTILINE)
    assert sorted(stated) == sorted(example)


def test_every_unpublished_operation_stands_in_both_lists_of_settings():
    texts = [read(ROOT / "docs/configuration.md"), read(ROOT / ".env.example")]
    assert not [name for name in UNPUBLISHED for text in texts if name not in text]


def test_the_package_is_not_installed_and_says_why():
    done = python("setup.py", "egg_info")
    assert done.returncode == 1
    assert "pip install -r requirements.txt" in done.stderr


def test_the_gateway_script_runs(standin):
    page = section("docs/developing.md", "The gateway from a script")
    script = re.search(r"```python\n(from dashboard\.gateway.*?)```", page, re.DOTALL)[1]
    access, secret = standin.keys["acme"][0]
    script = script.replace("http://127.0.0.1:8101", standin.url)
    script = script.replace('access="..."', f'access="{access}"')
    script = script.replace('secret="..."', f'secret="{secret}"').replace('"acme"', '""')
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert len(result.stdout.splitlines()) > 10


def test_the_readme_is_short_and_leads_to_every_page():
    readme = read(ROOT / "README.md")
    assert len(readme.splitlines()) <= MOST_LINES
    assert [path.name for path in DOCS if f"(docs/{path.name})" not in readme] == []


def test_the_security_policy_is_short():
    assert len(read(ROOT / "SECURITY.md").split()) <= MOST_WORDS


def test_the_table_of_rooms_has_every_room_in_the_order_of_the_imports():
    told = {}
    page = section("docs/developing.md", "Rooms")
    for floor, cell in re.findall(r"^\| (\d+) \| (`[^|]+`) \|", page, re.MULTILINE):
        for name in re.findall(r"`(?:dashboard/)?(\w+)(?:/|\.py)`", cell):
            told[name] = int(floor)
    rooms = [name for floor in FLOORS for name in sorted(floor) if name not in AT_THE_ROOT]
    assert set(told) == set(rooms)
    floors = [told[name] for name in rooms]
    assert floors == sorted(floors)


def test_the_changelog_is_cut_by_releases_down_from_the_one_that_runs():
    _, *releases = read(ROOT / "CHANGELOG.md").split("\n## [")
    assert [each.partition("]")[0] for each in releases] == [__version__]
    for each in releases:
        operators, everybody = each.split("\n### ")[1:]
        assert operators.startswith("For operators\n")
        assert len(operators.split("\n- ")) <= 1 + MOST_FOR_OPERATORS
        assert everybody.startswith("For everyone\n")


def anchors(path: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", read(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_its_heading(path):
    lost = []
    for name, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)]*)\)", read(path)):
        target = path.parent / name if name else path
        known = target.exists() and (not anchor or anchor in anchors(target))
        lost += [] if known else [(name, anchor)]
    assert lost == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_of_ours_exists(path):
    commands = set(re.findall(r"manage\.(?:py|sh) (?:--owner )?(\w+)", read(path)))
    assert commands <= set(get_commands())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_test_exists(path):
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)", read(path))
    assert [name for file, name in named if f"def {name}(" not in read(ROOT / file)] == []


def test_every_section_that_is_named_with_its_page_exists():
    """Such as docs/operating.md, "Key rotation", in the examples, the settings and the scripts."""
    texts = [ROOT / ".env.example", ROOT / "CONTRIBUTING.md", *DOCS, ROOT / "SECURITY.md"]
    texts += [path for path in (ROOT / "dashboard/deploy").iterdir() if path.is_file()]
    named = r'docs/(\w+\.md)\)?, \\?["*]([^"*\\]+)\\?["*]'
    found = [pair for path in texts for pair in re.findall(named, read(path))]
    assert found
    assert [pair for pair in found if not section(f"docs/{pair[0]}", pair[1])] == []


def test_the_workflow_runs_what_is_run_by_hand():
    workflow = yaml.safe_load(read(ROOT / ".github/workflows/ci.yml"))
    jobs = workflow["jobs"].values()
    last = [[step["run"] for step in job["steps"] if "run" in step][-1] for job in jobs]
    assert last == [".ci/run", ".ci/full ${{ matrix.debian }}"]
    assert all((ROOT / command.split()[0]).stat().st_mode & 0o111 for command in last)
    assert workflow["permissions"] == {"contents": "read"}
