"""The keys of the help page and of the dialog of "?" are those that the pages have, and the guide
says what the help page says.
"""

import html
import json
import re
from pathlib import Path

import pytest

from dashboard.gateway import CONTACTS
from dashboard.schema.registry import RESOURCES
from dashboard.site.key_letters import GROUPS
from tests import guide

ROOT = Path(__file__).resolve().parent.parent
NAMES = {
    "↓": "ArrowDown",
    "↑": "ArrowUp",
    "→": "ArrowRight",
    "←": "ArrowLeft",
    "Esc": "Escape",
    "Ctrl": "ctrlKey",
    "Shift": "shiftKey",
}
WITHOUT_HANDLER = {"+": "is typed into the field of the palette"}
KEY = re.compile(r'data-(?:row-)?key="([^"]+)"')


def told():
    return [key.keys for group in GROUPS for key in group.keys]


@pytest.fixture(scope="module")
def sources():
    scripts = "".join(path.read_text() for path in (ROOT / "static").rglob("*.js"))
    templates = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    return scripts, templates


@pytest.fixture
def on_pages(desk, gateway):
    """The keys of elements on the lists and records, as (keys, whether in the shell)."""
    company = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    pages = ["/", f"/contacts/{company}/", *(f"/{each.name}/" for each in RESOURCES.values())]
    for each in RESOURCES.values():
        listed = desk.get(f"/{each.name}/").content.decode()
        if found := re.search(rf'href="(/{each.name}/\d+/)"', listed):
            pages.append(found[1])
    shell, found = set(), set()
    for address in pages:
        side, _, page = desk.get(address).content.decode().partition("</aside>")
        shell |= set(KEY.findall(side))
        found |= set(KEY.findall(page))
    return shell, found


@pytest.mark.slow
def test_every_key_that_is_told_has_its_element_or_its_handler(on_pages, sources):
    scripts, templates = sources
    elements = {*on_pages[0], *on_pages[1], *KEY.findall(templates)}

    def works(one):
        if one in WITHOUT_HANDLER or one in elements:
            return True
        if len(one) > 1 or one in NAMES:
            return re.search(rf"\b{NAMES.get(one, one)}\b", scripts)
        return f'"{one.lower()}"' in scripts

    lost = [keys for keys in told() if keys not in elements and not all(map(works, keys.split()))]
    assert not lost


@pytest.mark.slow
def test_every_letter_of_a_page_is_told(on_pages):
    letters = {keys for keys in on_pages[1] if len(keys) == 1}
    assert letters <= {one for keys in told() for one in keys.split()}
    assert {keys.partition(" ")[0] for keys in on_pages[0]} <= {"g", "c"}


def test_the_help_and_the_dialog_show_the_same_declaration(desk):
    page = desk.get("/help/").content.decode()
    assert "<h1>Keyboard shortcuts</h1>" in desk.get("/help/keys/").content.decode()
    assert 'id="keys-help"' in page
    dialog = desk.get("/help/keys/", headers={"HX-Request": "true"}).content.decode()
    shown = json.loads(html.unescape(re.search(r'data-groups="([^"]+)"', dialog)[1]))
    assert [one[0] for one in shown] == [group.title for group in GROUPS if group.on]
    for group in GROUPS:
        for key in group.keys:
            caps = "".join(f"<kbd>{html.escape(one)}</kbd>" for one in key.keys.split())
            assert f"<dt>{key.does}</dt><dd>{caps}</dd>" in page


def test_the_guide_says_what_the_help_page_says():
    written = guide.GUIDE.read_text(encoding="utf-8")
    assert written == guide.of_page(guide.rendered()), "run python -m tests.guide"


def test_the_pictures_of_the_help_page_are_there_in_both_themes(desk):
    page = desk.get("/help/").content.decode()
    names = set(re.findall(r'(?:src|srcset)="/static/(pictures/[^"]+)"', page))
    assert len(names) >= 10
    assert [name for name in names if not (ROOT / "static" / name).is_file()] == []
