"""Copies of the repository for tests that change its files."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("dashboard", "templates", "static", "tests", "bench", "docs", ".ci")
NOT_COPIED = (".env", ".git")  # files beside those parts; .git is one in a worktree


class Copy:
    """A copy of the repository's files, without what git and the environment keep beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("node_modules")
        for part in PARTS:
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        for path in ROOT.iterdir():
            if path.is_file() and path.name not in NOT_COPIED:
                shutil.copy(path, folder)
        self.begun_with = self._contents()

    def insert(self, name: str, line: str, *, below: str) -> None:
        """Insert a line below the first one that `below` matches, with the same indentation."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        found = re.search(rf"^( *){below}.*\n", text, re.MULTILINE)
        assert found, f"{name} has no line {below}"
        new = f"{found[0]}{found[1]}{line}\n"
        path.write_text(text.replace(found[0], new, 1), encoding="utf-8")

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace `old`, which the file must contain, by `new`."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def changed_files(self) -> set[str]:
        """The names of the files that were changed or added since the copy was made."""
        return {name for name, _ in self._contents() ^ self.begun_with}

    def _contents(self) -> set[tuple[str, bytes]]:
        files = [path for part in PARTS for path in (self.folder / part).rglob("*")]
        return {
            (str(path.relative_to(self.folder)), path.read_bytes())
            for path in files
            if path.is_file() and path.suffix != ".pyc"
        }

    def run_tests(self, name: str) -> subprocess.CompletedProcess[str]:
        return run_tests(self.folder, name)


# In one process, those that are slow as well, in no turn, without a cache in the folder.
OPTIONS = ("-q", "-n", "0", "-m", "", "-p", "no:cacheprovider")


def run_tests(
    folder: Path, *arguments: str, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run tests of a folder in a process of their own. Raises TimeoutExpired."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *arguments],
        cwd=folder,
        env={
            name: value
            for name, value in os.environ.items()
            if "PYTEST" not in name and name != "TURN"
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


def section(page: str, title: str) -> str:
    """The text below one heading of a page; "" where it has no such heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
