"""python -m tests.faults: run the proofs with pytest; status 1 if a promise is broken.

With --broken NAME the dashboard is broken on purpose: status 1 if no check finds that.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from .options import PROOFS, VARIABLE, parser

FOLDER = Path(__file__).parent
TESTS_FAILED = pytest.ExitCode.TESTS_FAILED


def main() -> int:
    """Run what is asked for; the exit status. Unknown flags go to pytest (-x, --junitxml FILE)."""
    options, rest = parser().parse_known_args()
    os.environ[VARIABLE] = json.dumps(vars(options))
    files = [str(FOLDER / PROOFS[name]) for name in options.proofs or PROOFS]
    spread = ["-n", str(options.processes), "--dist", "load"]  # also the cases of one proof
    status = pytest.main([*files, "-q", "-m", "not short", *spread, *rest])
    if options.broken and status in {pytest.ExitCode.OK, TESTS_FAILED}:
        return int(status != TESTS_FAILED)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
