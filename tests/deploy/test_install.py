"""install.sh, unchanged, on a bare Debian, and what a person then does with the site."""

import sys
from pathlib import Path

import pytest

from tests.deploy import bare

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

INSTALL = "/srv/entry-desk/dashboard/deploy/install.sh"
ANSWERS = """HOST=desk.example.test
API_BASE_URL=http://127.0.0.1:8101
ADMINISTRATOR=ada@example.test
"""
WAYS = ("full", "small")


def state(root: Path) -> dict[str, tuple[int, ...]]:
    """Mode, owner, time and size of each file that install.sh is about."""
    folders = [root / each for each in ("etc", "srv/entry-desk", "usr/lib/systemd")]
    found = [each.lstat() for folder in folders for each in walked(folder)]
    names = [str(each.relative_to(root)) for folder in folders for each in walked(folder)]
    values = [(each.st_mode, each.st_uid, each.st_mtime_ns, each.st_size) for each in found]
    return dict(zip(names, values, strict=True))


def walked(folder: Path) -> list[Path]:
    """All files below, but for what the running site writes."""
    return [
        each for each in sorted(folder.rglob("*")) if not {"var", "__pycache__"} & set(each.parts)
    ]


@pytest.mark.parametrize("way", WAYS)
def test_a_site_is_installed_signed_in_to_restarted_and_restored(root, way):
    (root / "root/answers").write_text(f"{ANSWERS}WAY={way}\n")
    printed = bare.run(root, bare.inside(root, INSTALL, "/root/answers"))
    assert '+ made the administrator "admin"' in printed
    before = state(root)
    again = bare.run(root, bare.inside(root, INSTALL))
    assert [line for line in again.splitlines() if line.startswith("+")] == []
    assert state(root) == before
    walk = [sys.executable, "-m", "tests.deploy.walk", str(root), way]
    assert bare.run(root, walk, apart=True).endswith("walked\n")
