"""The imports of the dashboard follow its layers and have no cycles, also not for types."""

import sys
from graphlib import TopologicalSorter

from django.conf import settings

from tests.sources import graph, imports, modules

# A room imports from the floors below its own. Modules at the root are rooms.
FLOORS = [
    {"core", "gateway", "text"},
    {"people", "settings", "tables"},
    {"office", "reader"},
    {"schema"},
    {"lists", "writes"},
    {"jobs", "records"},
    {"documents", "outcomes", "resources"},
    {"imports", "overviews", "site"},
    {"administration", "search", "urls", "wsgi"},
]
ISLAND = "standin"  # imports only itself, and only these may import it
MAY_IMPORT_ISLAND = {"administration"}
PAGES = {"outcomes", "records"}  # rooms that no worker imports


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def floor_of(floors: list[set[str]], name: str) -> int:
    return next(number for number, names in enumerate(floors) if name in names)


def test_every_room_has_a_floor():
    rooms = {room(name) for name in modules()} - {"", ISLAND}
    assert rooms == set().union(*FLOORS)


def test_a_room_imports_only_from_the_floors_below():
    wrong = {
        f"{module} imports {target}"
        for module, name in ((module, room(module)) for module in modules())
        if name not in ("", ISLAND)
        for target in graph()[module]
        if room(target) not in ("", name, ISLAND)
        and floor_of(FLOORS, room(target)) >= floor_of(FLOORS, name)
    }
    assert not wrong


def test_the_stand_in_and_the_rest_do_not_import_each_other():
    for module, targets in graph().items():
        rooms = {room(target) for target in targets}
        if room(module) == ISLAND:
            assert rooms <= {ISLAND, ""}, module
        elif room(module) not in MAY_IMPORT_ISLAND:
            assert ISLAND not in rooms, module


def test_there_is_no_import_circle():
    TopologicalSorter(graph()).prepare()


def test_the_stand_in_and_the_gateway_need_nothing_installed_but_an_http_client():
    libraries = {"gateway.client": {"httpx"}, "gateway.transport": {"httpx", "httpcore"}}
    for name, found in imports().items():
        if room(name) in (ISLAND, "gateway"):
            outside = {target.partition(".")[0] for target in found} - {"dashboard"}
            outside -= libraries.get(name.partition(".")[2], set())
            assert outside <= set(sys.stdlib_module_names), name
            assert {room(target) for target in graph()[name]} <= {room(name), ""}, name


def declarations() -> set[str]:
    """The modules that declare a resource, which name its pages; no worker calls these."""
    listed = {name.rpartition(".")[0] for name in settings.RESOURCES}
    return {"dashboard.documents.declaration", *listed}


def worker_modules() -> dict[str, str]:
    """Every module that a worker's task or kind of job imports, but for what a declaration imports;
    each with one that imports it.
    """
    kinds = {name.rpartition(".")[0] for name in settings.JOB_KINDS}
    tasks = {name for name, path in modules().items() if "\n@task(" in path.read_text("utf-8")}
    found, waiting = {}, [(name, "a worker") for name in sorted(kinds | tasks)]
    while waiting:
        name, importer = waiting.pop()
        if name not in found:
            found[name] = importer
            inner = set() if name in declarations() else graph()[name]
            waiting += [(target, name) for target in sorted(inner)]
    return found


def is_page(name: str) -> bool:
    """Whether a module holds pages, by its name or by its room."""
    words = {word for part in name.split(".")[1:] for word in part.split("_")}
    return room(name) in PAGES or not words.isdisjoint({"page", "pages", "views"})


def test_no_worker_imports_a_page():
    found = worker_modules()
    assert "dashboard.writes.verification" in found, "the walk reaches what workers call"
    assert not {f"{found[name]} imports {name}" for name in found if is_page(name)}
