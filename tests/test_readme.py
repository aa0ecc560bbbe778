"""The README agrees with settings, commands, files and the gateway's interface."""

import os
import re
import subprocess
import sys
from pathlib import Path

from django.core.management import get_commands

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_configuration_table_has_exactly_the_settings():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    table = README.partition("## Configuration")[2].partition("## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name for cell in cells for name in re.findall(r"`([A-Z_]+)`", cell)}
    assert named == set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))


def test_the_gateway_script_runs(standin):
    script = re.search(r"```python\n(from dashboard\.gateway.*?)```", README, re.DOTALL)[1]
    access, secret = standin.keys["acme"][0]
    script = script.replace("http://127.0.0.1:8101", standin.url)
    script = script.replace('access="..."', f'access="{access}"')
    script = script.replace('secret="..."', f'secret="{secret}"').replace('"acme"', '""')
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert len(result.stdout.splitlines()) > 10


def test_every_linked_file_exists():
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_exists():
    commands = set(re.findall(r"manage\.py (\w+)", README))
    assert commands <= set(get_commands())
