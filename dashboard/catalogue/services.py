"""What the rest of the dashboard asks of the lists. Reading costs no query but a rare refresh."""

from collections.abc import Mapping

from . import snapshot
from .filling import fill
from .learning import Seen, see
from .snapshot import Listed, unnamed

__all__ = [
    "Listed",
    "Seen",
    "choices",
    "entries",
    "entry",
    "fill",
    "label",
    "names",
    "see",
    "suggestions",
]

MOST_SUGGESTIONS = 200


def names(workspace: str, kind: str, *, retired: bool = False) -> Mapping[int, str]:
    """Names by id, in order; without the retired ones unless asked."""
    return snapshot.of(workspace).names(kind, retired=retired)


def label(workspace: str, kind: str, value: object) -> str:
    """The name of an id, retired or not; "#17 (not named yet)" where it has none."""
    entry = snapshot.of(workspace).of(kind).get(str(value))
    return entry.name if entry else unnamed(value)


def entries(workspace: str, kind: str, *, retired: bool = False) -> tuple[Listed, ...]:
    """The entries with all that is kept of them, in order; e.g. an item's price and tax."""
    found = snapshot.of(workspace).of(kind).values()
    return tuple(entry for entry in found if retired or not entry.retired)


def entry(workspace: str, kind: str, value: object) -> Listed | None:
    """One entry by its id, retired or not."""
    return snapshot.of(workspace).of(kind).get(str(value))


def choices(workspace: str, kind: str) -> dict[str, str]:
    """What a select offers: captions by code. A stage carries the name of its pipeline."""
    return snapshot.of(workspace).offered(kind)


def suggestions(workspace: str, kind: str) -> tuple[str, ...]:
    """What people have written before, for a field of free text."""
    return tuple(snapshot.of(workspace).offered(kind).values())[:MOST_SUGGESTIONS]
