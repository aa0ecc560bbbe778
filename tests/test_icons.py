"""static/icons.svg: the icons of Lucide that the pages draw, and no others."""

import re
from itertools import chain

from dashboard.schema.menu import OTHERS, menu_groups
from dashboard.schema.registry import RESOURCES
from tests import icons

ROOT = icons.SPRITE.parent.parent
# A text in quotes, of a template or a module.
QUOTED = re.compile(r"[\"']([a-z][a-z0-9-]*)[\"']")


def test_each_icon_is_that_of_lucide():
    assert icons.SPRITE.read_text(encoding="utf-8") == icons.drawn(icons.names())


def test_every_icon_that_is_named_is_there():
    named = {page.icon for page in chain(*menu_groups(), OTHERS)}
    named |= {resource.icon for resource in RESOURCES.values()}
    for path in (ROOT / "templates").rglob("*.html"):
        for call in re.findall(r"icon\(([^()]*)\)", path.read_text(encoding="utf-8")):
            named.update(QUOTED.findall(call))
    assert named <= set(icons.names())


def test_no_icon_is_left_over():
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "dashboard").rglob("*.py")]
    texts = {name for path in files for name in QUOTED.findall(path.read_text(encoding="utf-8"))}
    assert set(icons.names()) - texts == set()
