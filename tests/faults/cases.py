"""The cases of the matrix: a fault, where it strikes, and whether the write is applied."""

import random
from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dashboard.standin.faults.kinds import KINDS

from .samples import SAMPLES

UNPUBLISHED = frozenset({"tasks.update", "tasks.delete", "leads.get", "leads.update"})
# Arguments that keep the waiting short.
ARGUMENTS = {"slow": "0.25", "late": "0.2", "drip": "0.05", "refuse": "0.15", "hang": "1"}
LATE = {"slow", "late", "refuse"}  # they act for a while after the answer
LISTS_ONLY = {kind for kind in KINDS if kind.startswith("list-")}
READS = ("list", "pick", "detail", "edit page", "copy")
WRITES = ("create", "update", "delete")
# The fault strikes a read that belongs to a write.
AROUND = ("read before update", "look after not sure")
# These kinds are tried on the writes of every resource, the others on one resource in turn.
EVERYWHERE = ("reset", "truncate", "empty-body", "html", "success-false", "data-null", "stale")
EVERYWHERE += ("interleave", "interleave-same", "interleave-gone", "partial", "partial-saved")
EVERYWHERE += ("created-another", "created-bare", "created-list")
EVERYWHERE += ("status-401", "status-404", "status-422", "status-429", "status-500")
STEPS = (*READS, *WRITES, *AROUND, "two people", "send again")
# What another user writes between the form and its Save.
MEETINGS = ("nobody", "another field", "the same field", "the same value", "deleted")


@dataclass(frozen=True)
class Case:
    """One case of the matrix; `fault` is the kind as the stand-in takes it, with its argument."""

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
            for kind in _kinds(row, step) or kinds or KINDS:
                yield from _worlds(row, step, kind)


def _kinds(row: str, step: str) -> Iterable[str]:
    """What differs in a step that meets faults of its own; () of the others."""
    if step == "send again":
        endpoint = SAMPLES[row].resource.endpoint
        offered = endpoint.operations | endpoint.unpublished
        return [operation for operation in WRITES if operation in offered]
    return MEETINGS if step == "two people" else ()


def spread(rows: list[str], steps: list[str], kinds: list[str], turn: int = 0) -> Iterator[Case]:
    """Every step with every kind, each on one of the resources in turn, and EVERYWHERE on all of
    them. As many turns as resources make the whole matrix.
    """
    places = {kind: place for place, kind in enumerate(KINDS)}
    for case in every(rows, steps, kinds):
        everywhere = _kinds(case.row, case.step) or (
            case.step in WRITES and case.kind in EVERYWHERE
        )
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


# Kinds whose answer to a write is the reference's success, done or not.
CLEAR = {"data-missing", "data-null", "data-string", "data-data-null", "stale", "interleave"}
CLEAR |= {"created-another", "created-bare", "created-list", "interleave-gone"}
CLEAR |= {"interleave-same", "partial-saved", "clock-ahead", "clock-behind"}
BARE = {"created-bare", "data-missing", "data-null", "data-string"}  # no record is named
REFUSALS = {400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 451, 499}


def wire(case: Case) -> str:
    """What the answer to a write says: "success", "refusal", "claimed" (a success that a client may
    doubt), "untrue" (a success that reading refutes) or "unclear". It does not depend on the
    dashboard's own rules.
    """
    if case.kind == "interleave-gone" and case.step != "create":
        return "refusal"
    if case.kind in CLEAR and case.step == "create":
        return _wire_of_create(case)
    if case.kind in CLEAR:
        return "success"
    if case.kind.startswith("answer-"):
        return "claimed"
    if case.kind == "status-501" and f"{case.row}.{case.step}" in UNPUBLISHED:
        return "refusal"  # 501 for what the reference does not publish
    if case.kind == "success-false" or case.kind in {f"status-{status}" for status in REFUSALS}:
        return "refusal"  # in the service's envelope, unlike -html, -empty and -message
    return "unclear"


def _wire_of_create(case: Case) -> str:
    """A create is Saved if the answer names a record that reads as it was sent."""
    if case.kind in {"created-another", "created-list"} or f"{case.kind}-before" in case.fault:
        return "untrue"
    return "claimed" if case.kind in BARE else "success"


def chosen(options: Namespace, rows: list[str], steps: list[str], kinds: list[str]) -> list[Case]:
    """The cases that the options ask for; the other arguments stand where they name none."""
    what = (options.resources or rows, options.steps or steps, options.kinds or kinds)
    cases = list(every(*what) if options.all else spread(*what, options.turn))
    return random.Random(options.seed).sample(cases, round(len(cases) * options.sample))
