"""What the examples of dashboard/deploy say, read as their programs read it; nginx really runs."""

import re
import shutil
import ssl
import subprocess
from configparser import ConfigParser
from pathlib import Path

import httpx
import pytest

from tests import nginx
from tests.deploy.installed import EXAMPLES, certificate
from tests.test_gunicorn import APPLICATION, started

SERVICES = ("entry-desk.service", "entry-desk-worker@.service")
BACKUP = ("entry-desk-backup.service", "entry-desk-backup.timer")
SECRETS = ("SECRET_KEY", "FIELD_ENCRYPTION_KEYS")


def unit(name: str) -> list[tuple[str, str]]:
    """The settings of a unit, in order; a name may occur several times."""
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if line[:1].isalpha()]
    return [(name, value) for name, _, value in pairs]


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_reaches_named_networks_only_and_has_no_rights(name):
    settings = dict(unit(name))
    assert settings["IPAddressDeny"] == "any"
    assert settings["IPAddressAllow"].split()[0] == "localhost"
    assert settings["RestrictAddressFamilies"] == "AF_UNIX AF_INET AF_INET6"
    assert settings["CapabilityBoundingSet"] == ""
    assert settings["ProtectSystem"] == "strict"
    for wanted in ("NoNewPrivileges", "ProtectHome", "PrivateDevices", "RestrictSUIDSGID"):
        assert settings[wanted] == "yes", wanted


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_reads_each_secret_from_a_file_of_root(name):
    settings = unit(name)
    loaded = {value.split(":")[0]: value for key, value in settings if key == "LoadCredential"}
    set_by_name = " ".join(value for key, value in settings if key == "Environment").split()
    for secret in SECRETS:
        assert loaded[secret] == f"{secret}:/etc/entry-desk/secrets/{secret}"
        assert f"{secret}_FILE=%d/{secret}" in set_by_name


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_does_not_start_between_two_steps_of_an_upgrade(name):
    [step] = re.findall(r"^step=\$home(\S+)", (EXAMPLES / "common.sh").read_text(), re.MULTILINE)
    assert dict(unit(name))["AssertPathExists"] == f"!/srv/entry-desk{step}"


def complaints(*units: Path) -> list[str]:
    """What systemd says of these units, but that the site is not installed here."""
    command = ["systemd-analyze", "verify", *map(str, units)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
    names = [re.split("[@.]", unit.name)[0] for unit in units]
    of_units = [line for line in said if any(name in line for name in names)]
    return [line for line in of_units if not re.search("/srv/.* is not executable", line)]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_finds_no_fault_in_a_unit(tmp_path):
    units = [tmp_path / name for name in (*SERVICES, *BACKUP, "entry-desk.socket")]
    for copy in units:
        shutil.copy(EXAMPLES / copy.name, copy)
    faulty = tmp_path / "faulty.service"
    faulty.write_text(units[0].read_text(encoding="utf-8").replace("UMask=", "UMusk="))
    if not any("UMusk" in line for line in complaints(faulty)):
        pytest.skip("systemd-analyze reads no units on this machine")
    assert complaints(*units) == []


def test_the_journal_goes_to_another_machine_over_tls():
    read = ConfigParser()
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(EXAMPLES / "journal-upload.conf")
    upload = dict(read["Upload"])
    assert upload.pop("URL").startswith("https://logs.example.com")
    assert set(upload) == {"ServerKeyFile", "ServerCertificateFile", "TrustedCertificateFile"}


def test_the_proxy_calls_a_site_on_another_machine_over_verified_tls(tmp_path, monkeypatch):
    nginx.need()
    for name in ("tls", "foreign"):
        certificate(tmp_path, name, "site")
    (tmp_path / "quick.py").write_text(APPLICATION)
    options_of_tls = [f"--certfile={tmp_path}/tls.pem", f"--keyfile={tmp_path}/tls.key"]
    options = ["--pythonpath", str(tmp_path), "--workers", "1", *options_of_tls]
    text = nginx.EXAMPLE.read_text(encoding="utf-8")
    monkeypatch.setattr(nginx, "EXAMPLE", tmp_path / "example.conf")
    with started("quick:application", *options) as (port, _):
        # It loads while its socket is open already; nginx waits 5 s for it.
        assert ssl.get_server_certificate(("127.0.0.1", port), timeout=60)
        for authority, status in (("tls", 200), ("foreign", 502)):
            nginx.EXAMPLE.write_text(between_machines(text, tmp_path / f"{authority}.pem"))
            with nginx.running(tmp_path, port) as front:
                assert answered(front) == status, authority


def between_machines(text: str, authority: Path) -> str:
    """The example with its lines for a site on another machine."""
    changes = {
        "#proxy_ssl_": "proxy_ssl_",
        "http://entry_desk": "https://entry_desk",
        "/etc/entry-desk/site.pem": str(authority),
    }
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    return text


def answered(front: int) -> int:
    with httpx.Client(verify=False, timeout=60) as person:
        named = {"sni_hostname": nginx.HOST}
        headers = {"Host": nginx.HOST}
        return person.get(
            f"https://127.0.0.1:{front}/", headers=headers, extensions=named
        ).status_code
