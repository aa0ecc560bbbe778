"""Refuses `pip install .`: templates, styles and scripts lie beside the package, not in it."""

import sys

sys.exit(
    "Entry Desk runs from its own folder and is no package to install. Install what it needs: "
    "pip install -r requirements.txt (docs/install.md)."
)
