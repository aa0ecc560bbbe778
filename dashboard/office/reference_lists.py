"""What the rest of the dashboard reads from the lists, without a query but for a rare refresh."""

from collections.abc import Mapping

from dashboard.office.load_lists import fill
from dashboard.office.observed_references import SeenReference, record_all, record_references

from . import cached_lists
from .cached_lists import CachedEntry, unnamed
from .kinds import Kind

__all__ = [  # what other rooms take from here; mypy wants it said
    "CachedEntry", "SeenReference", "fill", "record_all", "record_references", "unnamed",
]  # fmt: skip

MOST_SUGGESTIONS = 200


def names(workspace: str, kind: str, *, retired: bool = False) -> Mapping[int, str]:
    """Names by id, in order; without the retired ones unless asked."""
    return cached_lists.of(workspace).names(kind, retired=retired)


def label(workspace: str, kind: str, value: object) -> str:
    """The name of an id, retired or not; "#17 (not named yet)" where it has none."""
    entry = cached_lists.of(workspace).of(kind).get(str(value))
    return entry.name if entry else unnamed(value)


def entries(workspace: str, kind: str) -> tuple[CachedEntry, ...]:
    """The entries that are not retired with all their fields, in order."""
    return tuple(e for e in cached_lists.of(workspace).of(kind).values() if not e.retired)


def only_currency(workspace: str) -> str:
    """The name of the currency that all deals and documents are in; "" where nobody said so."""
    listed = cached_lists.of(workspace).of(Kind.CURRENCY).values()
    return next((entry.name for entry in listed if entry.is_only), "")


def entry(workspace: str, kind: str, value: object) -> CachedEntry | None:
    """One entry by its id, retired or not."""
    return cached_lists.of(workspace).of(kind).get(str(value))


def choices(workspace: str, kind: str) -> dict[str, str]:
    """What a select offers: captions by code. A stage carries the name of its pipeline."""
    return cached_lists.of(workspace).offered(kind)


def known_codes(workspace: str, kind: str) -> set[str]:
    """The ids in the list, retired or not, and those seen in records without a name."""
    cached = cached_lists.of(workspace)
    return {*cached.of(kind), *(code for one, code in cached.unnamed if one == kind)}


def unnamed_parents(workspace: str, kind: str) -> dict[str, str]:
    """What the ids without a name belong to, by code: the pipeline of a stage; "" if unknown."""
    waiting = cached_lists.of(workspace).unnamed.items()
    return {code: parent for (one, code), parent in waiting if one == kind}


def suggestions(workspace: str, kind: str) -> tuple[str, ...]:
    """The texts that people have written in a field of free text before."""
    return tuple(cached_lists.of(workspace).offered(kind).values())[:MOST_SUGGESTIONS]
