"""Rows of the table that the sources of the dashboard show: what none of its modules does."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.sources import PACKAGE, ROOT
from tests.sources import nodes as parsed_nodes

pytestmark = pytest.mark.slow

STANDIN = PACKAGE / "standin"  # answers tests, with the accounts of nobody
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
PICKLES = {"pickle", "marshal", "shelve", "dill"}
SHELLS = {"system", "popen", "getoutput", "getstatusoutput"}
BECOMES_A_TEMPLATE = {"from_string", "Template", "NativeEnvironment"}
PREDICTABLE = {"random", "numpy"}
# Chooses how long a call waits before it is tried again; no secret.
MAY_BE_PREDICTED = {"gateway/client.py"}
TAKES_HTML = re.compile(r"(inner|outer)HTML\s*[=:]|insertAdjacentHTML|document\.write|srcdoc")
# Show what the site has rendered, such as sums, lines, options, hits; a button as it was.
MAY_TAKE_HTML = {
    "due.js", "lines.js", "palette.js", "quick_form.js", "submit_once.js", "suggestions.js",
    "sums.js"}  # fmt: skip
NAME_IN_BRACKETS = r"\[(?![\"'0-9])(?:[^\[\]]|\[[^\[\]]*\])+\]"
SETS_ANY_PROPERTY = re.compile(rf"[\w)]{NAME_IN_BRACKETS}\s*=[^=>]")


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """Every call and import of the dashboard, with the name of its file."""
    wanted = ast.Call | ast.Import | ast.ImportFrom
    files = [path for path in PACKAGE.rglob("*.py") if STANDIN not in path.parents]
    return [
        (str(path.relative_to(PACKAGE)), node)
        for path in sorted(files)
        for node in parsed_nodes(path)
        if isinstance(node, wanted)
    ]


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Every call: the file, the name without what stands before its last dot, and the call."""
    for file, node in nodes():
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "attr", "") or getattr(function, "id", "")
            yield file, name, node


def imported() -> Iterator[tuple[str, str]]:
    """The file and the first part of the name of everything that is imported."""
    for file, node in nodes():
        if isinstance(node, ast.Import):
            yield from ((file, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield file, (node.module or "").split(".")[0]


def test_no_text_is_run_as_code():
    found = [(file, node.func.id) for file, name, node in calls()
             if isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT]  # fmt: skip
    assert found == []
    assert [each for each in imported() if each[1] in PICKLES] == []


def test_no_command_goes_through_a_shell():
    found = []
    for file, name, node in calls():
        shell = any(keyword.arg == "shell" for keyword in node.keywords)
        of_text = name in ("run", "Popen") and node.args and isinstance(node.args[0], ast.Constant)
        if shell or name in SHELLS or of_text:
            found.append((file, name))
    assert found == []


def test_no_text_becomes_a_template():
    assert [(file, name) for file, name, _ in calls() if name in BECOMES_A_TEMPLATE] == []


def test_random_values_come_from_the_generator_of_the_system():
    assert {file for file, name in imported() if name in PREDICTABLE} == MAY_BE_PREDICTED


def scripts() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "static").rglob("*.js")}


def test_scripts_insert_text_as_text():
    assert {name for name, text in scripts().items() if TAKES_HTML.search(text)} == MAY_TAKE_HTML


def test_no_script_sets_a_property_whose_name_comes_from_elsewhere():
    """`__proto__` could be one; values with such names are kept in maps and forms."""
    assert [name for name, text in scripts().items() if SETS_ANY_PROPERTY.search(text)] == []
