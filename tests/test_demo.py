"""`manage.py demo` as a process: start, sign-in, stored data, reset."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.core.mail import get_connection, send_mail

from dashboard.administration.demo import free_port
from tests.processes import ROOT, python, running
from tests.waits import wait_until

pytestmark = pytest.mark.slow


def restore_sigint() -> None:
    """Handle SIGINT, which processes in the background of a shell ignore and pass on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def demo(directory: Path, *options: str) -> Iterator[tuple[httpx.Client, str]]:
    """Run the demo; yields a client for its address and its output."""
    settings = ("SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "DJANGO_SETTINGS_MODULE", "PYTHONUNBUFFERED")
    environment = {name: value for name, value in os.environ.items() if name not in settings}
    with running(
        [sys.executable, "manage.py", "demo", "--port", str(free_port()), *options],
        stop=signal.SIGINT,
        cwd=ROOT,
        env={**environment, "DEMO_DIR": str(directory)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=restore_sigint,
    ) as process:
        printed = ""
        for line in process.stdout:
            printed += line
            if "Ctrl+C" in line:
                break
        address = re.search(r"ready at (http://\S+)", printed)
        assert address, printed
        with httpx.Client(base_url=address[1], follow_redirects=True, timeout=60) as client:
            yield client, printed
    with pytest.raises(httpx.ConnectError):
        httpx.get(address[1])


def sign_in(client: httpx.Client, printed: str, username: str) -> httpx.Response:
    password = re.search(r"with the password (\S+)", printed)[1]
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', client.get("/accounts/login/").text)[1]
    fields = {"csrfmiddlewaretoken": token, "login": username, "password": password}
    return client.post("/accounts/login/", data=fields)


def test_mails_are_files_and_their_links_are_printed(tmp_path, capsys):
    backend = "dashboard.administration.demo_mail.EmailBackend"
    connection = get_connection(backend, file_path=str(tmp_path))
    link = "http://127.0.0.1:8000/accounts/password/reset/3-abc/"
    send_mail("Yours", f"Choose one: {link}", None, ["zoe@x.example"], connection=connection)
    printed = capsys.readouterr().out
    assert "zoe@x.example" in printed
    assert link in printed
    assert [link in file.read_text() for file in tmp_path.iterdir()] == [True]


def create_contact(client: httpx.Client, name: str) -> httpx.Response:
    page = client.get("/contacts/new/").text
    hidden = dict(re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', page))
    return client.post("/contacts/new/", data={**hidden, "cstname": name, "contact_type": "1"})


def test_the_demo_keeps_its_data_until_it_is_reset(tmp_path):
    with demo(tmp_path) as (client, printed):
        assert "<h1>Today</h1>" in sign_in(client, printed, "edith").text
        assert re.search(r"\d contacts", client.get("/contacts/").text)
        assert "Zebra Demo was created" in create_contact(client, "Zebra Demo").text
    assert f"Data is stored in {tmp_path}/." in printed
    secrets = tmp_path / "secrets.env"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    with demo(tmp_path) as (client, again):
        assert re.search("password .*", again)[0] == re.search("password .*", printed)[0]
        sign_in(client, again, "ada")
        assert "1 contact<" in client.get("/contacts/?search=Zebra Demo").text
    with demo(tmp_path, "--reset") as (client, anew):
        sign_in(client, anew, "vera")
        assert "No contacts match" in client.get("/contacts/?search=Zebra Demo").text
        assert "120 contacts" in client.get("/contacts/").text


def test_the_worker_sends_a_deletion_when_its_countdown_ends(tmp_path):
    """Nobody looks at a page meanwhile; an undone deletion is not sent."""
    with demo(tmp_path, "--hostile") as (client, printed):  # the same people
        sign_in(client, printed, "max")
        assert "420 contacts" in client.get("/contacts/").text
        paths = [str(create_contact(client, f"Zebra {name}").url.path) for name in ("A", "B")]
        for path in paths:
            page = client.get(path).text
            hidden = dict(re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', page))
            toasts = client.post(f"{path}delete/", data=hidden).text
            if path == paths[0]:
                [undo] = re.findall(r'action="(\S+keep/)"', toasts)
                client.post(undo, data={"csrfmiddlewaretoken": hidden["csrfmiddlewaretoken"]})
        wait_until(lambda: client.get(paths[1]).status_code != 200, pause=1)  # the worker's turn
        statuses = [client.get(path).status_code for path in paths]
    assert statuses == [200, 404]


def test_a_process_that_is_killed_is_named(tmp_path):
    command = [sys.executable, "manage.py", "demo", "--port", str(free_port())]
    environment = {**os.environ, "DEMO_DIR": str(tmp_path)}
    with running(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert any("Ctrl+C" in line for line in process.stdout)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        [worker] = (
            pid for pid in children if b"db_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
        os.kill(int(worker), signal.SIGKILL)
        assert process.wait(60) == 1
        assert "The worker was killed by SIGKILL." in process.stderr.read()


def test_a_busy_port_is_reported_with_an_alternative(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        again = python("manage.py", "demo", "--port", port, DEMO_DIR=str(tmp_path))
    assert again.returncode != 0
    assert "is in use. Choose another: manage.py demo --port" in again.stderr
