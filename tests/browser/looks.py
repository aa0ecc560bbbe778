"""The themes and widths (px) in which pages are inspected, one after the other on one page.

Two by default, which have each theme and each width once; with LOOKS=all every page in all four.
"""

import os

import pytest

ALL_LOOKS = [(theme, width) for theme in ("light", "dark") for width in (320, 1280)]
LOOKS = ALL_LOOKS if os.environ.get("LOOKS") == "all" else [("light", 1280), ("dark", 320)]

all_looks = pytest.mark.parametrize(("theme", "width"), ALL_LOOKS)
