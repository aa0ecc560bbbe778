"""The Caddy example: it starts, and no log holds a search or the key of a mailed link."""

import os
import shutil
import subprocess
from http.client import HTTPConnection

import pytest

from dashboard.site.demo import free_port
from tests.nginx import EXAMPLE as NGINX
from tests.waits import wait_for_port, wait_until

pytestmark = pytest.mark.slow

EXAMPLE = NGINX.with_name("Caddyfile")
PATIENCE = 20  # seconds


@pytest.fixture
def caddy(tmp_path):
    """The port of a Caddy with the example over http, before a site that is not there; it logs
    into tmp_path.
    """
    if shutil.which("caddy") is None and os.environ.get("REQUIRE_CADDY") != "1":
        pytest.skip("caddy is not installed")
    port, text = free_port(), EXAMPLE.read_text()
    changes = {
        "\ndesk.example.com {": f"\nhttp://127.0.0.1:{port} {{",
        "/var/log/caddy": str(tmp_path),
        "127.0.0.1:8000": f"127.0.0.1:{free_port()}",
    }
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    config = tmp_path / "Caddyfile"
    config.write_text(text.replace("{\n\t# Errors", "{\n\tadmin off\n\t# Errors"))
    command = ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]
    home = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with (
        (tmp_path / "console.log").open("w") as console,
        subprocess.Popen(command, env=home, stdout=console, stderr=console) as process,
    ):
        try:
            wait_for_port(port)
            yield port
        finally:
            process.terminate()


def ask(port, path):
    return answer_to(port, path).status


def answer_to(port, path):
    person = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    person.request("GET", path, headers={"Referer": f"https://desk.example.com{path}"})
    return person.getresponse()


def test_no_log_holds_a_search_or_the_key_of_a_mailed_link(caddy, tmp_path):
    for path in ("/contacts/", "/accounts/password/reset/6-canary-key/"):
        assert ask(caddy, f"{path}?search=canary") == 502
    logged = tmp_path / "entry-desk.log"
    wait_until(lambda: logged.read_text().count("\n") >= 2)
    assert '"uri":"/contacts/"' in logged.read_text()
    assert '"uri":"/accounts/password/reset/"' in logged.read_text()
    assert not [path.name for path in tmp_path.glob("*.log") if "canary" in path.read_text()]


def test_a_site_that_is_stopped_is_back_in_a_minute(caddy):
    answer = answer_to(caddy, "/contacts/")
    assert answer.status == 502
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    page = answer.read()
    assert b"Entry Desk is not available at the moment" in page
    assert b"reload this page" in page  # sends a form again; going back empties it


def test_health_is_no_page_for_strangers(caddy):
    assert [ask(caddy, path) for path in ("/healthz", "/readyz")] == [404, 404]
