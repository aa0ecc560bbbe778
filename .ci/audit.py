"""Look up the locked packages in a database of known vulnerabilities: `audit.py [SERVICE ...]`.

SERVICE is `pypi` or `osv`, as pip-audit calls them; the first whose database answers is used. It
has to name the vulnerability of PROBE first: an index without a database skips every package, and
pip-audit then says "No known vulnerabilities found".

Exit status: 0 if every package was looked up and none is vulnerable, 1 if one is vulnerable or was
left out, 3 (NOT_AUDITED) if no database answers.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements-all.txt", "requirements-dev.txt")
PROBE = "jinja2==3.1.2"  # CVE-2024-22195
NOT_AUDITED = 3


def locked() -> set[str]:
    """The pins of all locks that this machine would install, as `name==version`."""
    lines = [line for name in LOCKS for line in (ROOT / name).read_text().splitlines()]
    pins = [line.removesuffix("\\").strip() for line in lines if line[:1].isalnum()]
    found = [Requirement(pin) for pin in pins]
    return {f"{r.name}{r.specifier}" for r in found if r.marker is None or r.marker.evaluate()}


def looked_up(service: str, pins: set[str], seconds: int) -> list[dict[str, Any]]:
    """What the service answers for each pin; [] if it gives no answer."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "pins.txt")
        listed.write_text("\n".join(sorted(pins)))
        command = [sys.executable, "-m", "pip_audit", "-r", str(listed), "--no-deps"]
        command += ["--disable-pip", "--progress-spinner", "off", "-f", "json", "-s", service]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)  # noqa: S603
            return json.loads(done.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            return []


def main(services: list[str]) -> int:
    for service in services:
        if any(answer.get("vulns") for answer in looked_up(service, {PROBE}, 60)):
            return judged(service, locked())
    print(f"NOT AUDITED: no database of vulnerabilities answers ({', '.join(services)}).")
    return NOT_AUDITED


def judged(service: str, pins: set[str]) -> int:
    answers = looked_up(service, pins, 900)
    vulnerable = [each for each in answers if each.get("vulns")]
    for each in vulnerable:
        ids = ", ".join(found["id"] for found in each["vulns"])
        print(f"vulnerable: {each['name']} {each['version']}: {ids}")
    asked = sum("vulns" in each for each in answers)
    print(f"Audited {asked} of {len(pins)} packages by {service}: {len(vulnerable)} vulnerable.")
    return int(bool(vulnerable) or not asked or asked < len(pins))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["pypi", "osv"]))
