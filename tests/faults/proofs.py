"""Runs the proofs, the long ones shared among processes."""

import argparse
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import broken, cases, deeds, house, leaks, matrix, soak, together
from .report import Part
from .rows import ROWS

Work = Callable[[argparse.Namespace, int], Part]


def run(wanted: argparse.Namespace, names: list[str]) -> list[Part]:
    """Each proof in turn."""
    return [_shared(name, wanted) for name in names]


def _shared(name: str, wanted: argparse.Namespace) -> Part:
    begun = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(wanted.processes) as pool:
        jobs = [(name, wanted, number) for number in range(wanted.processes)]
        whole = Part(name)
        for part in pool.imap_unordered(_one, jobs):
            whole.take(part)
    whole.seconds = time.monotonic() - begun
    return whole


def _one(job: tuple[str, argparse.Namespace, int]) -> Part:
    name, wanted, number = job
    return PROOFS[name](wanted, number)


def prove_matrix(wanted: argparse.Namespace, number: int) -> Part:
    """Every share-th case of the matrix."""
    part = Part("matrix")
    with (
        broken_as(wanted.broken) as (steps, kinds),
        house.database(),
        house.opened(wanted.profile, wanted.seed) as home,
    ):
        runner = matrix.Runner(home, home.enter("max"))
        for case in _chosen(wanted, steps, kinds)[number :: wanted.processes]:
            part.add(f"{case.row}: {case.step}", str(case), runner.run(case))
    return part


def _chosen(wanted: argparse.Namespace, steps: list[str], kinds: list[str]) -> list[cases.Case]:
    """The cases asked for, the same in every process, so shuffled that all take as long."""
    what = (wanted.resources or list(ROWS), wanted.steps or steps, wanted.kinds or kinds)
    found = list(cases.every(*what) if wanted.all else cases.spread(*what, wanted.turn))
    chance = random.Random(wanted.seed)
    return chance.sample(found, round(len(found) * wanted.sample))


def prove_soak(wanted: argparse.Namespace, number: int) -> Part:
    """A share of the actions, by four people of its own."""
    part, actions = Part("soak"), wanted.actions // wanted.processes
    _, only, kinds, _ = leaks.BUILDS.get(wanted.broken, (None, (), [], ""))
    with (
        leaks.made(wanted.broken),
        house.database(),
        house.opened(wanted.profile, wanted.seed) as home,
    ):
        people = soak.Soak(home, f"{wanted.seed}/{number}", share=0.2, kinds=kinds)
        for place, (deed, found) in enumerate(deeds.walk(people, actions, only)):
            part.add(deed, f"{deed}, action {place} of process {number}", found)
        part.facts[f"process {number}"] = people.summary()
    return part


@contextmanager
def broken_as(build: str) -> Iterator[tuple[list[str], list[str]]]:
    """The dashboard broken on purpose ("" for not), with the steps and kinds that show it."""
    _, steps, kinds, _ = broken.BUILDS.get(build, (None, [], [], ""))
    with broken.made(build):
        yield steps, kinds


PROOFS: dict[str, Work] = {
    "matrix": prove_matrix,
    "parallel": together.prove_parallel,
    "crashes": together.prove_crashes,
    "interleavings": together.prove_interleavings,
    "soak": prove_soak,
}
