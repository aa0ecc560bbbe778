"""Vendored files agree with VENDOR.md and fit their size budget."""

import gzip
import hashlib
import re
from pathlib import Path

from django.contrib.staticfiles import finders

STATIC = Path(__file__).parent.parent / "static"
ROWS = re.findall(
    r"^\| (\S+) \|.*\| ([0-9a-f]{64}) \|$", (STATIC / "vendor" / "VENDOR.md").read_text(), re.M
)


def test_every_vendored_file_is_listed_with_its_checksum():
    files = {path.name for path in (STATIC / "vendor").iterdir()} - {"VENDOR.md"}
    assert {name for name, _ in ROWS} == files
    for name, listed in ROWS:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == listed


def test_htmx_has_the_expected_version():
    assert 'version:"2.0.10"' in Path(finders.find("django_htmx/htmx-2.min.js")).read_text()


def test_no_file_refers_to_a_source_map():
    for path in STATIC.rglob("*.*s"):
        assert "sourceMappingURL" not in path.read_text(), path


def test_the_files_of_a_first_visit_fit_their_budget():
    names = ["vendor/tabler.min.css", "site.css", "site.js", "keys.js", "icon.svg"]
    files = [STATIC / name for name in names]
    files.append(Path(finders.find("django_htmx/htmx-2.min.js")))
    compressed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    assert compressed <= 90_000  # bytes; 110 kB with the pages themselves


def test_site_css_uses_only_variables_that_exist():
    ours = (STATIC / "site.css").read_text()
    both = ours + (STATIC / "vendor" / "tabler.min.css").read_text()
    assert set(re.findall(r"var\((--[\w-]+)\)", ours)) <= set(re.findall(r"(--[\w-]+)\s*:", both))
