"""The Python sources of the dashboard; each is parsed once, when a test first asks for it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dashboard"


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(path)))


@cache
def modules() -> dict[str, Path]:
    """Every module of the dashboard by its dotted name, without migrations."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = list(path.relative_to(ROOT).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if "migrations" not in parts:
            found[".".join(parts)] = path
    return found


def imported(name: str, path: Path) -> Iterator[str]:
    """What a module imports by its dotted name, also inside functions; of a package and its module
    the module.
    """
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                deep = f"{base}.{alias.name}"
                yield deep if deep in modules() else base


@cache
def imports() -> dict[str, set[str]]:
    """What each module of the dashboard imports, of it and of others."""
    return {name: set(imported(name, path)) for name, path in modules().items()}


@cache
def graph() -> dict[str, set[str]]:
    """The modules of the dashboard that each of them imports."""
    known = modules().keys()
    return {name: (found & known) - {name} for name, found in imports().items()}
