"""The options of the proofs: `python -m tests.faults` hands them to pytest in the environment."""

import argparse
import json
import os

VARIABLE = "FAULTS_OPTIONS"
PROOFS = {
    "matrix": "test_matrix.py",
    "kills": "test_kills.py",
    "machine": "test_machine.py",
}
# What .ci/run runs; the command line's defaults are the whole proofs.
SHORT = {"walks": 30}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    add = command_line.add_argument
    add("proofs", nargs="*", metavar="PROOF", help=f"some of: {' '.join(PROOFS)} (all)")
    add("--resources", type=names, default=[], help="contacts,... (all that have pages)")
    add("--steps", type=names, default=[], help='"create,update,two people" (all)')
    add("--kinds", type=names, default=[], help="kinds of faults, reset,html,... (all)")
    add("--all", action="store_true", help="every kind on every resource, not on one in turn")
    add("--turn", type=int, default=0, help="begin the turns of the resources at this one (0)")
    add("--sample", type=float, default=1.0, help="only this part of the matrix (1)")
    add("--seed", type=int, default=1, help="of everything random (1)")
    add("--walks", type=int, default=600, help="of four people (600)")
    add("--profile", default="verbose", help="terse, verbose or hostile (verbose)")
    add("--processes", type=int, default=2, help="at once (2)")
    add("--broken", default="", metavar="BUILD", help="a build of broken.py, to be found out")
    return command_line


def names(text: str) -> list[str]:
    """The parts of "a,b"."""
    return [part.strip() for part in text.split(",") if part.strip()]


FULL = VARIABLE in os.environ
OPTIONS = parser().parse_args([])
vars(OPTIONS).update(json.loads(os.environ[VARIABLE]) if FULL else SHORT)
