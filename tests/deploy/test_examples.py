"""What the examples of dashboard/deploy say, read as their programs read it; nginx really runs."""

import os
import re
import shutil
import ssl
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests import nginx
from tests.deploy.installed import EXAMPLES, SECRETS, example
from tests.test_gunicorn import APPLICATION, started

SERVICES = ("entry-desk.service", "entry-desk-worker@.service")


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


def complaints(*units: Path) -> list[str]:
    """What systemd says of these units, but that the site is not installed here."""
    command = ["systemd-analyze", "verify", *map(str, units)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr.splitlines()
    names = [re.split("[@.]", unit.name)[0] for unit in units]
    of_units = [line for line in said if any(name in line for name in names)]
    return [line for line in of_units if not re.search("/srv/.* is not executable", line)]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_finds_no_fault_in_a_unit(tmp_path):
    units = [tmp_path / name for name in (*SERVICES, "entry-desk.socket")]
    for copy in units:
        shutil.copy(EXAMPLES / copy.name, copy)
    faulty = tmp_path / "faulty.service"
    faulty.write_text(units[0].read_text(encoding="utf-8").replace("UMask=", "UMusk="))
    if not any("UMusk" in line for line in complaints(faulty)):
        pytest.skip("systemd-analyze reads no units on this machine")
    assert complaints(*units) == []


def compose() -> dict[str, Any]:
    return yaml.safe_load((EXAMPLES / "compose.yml").read_text(encoding="utf-8"))


def test_only_site_and_workers_of_compose_reach_other_networks():
    example = compose()
    assert example["networks"]["inside"] == {"internal": True}
    outside = {name for name, each in example["services"].items() if "outside" in each["networks"]}
    assert outside == {"site", "worker"}


def test_compose_finds_no_fault_in_its_example(tmp_path):
    if shutil.which("docker-compose") is None and os.environ.get("REQUIRE_COMPOSE") != "1":
        pytest.skip("docker-compose is not installed")
    shutil.copytree(EXAMPLES, tmp_path / "deploy")
    (tmp_path / "deploy/.env").write_text("API_BASE_URL=https://api.example.com\n")
    command = ["docker-compose", "-f", str(tmp_path / "deploy/compose.yml"), "config", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", ["site", "worker"])
def test_site_and_workers_of_compose_start_on_migrated_tables(name):
    needed = compose()["services"][name]["depends_on"]
    assert needed["migrate"] == {"condition": "service_completed_successfully"}
    assert {"database", "cache"} <= set(needed)


def modes(folder: Path) -> dict[str, str]:
    return {each.name: f"{each.stat().st_mode & 0o777:o}" for each in folder.iterdir()}


def test_certificates_are_for_everybody_keys_for_root_and_the_authority_is_apart(tmp_path):
    folder = tmp_path / "tls"
    example("certificates.sh", str(folder), "database")
    assert f"{folder.stat().st_mode & 0o777:o}" == "755"
    expected = {"ca.pem": "644", "database.pem": "644", "database.key": "600", "authority": "700"}
    assert modes(folder) == expected
    assert modes(folder / "authority") == {"ca.key": "600"}


def test_a_certificate_made_anew_is_of_the_same_authority(tmp_path):
    folder = tmp_path / "tls"
    example("certificates.sh", str(folder), "database")
    first = [(folder / name).read_bytes() for name in ("ca.pem", "database.pem")]
    (folder / "authority/ca.key").rename(folder / "ca.key")  # where earlier releases had it
    example("certificates.sh", str(folder), "database")
    again = [(folder / name).read_bytes() for name in ("ca.pem", "database.pem")]
    assert again[0] == first[0]
    assert again[1] != first[1]
    assert modes(folder / "authority") == {"ca.key": "600"}


def test_the_logs_of_every_container_go_to_another_machine_over_tls():
    for name, service in compose()["services"].items():
        logging = service["logging"]
        assert logging["driver"] == "syslog", name
        assert logging["options"]["syslog-address"].startswith("tcp+tls://logs.example.com"), name
        assert logging["options"]["syslog-tls-ca-cert"], name


def test_the_journal_goes_to_another_machine_over_tls():
    read = ConfigParser()
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(EXAMPLES / "journal-upload.conf")
    upload = dict(read["Upload"])
    assert upload.pop("URL").startswith("https://logs.example.com")
    assert set(upload) == {"ServerKeyFile", "ServerCertificateFile", "TrustedCertificateFile"}


def test_each_container_gets_its_own_secrets_from_files_that_the_scripts_make(tmp_path):
    example("certificates.sh", str(tmp_path / "tls"), "database", "cache")
    arguments = (str(tmp_path / "secrets"), "database", "cache", "/run/secrets/ca.pem")
    example("secrets.sh", *arguments)
    read = compose()
    for name, secret in read["secrets"].items():
        assert (tmp_path / secret["file"]).stat().st_size > 0, name
    services = read["services"]
    for name in ("site", "worker"):
        assert set(services[name]["secrets"]) == {*SECRETS, "ca.pem"}
        assert "OWNER" not in str(services[name]["environment"])
    with pytest.raises(subprocess.CalledProcessError):
        example("secrets.sh", *arguments)  # it would lose the keys


def test_a_site_with_sqlite_gets_its_secrets_under_the_same_names(tmp_path):
    example("secrets.sh", str(tmp_path / "secrets"))
    made = tmp_path / "secrets"
    assert {each.name for each in made.iterdir() if each.is_file()} == set(SECRETS)
    assert (made / "DATABASE_URL").read_text() == (made / "owner/DATABASE_URL").read_text()
    assert (made / "DATABASE_URL").read_text().startswith("sqlite:////srv/entry-desk/var/")


def test_the_proxy_calls_a_site_on_another_machine_over_verified_tls(tmp_path, monkeypatch):
    nginx.need()
    for name in ("tls", "foreign"):
        example("certificates.sh", str(tmp_path / name), "site")
    (tmp_path / "quick.py").write_text(APPLICATION)
    certificate = [f"--certfile={tmp_path}/tls/site.pem", f"--keyfile={tmp_path}/tls/site.key"]
    options = ["--pythonpath", str(tmp_path), "--workers", "1", *certificate]
    text = nginx.EXAMPLE.read_text(encoding="utf-8")
    monkeypatch.setattr(nginx, "EXAMPLE", tmp_path / "example.conf")
    with started("quick:application", *options) as (port, _):
        # It loads while its socket is open already; nginx waits 5 s for it.
        assert ssl.get_server_certificate(("127.0.0.1", port), timeout=60)
        for authority, status in (("tls", 200), ("foreign", 502)):
            nginx.EXAMPLE.write_text(between_machines(text, tmp_path / authority))
            with nginx.running(tmp_path, port) as front:
                assert answered(front) == status, authority


def between_machines(text: str, authority: Path) -> str:
    """The example with its lines for a site on another machine."""
    changes = {
        "#proxy_ssl_": "proxy_ssl_",
        "http://entry_desk": "https://entry_desk",
        "/etc/entry-desk/tls/ca.pem": f"{authority}/ca.pem",
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
