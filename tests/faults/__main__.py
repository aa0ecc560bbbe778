"""python -m tests.faults: the rules of a write, proven against the stand-in's faults.

Everything runs on loopback and stops by itself. Fails (status 1) if any promise was broken.
With --broken NAME the dashboard is broken on purpose: then it fails unless that is found out.
"""

import argparse
import sys
from pathlib import Path

from . import proofs, report

PROOFS = ("matrix", "parallel", "crashes", "interleavings", "soak")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    add = parser.add_argument
    add("proofs", nargs="*", metavar="PROOF", help=f"some of: {' '.join(PROOFS)} (all)")
    add("--resources", type=words, default=[], help="contacts,... (all that have pages)")
    add("--steps", type=words, default=[], help='"create,update,two people" (all)')
    add("--kinds", type=words, default=[], help="kinds of faults, reset,html,... (all)")
    add("--all", action="store_true", help="every kind on every resource, not on one in turn")
    add("--turn", type=int, default=0, help="begin the turns of the resources at this one (0)")
    add("--sample", type=float, default=1, help="only this part of the cases, by chance (1)")
    add("--seed", type=int, default=1, help="of all that is left to chance (1)")
    add("--posts", type=int, default=20, help="presses of one form at once (20)")
    add("--rounds", type=int, default=1000, help="of two people, for each resource (1,000)")
    add("--actions", type=int, default=10_000, help="of the people of the soak (10,000)")
    add("--profile", default="verbose", help="terse, verbose or hostile (verbose)")
    add("--processes", type=int, default=2, help="at once (2)")
    add("--broken", default="", metavar="BUILD", help="one of broken.py, or for soak of leaks.py")
    add("--json", type=Path, metavar="FILE", help="write everything found")
    return parser.parse_args()


def words(text: str) -> list[str]:
    """a,b"""
    return [part.strip() for part in text.split(",") if part.strip()]


def main(wanted: argparse.Namespace) -> int:
    """Prove, print, save; the exit status."""
    parts = proofs.run(wanted, wanted.proofs or list(PROOFS))
    sys.stdout.write(report.table(parts) + "\n")
    if wanted.json:
        report.save(wanted.json, parts)
    breached = any(part.breaches for part in parts)
    return int(breached != bool(wanted.broken))


if __name__ == "__main__":
    sys.exit(main(arguments()))
