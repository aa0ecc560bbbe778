"""The nginx example: it parses, pins the host, bounds bodies, and never sends a POST twice."""

import os
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dashboard.demo import free_port

EXAMPLE = Path(__file__).parents[2] / "dashboard/deploy/nginx.conf"
HOST = "desk.example.com"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Backend:
    """Notes the requests that reach it; answers them, or closes the connection instead."""

    def __init__(self, *, answers: bool) -> None:
        self.requests: list[bytes] = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(connection.recv(65536))
                if self._answers:
                    connection.sendall(ANSWER)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def nginx(tmp_path):
    """nginx(*ports): the https port of an nginx with the example before these backends."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        if os.environ.get("REQUIRE_NGINX") != "1":
            pytest.skip("nginx is not installed")
        pytest.fail("nginx is not installed")
    processes = []

    def started(*backends):
        port = free_port()
        (tmp_path / "desk.conf").write_text(adapted(tmp_path, port, backends))
        main = tmp_path / "nginx.conf"
        main.write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
            f"events {{}}\nhttp {{ include {tmp_path}/desk.conf; }}\n"
        )
        command = [program, "-p", str(tmp_path), "-c", str(main)]
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        processes.append(subprocess.Popen(command))
        for _ in range(100):
            with socket.socket() as tried:
                if not tried.connect_ex(("127.0.0.1", port)):
                    return port
            time.sleep(0.05)
        pytest.fail((tmp_path / "error.log").read_text())

    yield started
    for process in processes:
        process.terminate()
        process.wait()


def adapted(folder: Path, port: int, backends: tuple[int, ...]) -> str:
    """The example with this machine's ports, certificate and folder for logs."""
    certificate(folder)
    kept = [line for line in EXAMPLE.read_text().splitlines() if "[::]" not in line]
    servers = "\n".join(f"server 127.0.0.1:{each} max_fails=0;" for each in backends)
    other = free_port()
    changes = {
        "server 127.0.0.1:8000 max_fails=1 fail_timeout=5s;": servers,
        "listen 80": f"listen 127.0.0.1:{other}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/certs/desk.example.com.pem": f"{folder}/desk.pem",
        "/etc/ssl/private/desk.example.com.key": f"{folder}/desk.key",
        "/var/log/nginx": str(folder),
    }
    text = "\n".join(kept)
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


def certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "desk.pem").write_bytes(made.public_bytes(pem))
    (folder / "desk.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def ask(port: int, method: str, path: str = "/contacts/?search=canary", body: bytes = b"") -> int:
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", port)) as plain:
        person = HTTPSConnection(HOST, port, timeout=20)
        person.sock = context.wrap_socket(plain, server_hostname=HOST)
        person.request(method, path, body=body or None, headers={"X-Forwarded-For": "6.6.6.6"})
        return person.getresponse().status


@pytest.fixture
def backends():
    """backends(answers, answers): two backends; the first is asked first."""
    opened = []

    def made(*answers):
        opened.extend(Backend(answers=each) for each in answers)
        return opened

    yield made
    for each in opened:
        each.close()


def test_host_and_address_are_those_that_the_proxy_knows(nginx, backends, tmp_path):
    [backend] = backends(True)
    assert ask(nginx(backend.port), "GET") == 200
    [request] = backend.requests
    assert b"Host: desk.example.com\r\n" in request
    assert b"X-Forwarded-Proto: https\r\n" in request
    assert b"X-Forwarded-For: 127.0.0.1\r\n" in request
    assert b"X-Request-ID: " in request
    log = (tmp_path / "entry-desk.log").read_text()
    assert " GET /contacts/ 200 " in log
    assert "canary" not in log


def test_another_host_gets_no_answer(nginx, backends):
    [backend] = backends(True)
    port = nginx(backend.port)
    context = ssl._create_unverified_context()
    refused = pytest.raises((ssl.SSLError, ConnectionError))
    with socket.create_connection(("127.0.0.1", port)) as plain, refused:
        context.wrap_socket(plain, server_hostname="evil.example.com")
    assert backend.requests == []


def test_a_body_that_is_too_large_is_refused(nginx, backends):
    [backend] = backends(True)
    port = nginx(backend.port)
    with suppress(ConnectionError):  # it may be refused while it is sent
        assert ask(port, "POST", body=b"x" * 13_000_000) == 413
    assert backend.requests == []


def test_a_read_goes_to_the_next_machine_and_a_write_never_does(nginx, backends):
    broken, sound = backends(False, True)
    port = nginx(broken.port, sound.port)
    assert [ask(port, "GET") for _ in range(4)] == [200] * 4
    assert broken.requests
    broken.requests.clear()
    sound.requests.clear()
    answers = [ask(port, "POST", "/contacts/new/", b"a=1") for _ in range(4)]
    assert sorted(set(answers)) == [200, 502]
    assert len(broken.requests) + len(sound.requests) == 4
    assert answers.count(502) == len(broken.requests)
