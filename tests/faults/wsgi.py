"""What the server runs in the proofs: the dashboard, or a build broken on purpose."""

import os

from dashboard.wsgi import application  # sets Django up, so before all others

# isort: split
from . import broken

replaced = broken.build(os.environ["FAULTS_BROKEN"])  # for as long as this process lives

__all__ = ["application"]
