"""Fills an empty store: the same seed, size and day give the same records, byte by byte."""

from collections.abc import Iterator
from datetime import date

from .operations import document_number
from .reference_data import OFFSETS
from .rules import RESOURCES
from .seed_records import MAKERS, World
from .shape import Resource
from .store import Record, Store

# How many records of each resource a workspace gets, by size.
DEMO = {
    "contacts": 420,
    "leads": 160,
    "deals": 140,
    "tasks": 520,
    "estimates": 190,
    "invoices": 330,
}
SMALL = {"contacts": 60, "leads": 45, "deals": 30, "tasks": 40, "estimates": 30, "invoices": 40}
SHARES = {"contacts": 35, "leads": 10, "deals": 10, "tasks": 15, "estimates": 12, "invoices": 18}
# Workspaces beside the first are smaller; the last has no add-ons, so nothing but contacts, tasks.
FRACTIONS = {"acme": 1.0, "globex": 0.2, "solo": 0.1}
ORDER = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")
LARGEST = 1_000_000


def counts(size: str | int, workspace: str) -> dict[str, int]:
    """How many records of each resource `workspace` gets."""
    if str(size) in {"demo", "small"}:
        base = DEMO if size == "demo" else SMALL
        return {name: int(n * FRACTIONS[workspace]) for name, n in base.items()}
    total = int(size)
    if not 0 <= total <= LARGEST:
        raise ValueError(f"size must be demo, small or 0 to {LARGEST}")
    if workspace != "acme":
        return counts("small", workspace) if total > 1000 else dict.fromkeys(ORDER, 0)
    numbers = {name: total * share // 100 for name, share in SHARES.items()}
    numbers["contacts"] += total - sum(numbers.values())
    return numbers


def ensure(store: Store, *, size: str | int, seed: int, today: date) -> None:
    """Fill the store unless it holds data; ValueError when that came of another seed or size."""
    wanted = f"{seed} {size}"
    found = store.meta("seeded")
    if found and found != wanted:
        raise ValueError(f"{store.path} was seeded with (seed, size) {found}, not {wanted}")
    if not found:
        fill(store, size=size, seed=seed, today=today)


def fill(store: Store, *, size: str | int, seed: int, today: date) -> None:
    """Replace everything in the store by the seed's records."""
    with store.transaction():
        store.clear()
        for workspace in OFFSETS:
            world = World(workspace, seed, today)
            numbers = counts(size, workspace)
            for name in ORDER:
                _fill_one(store, world, RESOURCES[name], numbers[name])
        store.set_meta("seeded", f"{seed} {size}")
    store.create_indexes()


def _fill_one(store: Store, world: World, resource: Resource, count: int) -> None:
    if world.workspace == "solo" and resource.area:
        count = 0
    first = store.last_id(resource) + 1
    world.ids[resource.name] = range(first, first + count)
    store.bulk(resource, world.workspace, _numbered(world, resource, count))
    store.set_meta(f"{world.workspace} {resource.name}", str(count))


def _numbered(world: World, resource: Resource, count: int) -> Iterator[Record]:
    make = MAKERS[resource.name]
    for index in range(count):
        record = make(world, index, count)
        if resource.number_field:
            record[resource.number_field] = document_number(resource, index + 1)
        yield record
