"""The imports of the dashboard follow its layers and have no cycles, also not for types."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dashboard"

# A package imports from the layers below it. All packages of its layer may import "accounts", which
# has the user model. Modules at the root of dashboard/ have a layer as well.
FLOORS = [
    {"monitoring", "service_name", "text"},
    {"gateway", "sealed", "gunicorn", "markup"},
    {"retention", "write_status", "tables", "former"},
    {"accounts"},
    {"credentials", "catalogue", "preferences", "drafts", "ledger"},
    {"reader"},
    {"context"},
    {"display"},
    {"forms"},
    {"declare"},
    {"lists", "writes"},
    {"pages"},
    {"documents", "jobs"},
    {"resources"},
    {"setup", "bulk", "exports"},
    {"imports", "scans"},
    {"operations"},
    {"figures"},
    {"site", "today", "overviews"},
    {"search", "staff"},
    {"apps"},
    {"urls", "settings", "wsgi"},
    {"management"},
]
ISLAND = "standin"  # imports only itself, and only these may import it
MAY_IMPORT_ISLAND = {"management"}


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


MODULES = modules()


def imported(name: str, path: Path) -> Iterator[str]:
    """The dashboard's modules that a module imports, also inside functions."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            for alias in node.names:
                deep = f"{base}.{alias.name}"
                if deep in MODULES or base in MODULES:
                    yield deep if deep in MODULES else base


GRAPH = {name: set(imported(name, path)) - {name} for name, path in MODULES.items()}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def floor_of(floors: list[set[str]], name: str) -> int:
    return next(number for number, names in enumerate(floors) if name in names)


def test_every_room_has_a_floor():
    rooms = {room(name) for name in MODULES} - {"", ISLAND}
    assert rooms == set().union(*FLOORS)


def test_a_room_imports_only_from_the_floors_below():
    wrong = {
        f"{module} imports {target}"
        for module, name in ((module, room(module)) for module in MODULES)
        if name not in ("", "settings", ISLAND)
        for target in GRAPH[module]
        if room(target) not in ("", name, ISLAND)
        and floor_of(FLOORS, room(target)) >= floor_of(FLOORS, name)
    }
    assert not wrong


def test_the_stand_in_and_the_rest_do_not_import_each_other():
    for module, targets in GRAPH.items():
        rooms = {room(target) for target in targets}
        if room(module) == ISLAND:
            assert rooms <= {ISLAND, ""}, module
        elif room(module) not in MAY_IMPORT_ISLAND:
            assert ISLAND not in rooms, module


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """The modules of an import cycle; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_import_circle():
    assert not circle_in(GRAPH)


def test_a_planted_circle_is_found():
    assert circle_in({**GRAPH, "dashboard.sealed": {"dashboard.drafts.models"}})


def declarations() -> set[str]:
    """The modules that declare a resource, which name its pages; no worker calls these."""
    listed = {name for name in GRAPH["dashboard.resources"] if room(name) == "resources"}
    return {"dashboard.documents.declaration", *listed}


def worker_modules() -> dict[str, str]:
    """Every module that a worker's task or kind of job imports, but for what a declaration imports;
    each with one that imports it.
    """
    kinds = {name.rpartition(".")[0] for name in settings.JOB_KINDS}
    tasks = {name for name, path in MODULES.items() if "\n@task(" in path.read_text("utf-8")}
    found, waiting = {}, [(name, "a worker") for name in sorted(kinds | tasks)]
    while waiting:
        name, importer = waiting.pop()
        if name not in found:
            found[name] = importer
            inner = set() if name in declarations() else GRAPH[name]
            waiting += [(target, name) for target in sorted(inner)]
    return found


def is_page(name: str) -> bool:
    """Whether a module holds pages, by its name or by that of its package."""
    words = {word for part in name.split(".")[1:] for word in part.split("_")}
    return not words.isdisjoint({"page", "pages", "views"})


def test_no_worker_imports_a_page():
    found = worker_modules()
    assert "dashboard.writes.settling" in found, "the walk reaches what workers call"
    assert not {f"{found[name]} imports {name}" for name in found if is_page(name)}
