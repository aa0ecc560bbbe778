"""Fills a store with sample records: the same seed, size and day give the same records."""

from collections.abc import Iterator
from datetime import date

from .keys import BASIC_PLAN
from .reference_data import OFFSETS, words_of
from .resources import ALL
from .schema import Record, Resource
from .seed_workspace import SeedWorkspace
from .store import Store

# The other workspaces have fewer records than the first.
FRACTIONS = {"acme": 1.0, "globex": 0.2, "solo": 0.1}
PLAUSIBLE = {
    "contacts": 120,
    "deals": 45,
    "estimates": 60,
    "invoices": 180,
    "leads": 40,
    "tasks": 130,
}
LARGEST = 1_000_000


def counts(size: str | int, workspace: str) -> dict[str, int]:
    """Return the number of records of each resource in `workspace`; ValueError for an
    unknown size.
    """
    if words_of(workspace).plausible:  # for the demo only
        return {r.name: PLAUSIBLE.get(r.name, 0) if size == "demo" else 0 for r in ALL}
    if str(size) in {"demo", "small"}:
        base = {r.name: r.seed.demo if size == "demo" else r.seed.small for r in ALL}
        return {name: int(n * FRACTIONS[workspace]) for name, n in base.items()}
    total = int(size)
    if not 0 <= total <= LARGEST:
        raise ValueError(f"size must be demo, small or 0 to {LARGEST}")
    if workspace != "acme":
        return counts("small", workspace) if total > 1000 else {r.name: 0 for r in ALL}
    shares = sum(resource.seed.share for resource in ALL)
    numbers = {r.name: total * r.seed.share // shares for r in ALL}
    numbers[ALL[0].name] += total - sum(numbers.values())
    return numbers


def fill_if_empty(store: Store, *, size: str | int, seed: int, today: date) -> None:
    """Fill an empty store, and workspaces that an older one lacks.

    ValueError if it was filled with another seed or size.
    """
    wanted = f"{seed} {size}"
    found = store.meta("seeded")
    if found and found != wanted:
        raise ValueError(f"{store.path} was seeded with (seed, size) {found}, not {wanted}")
    if not found:
        fill(store, size=size, seed=seed, today=today)
        return
    missing = [name for name in OFFSETS if not store.meta(f"{name} {ALL[0].name}")]
    if missing:
        with store.transaction():
            _fill_workspaces(store, missing, size, seed, today)


def fill(store: Store, *, size: str | int, seed: int, today: date) -> int:
    """Replace everything in the store by the records of the seed; returns its version then."""
    with store.transaction():
        store.clear()
        _fill_workspaces(store, list(OFFSETS), size, seed, today)
        store.set_meta("seeded", f"{seed} {size}")
        store.create_indexes()
        return store.version + 1


def _fill_workspaces(
    store: Store, names: list[str], size: str | int, seed: int, today: date
) -> None:
    for name in names:
        workspace = SeedWorkspace(name, seed, today)
        numbers = counts(size, name)
        for resource in ALL:
            _fill_resource(store, workspace, resource, numbers[resource.name])


def _fill_resource(store: Store, workspace: SeedWorkspace, resource: Resource, count: int) -> None:
    if workspace.name in BASIC_PLAN and not resource.in_every_plan:
        count = 0
    first = store.last_id(resource) + 1
    workspace.ids[resource.name] = range(first, first + count)
    store.insert_many(resource, workspace.name, _records(workspace, resource, count))
    store.set_meta(f"{workspace.name} {resource.name}", str(count))


def _records(workspace: SeedWorkspace, resource: Resource, count: int) -> Iterator[Record]:
    for index in range(count):
        record = resource.seed.record(workspace, index, count)
        if resource.number_field:
            record[resource.number_field] = resource.number(index + 1)
        yield record
