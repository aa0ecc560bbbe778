"""The themes and widths (px) in which pages are inspected.

Two by default, which have each theme and each width once; with LOOKS=all every page in all four.
"""

import os

import pytest

ALL_LOOKS = [(theme, width) for theme in ("light", "dark") for width in (320, 1280)]
LOOKS = ALL_LOOKS if os.environ.get("LOOKS") == "all" else [("light", 1280), ("dark", 320)]


def _each_of(names: list[tuple[str, int]]) -> pytest.MarkDecorator:
    slow = [pytest.param(*look, marks=pytest.mark.slow) for look in names]
    return pytest.mark.parametrize(("theme", "width"), slow)


looks = _each_of(LOOKS)
all_looks = _each_of(ALL_LOOKS)
