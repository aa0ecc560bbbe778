"""Every case: a fault, where it strikes, and whether the write was applied."""

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.standin.faults.kinds import KINDS

UNPUBLISHED = frozenset({"tasks.update", "tasks.delete", "leads.get", "leads.update"})
# Arguments that make waiting short; these kinds are tried with little patience.
ARGUMENTS = {"slow": "0.25", "late": "0.2", "drip": "0.05", "refuse": "0.15", "hang": "1"}
LATE = {"slow", "late", "refuse"}  # what they do is over a while after the answer
LISTS_ONLY = {kind for kind in KINDS if kind.startswith("list-")}
READS = ("list", "pick", "detail", "edit page", "delete page", "copy")
WRITES = ("create", "update", "delete")
# Faults that strike a read which belongs to a write.
AROUND = ("read before update", "look after not sure")
# Each way in which a write may go wrong: these are tried on the writes of every resource, the other
# kinds on one resource in turn.
EVERYWHERE = ("reset", "truncate", "empty-body", "html", "success-false", "data-null", "stale")
EVERYWHERE += ("interleave", "interleave-same", "interleave-gone", "partial", "partial-saved")
EVERYWHERE += ("status-401", "status-404", "status-422", "status-429", "status-500")
# Somebody else, between the form and its Save.
STEPS = (*READS, *WRITES, *AROUND, "two people")
MEETINGS = ("nobody", "another field", "the same field", "the same value", "deleted")


@dataclass(frozen=True)
class Case:
    """One cell of the matrix. `fault` is as the stand-in takes it; `kind` without its world."""

    row: str
    step: str
    kind: str
    fault: str

    def __str__(self) -> str:
        return f"{self.row}: {self.step}, {self.fault}"


def every(rows: list[str], steps: list[str], kinds: list[str]) -> Iterator[Case]:
    """The whole matrix, in a fixed order. Empty lists stand for all."""
    for row in rows:
        for step in steps or STEPS:
            for kind in MEETINGS if step == "two people" else kinds or KINDS:
                yield from _worlds(row, step, kind)


def spread(rows: list[str], steps: list[str], kinds: list[str], turn: int = 0) -> Iterator[Case]:
    """Every step with every kind in both worlds, each on one of the resources in turn; what is
    most telling of the writes on all of them. As many turns as resources make the whole matrix.
    """
    places = {kind: place for place, kind in enumerate(KINDS)}
    for case in every(rows, steps, kinds):
        everywhere = case.step == "two people" or (case.step in WRITES and case.kind in EVERYWHERE)
        place = places.get(case.kind, 0) + STEPS.index(case.step) + turn
        if everywhere or rows[place % len(rows)] == case.row:
            yield case


def _worlds(row: str, step: str, kind: str) -> Iterator[Case]:
    argument = f":{ARGUMENTS[kind]}" if kind in ARGUMENTS else ""
    if step not in WRITES:
        yield Case(row, step, kind, f"{kind}{argument}")
    elif kind not in LISTS_ONLY:
        for world in ("before", "after"):
            yield Case(row, step, kind, f"{kind}-{world}{argument}")


# What the answer to a write says on the wire, judged without a look at the dashboard's own rules:
# the reference's success, a refusal, or (all the rest) nothing that anybody could rely on.
CLEAR = {
    "data-missing",
    "data-null",
    "data-string",
    "data-data-null",
    "stale",
    "interleave",
    "interleave-same",
    "partial-saved",
    "clock-ahead",
    "clock-behind",
}
REFUSALS = {400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 451}


def wire(case: Case) -> str:
    """ "success", "refusal" or "unclear"."""
    if case.kind in CLEAR:
        return "success"
    if case.kind.startswith("status-501") and f"{case.row}.{case.step}" in UNPUBLISHED:
        return "refusal"  # "not implemented", said of what the reference does not publish
    if case.kind == "success-false" or case.kind.startswith(
        tuple(f"status-{status}" for status in REFUSALS)
    ):
        return "refusal"
    if case.kind == "interleave-gone":
        return "refusal" if case.step != "create" else "success"
    return "unclear"
