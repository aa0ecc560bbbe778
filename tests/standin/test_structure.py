"""What the modules of the stand-in may import."""

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import dashboard.standin

PACKAGE = Path(dashboard.standin.__file__).parent
Imports = dict[str, set[str]]


def module_name(file: Path, package: Path) -> str:
    parts = file.relative_to(package).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(package: Path) -> tuple[Imports, Imports]:
    """The imports of each module, anywhere in it: of the package's own modules, and of others."""
    files = {module_name(file, package): file for file in package.rglob("*.py")}
    own: Imports = {name: set() for name in files}
    others: Imports = {name: set() for name in files}
    for name, file in files.items():
        parent = name if file.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                others[name] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                others[name].add(node.module)
            elif isinstance(node, ast.ImportFrom):
                parents = parent.split(".") if parent else []
                base = [*parents[: len(parents) - node.level + 1], *filter(None, [node.module])]
                named = {".".join([*base, alias.name]) for alias in node.names}
                own[name] |= (named & files.keys()) or {".".join(base)}
    return own, others


def test_it_imports_only_the_standard_library_and_itself():
    own, others = imports_of(PACKAGE)
    allowed = set(sys.stdlib_module_names)
    for name, imported in others.items():
        assert {module.partition(".")[0] for module in imported} <= allowed, name
    for name, imported in own.items():
        assert imported <= own.keys(), name


def test_it_has_no_import_circle_not_even_for_types():
    own, _ = imports_of(PACKAGE)
    assert own["faults.rules"] >= {"faults.kinds", "server"}
    TopologicalSorter(own).prepare()


@pytest.mark.parametrize("line", ["from ..application import Application", "from .. import admin"])
def test_an_import_circle_is_found(tmp_path, line):
    for file in PACKAGE.rglob("*.py"):
        copy = tmp_path / file.relative_to(PACKAGE)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    with (tmp_path / "faults" / "data.py").open("a", encoding="utf-8") as changed:
        changed.write(f"if TYPE_CHECKING:\n    {line}\n")
    with pytest.raises(CycleError):
        TopologicalSorter(imports_of(tmp_path)[0]).prepare()
