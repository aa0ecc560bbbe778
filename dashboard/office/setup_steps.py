"""What the lists of a workspace lack, and for which jobs."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.office import reference_lists
from dashboard.office.kinds import KIND_SPECS, Kind, KindSpec
from dashboard.people.keys import pair_of
from dashboard.people.models import User

SALES, DOCUMENTS = frozenset({"deals"}), frozenset({"estimates", "invoices"})
EVERYWHERE: frozenset[str] = frozenset()

LACKING: dict[Kind, tuple[frozenset[str], str]] = {
    Kind.PIPELINE: (SALES, "No pipeline: deals cannot be saved without typing its number."),
    Kind.STAGE: (SALES, "No stage: deals show the number of their stage."),
    Kind.TEMPLATE: (
        DOCUMENTS,
        "No template: invoices and estimates cannot be saved without typing its number.",
    ),
    Kind.ITEM: (
        DOCUMENTS,
        "No item: lines of invoices and estimates cannot be saved without typing its number.",
    ),
    Kind.TAX: (DOCUMENTS, "No tax: lines have none to choose from."),
    Kind.CURRENCY: (SALES | DOCUMENTS, "No currency: amounts have none to choose from."),
    Kind.USER: (EVERYWHERE, "No user: nobody can be chosen as owner or assignee by name."),
}
"""The areas that need each list (none: all of them), and what is missing without it."""


@dataclass(frozen=True)
class SetupStep:
    """One list: how many of its entries people named, the service named, and nobody named."""

    about: KindSpec
    named: int
    told: int
    unnamed: int
    lacking: str

    @property
    def is_empty(self) -> bool:
        return not (self.named or self.told or self.unnamed)


def steps(user: User) -> list[SetupStep]:
    """The lists that the areas in the plan of the person's keys need."""
    pair = pair_of(user)
    closed = set(pair.closed_areas) if pair else set()
    lists = reference_lists.of(pair.workspace_id if pair else "")
    return [
        _step(lists, kind, lacking)
        for kind, (areas, lacking) in LACKING.items()
        if not areas or areas - closed
    ]


def is_open(user: User) -> bool:
    """Whether the menu leads an administrator to the setup page: the lists lack something, and
    nobody has said that the setup is done.
    """
    return _lacks(user, lambda step: step.is_empty or bool(step.unnamed))


def is_first(user: User) -> bool:
    """Whether an administrator meets the setup page first: a list offers nothing at all."""
    return _lacks(user, lambda step: step.is_empty)


def _lacks(user: User, lacks: Callable[[SetupStep], bool]) -> bool:
    pair = pair_of(user)
    if pair is None:
        return True
    return not pair.workspace.setup_ended and any(map(lacks, steps(user)))


def _step(lists: reference_lists.CachedLists, kind: Kind, lacking: str) -> SetupStep:
    entries = [entry for entry in lists.of(kind).values() if not entry.retired]
    named_by_service = sum(entry.told for entry in entries)
    unnamed = sum(one == kind for one, _ in lists.unnamed)
    return SetupStep(
        KIND_SPECS[kind], len(entries) - named_by_service, named_by_service, unnamed, lacking
    )
