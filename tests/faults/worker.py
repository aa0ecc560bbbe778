"""A worker process of the proofs: `db_worker`, which kills itself at a step of a deletion.

python -m tests.faults.worker "row committed" --batch --no-startup-delay    "" for no step at all
"""

import sys

from . import wsgi  # sets Django up, and the steps

# isort: split
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    step, *options = sys.argv[1:]
    wsgi.request.step, wsgi.request.left = step, 1
    execute_from_command_line(["manage.py", "db_worker", "--verbosity", "0", *options])
