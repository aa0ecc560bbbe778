"""The figures of the page about machines follow from each other and from the settings."""

import math
import re
from pathlib import Path

import pytest

from dashboard.core import gunicorn
from dashboard.gateway import transport

PAGE = (Path(__file__).parents[1] / "dashboard/deploy/SIZING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+?) \| ([\d.]+) \|$", PAGE, re.MULTILINE)


def test_each_figure_follows_from_those_above_it():
    known = {"AUDIT_RETENTION_DAYS": 730, "max": max}
    for name, how, figure in ROWS:
        formula = re.match(r"`([^`]*[-+*/][^`]*)`", how)
        if formula:
            found = eval(formula[1], {"__builtins__": {}}, known)
            found = math.ceil(found) if "rounded up" in how else found
            assert found == pytest.approx(float(figure)), name
        known[name] = float(figure)
    assert len(known) > 25


def test_the_settings_are_those_of_the_repository():
    stated = {name: float(figure) for name, _, figure in ROWS}
    settings = (Path(gunicorn.__file__).parents[1] / "settings.py").read_text(encoding="utf-8")
    assert stated["threads"] == gunicorn.threads
    assert f'"max_size": {stated["pool"]:.0f},' in settings
    assert f'"AUDIT_RETENTION_DAYS", default={stated["kept"] * 365:.0f})' in settings
    assert f"for {transport.KEEPALIVE_TIMEOUT:.0f} seconds after a read" in PAGE
