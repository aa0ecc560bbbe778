"""The command lines."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import dashboard.standin
from tests.processes import running

PACKAGE = Path(dashboard.standin.__file__).parent
ROOT = PACKAGE.parent.parent
FREE = ["--port", "0", "--admin-port", "0", "--size", "small"]


def test_the_command_prints_its_addresses_and_stops_on_interrupt():
    with running(
        [sys.executable, "-m", "dashboard.standin", *FREE],
        stop=signal.SIGINT,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        line = process.stdout.readline()
        found = re.fullmatch(r"standin ready on (http://\S+:\d+) admin (http://\S+:\d+)\n", line)
        with urllib.request.urlopen(f"{found[2]}/health") as answer:
            assert answer.read() == b'{"ready":true}'
    assert process.returncode == 0


def test_a_taken_port_is_reported(tmp_path):
    with dashboard.standin.StandIn() as standin:
        port = str(standin.server.port)
        command = [sys.executable, "-m", "dashboard.standin", *FREE, "--port", port]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("standin: ")
