"""The files that a page loads: versions, size, and a stylesheet without dangling names."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from dashboard.core.templates import module

STATIC = Path(__file__).parent.parent / "static"


def test_no_file_refers_to_a_source_map():
    for path in STATIC.rglob("*.*s"):
        assert "sourceMappingURL" not in path.read_text(), path


def test_the_files_of_a_first_visit_fit_their_budget():
    names = ["site.css", "icon.svg", "icons.svg"]
    files = [*(STATIC / name for name in names), *(STATIC / "css").iterdir()]
    files.append(Path(finders.find("django_htmx/htmx-2.min.js")))
    files += [path_of(address) for address in ADDRESS.findall(module("site"))]
    compressed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    assert compressed <= 61_000  # bytes; many small files compress less well than one


ADDRESS = re.compile(r'(?:src|href)="/static/([^"]+\.js)"')


def path_of(address: str) -> Path:
    return Path(finders.find(address))


@pytest.mark.parametrize("name", ["contacts", "leads", "deals", "tasks", "estimates", "invoices"])
def test_a_form_names_all_of_its_scripts_at_once(desk, name):
    """A browser asks for them side by side, once for each version of the dashboard. One that only
    another script names would come a round trip later.
    """
    page = desk.get(f"/{name}/new/").content.decode()
    named = ADDRESS.findall(page)
    assert len(named) == len(set(named)) <= 32
    imported = {
        f"js/{each}.js"
        for address in named
        for each in re.findall(r'^(?:import|}).*"(.+)";$', path_of(address).read_text(), re.M)
    }
    assert "js/drafts.js" in imported
    assert imported <= set(named)


def test_site_css_uses_only_variables_that_exist():
    ours = "".join(
        path.read_text() for path in (STATIC / "css").iterdir()
    )  # with a fallback: set by a script
    named = re.findall(r"var\((--[\w-]+)\)", ours)
    assert set(named) <= set(re.findall(r"(--[\w-]+)\s*:", ours))


def test_each_typeface_is_the_file_that_is_noted():
    noted = (STATIC / "VENDOR.md").read_text()
    for path in (STATIC / "fonts").glob("*.woff2"):
        assert f"`fonts/{path.name}` |" in noted
        assert hashlib.sha256(path.read_bytes()).hexdigest() in noted, path.name


def test_the_typeface_takes_at_most_60_kilobytes():
    assert sum(path.stat().st_size for path in (STATIC / "fonts").glob("*.woff2")) <= 60_000
