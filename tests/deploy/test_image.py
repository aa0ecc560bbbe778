"""dashboard/deploy/Dockerfile, step by step in a bare Debian, as no registry answers here.

What stands in for its first line, an image with Python, is Debian's own Python with pip. Layers and
the network of containers are not tried.
"""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.deploy import bare
from tests.deploy.installed import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

DOCKERFILE = ROOT / "dashboard/deploy/Dockerfile"
BASE = "python:3.11-slim"
SETTINGS = {
    "SECRET_KEY": "a" * 50,
    "FIELD_ENCRYPTION_KEYS": "Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtb2Yta2V5ISE=",
    "API_BASE_URL": "https://api.example.com",
    "DATABASE_URL": "sqlite:////home/entry-desk/db.sqlite3",
    "ALLOWED_HOSTS": "desk.example.com",
}
# The server ends with the namespace in which it runs.
ASK = (
    "for turn in $(seq 120); do python -c 'import http.client;"
    ' c = http.client.HTTPConnection("127.0.0.1", 8000);'
    ' c.request("GET", "/healthz", headers={"Host": "desk.example.com"});'
    " print(c.getresponse().status)' 2>/dev/null && break; sleep 0.5; done"
)


def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with what stands behind each, one line per instruction."""
    text = DOCKERFILE.read_text(encoding="utf-8")
    joined = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", text))
    split = [line.partition(" ") for line in joined.splitlines() if line]
    return [(name, rest.strip()) for name, _, rest in split]


class Image:
    """A bare Debian on which the instructions are carried out in their order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.place = "/"
        self.user = "root"
        self.environment = {
            "PIP_BREAK_SYSTEM_PACKAGES": "1",  # Debian's Python
            "PATH": f"/usr/local/bin:{bare.PATHS}",
        }
        self.command: list[str] = []

    def take(self, name: str, rest: str) -> None:
        getattr(self, f"take_{name.lower()}")(rest)

    def take_from(self, rest: str) -> None:
        assert rest == BASE
        packages = "apt-get update && apt-get install -y --no-install-recommends python3-pip"
        self.run(f"{packages} && ln -sf python3 /usr/bin/python")

    def take_workdir(self, rest: str) -> None:
        self.place = rest
        self.run(f"mkdir -p {rest}", place="/")

    def take_copy(self, rest: str) -> None:
        *sources, target = rest.split()
        folder = self.root / self.place.lstrip("/")
        for source in sources:
            found = ROOT / source
            if found.is_dir():
                shutil.copytree(found, folder / target, dirs_exist_ok=True)
            else:
                shutil.copy(found, folder / target)

    def take_env(self, rest: str) -> None:
        self.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))

    def take_user(self, rest: str) -> None:
        self.user = rest

    def take_cmd(self, rest: str) -> None:
        self.command = json.loads(rest)

    def take_run(self, rest: str) -> None:
        self.run(rest)

    def run(self, line: str, place: str = "", user: str = "root", **environment: str) -> str:
        given = {"DEBIAN_FRONTEND": "noninteractive", **self.environment, **environment}
        exported = " ".join(f"{name}={shlex.quote(value)}" for name, value in given.items())
        script = f"cd {place or self.place} && export {exported} && {line}"
        changed = ["setpriv", f"--reuid={user}", "--clear-groups", "sh", "-c", script]
        command = ["sh", "-c", script] if user == "root" else changed
        return bare.run(self.root, bare.inside(self.root, *command))


def test_the_image_is_built_and_serves_pages(root):
    image = Image(root)
    shutil.rmtree(image.root / bare.CHECKOUT)  # only what the steps copy
    for name, rest in steps():
        image.take(name, rest)
    served = f"python manage.py migrate -v 0 && ({shlex.join(image.command)} &) && {ASK}"
    assert image.run(served, user=image.user, **SETTINGS).endswith("200\n")
