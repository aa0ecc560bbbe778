"""Requests whose end can be read in two ways: each is refused or read in one, by site and proxy."""

import json
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import nginx
from tests.test_gunicorn import ask, started

APPLICATION = """
import json
import os
import pathlib

LOG = os.open(pathlib.Path(__file__).with_name("requests"), os.O_APPEND | os.O_CREAT | os.O_WRONLY)

def application(environ, start_response):
    body = environ["wsgi.input"].read().decode("latin-1")
    got = [environ["REQUEST_METHOD"], environ["PATH_INFO"], body]
    os.write(LOG, (json.dumps(got) + "\\\\n").encode())
    start_response("200 OK", [("Content-Length", "0")])
    return [b""]
""".replace("\\\\", "\\")
SECOND = f"GET /smuggled HTTP/1.1\r\nHost: {nginx.HOST}\r\n\r\n"
ALL = len(SECOND)
EMPTY = "0\r\n\r\n"  # the end of a body in chunks
QUIET = 1.0  # seconds without an answer, after which none is expected

# What the body is, by one reading; by the other, SECOND would be a request of its own.
HEADERS = {
    "length and chunks": (f"Content-Length: {ALL + 5}\r\nTransfer-Encoding: chunked", EMPTY),
    "chunks and length": (f"Transfer-Encoding: chunked\r\nContent-Length: {ALL + 5}", EMPTY),
    "no length and chunks": ("Content-Length: 0\r\nTransfer-Encoding: chunked", EMPTY),
    "two lengths": (f"Content-Length: {ALL}\r\nContent-Length: 0", ""),
    "two lengths reversed": (f"Content-Length: 0\r\nContent-Length: {ALL}", ""),
    "list of lengths": (f"Content-Length: 0, {ALL}", ""),
    "signed length": ("Content-Length: +0", ""),
    "negative length": ("Content-Length: -0", ""),
    "hexadecimal length": ("Content-Length: 0x0", ""),
    "length with an underscore": ("Content-Length: 0_0", ""),
    "length with a space before the colon": (f"Content-Length : {ALL}", ""),
    "folded length": (f"Content-Length: {ALL}\r\n 0", ""),
    "folded header": (f"X: y\r\n Content-Length: 0\r\nContent-Length: {ALL}", ""),
    "header that begins with a space": (f" Content-Length: 0\r\nContent-Length: {ALL}", ""),
    "unknown coding": (f"Transfer-Encoding: xchunked\r\nContent-Length: {ALL + 5}", EMPTY),
    "chunks twice": (f"Transfer-Encoding: chunked, chunked\r\nContent-Length: {ALL + 5}", EMPTY),
    "chunks and identity": (
        f"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: {ALL + 5}",
        EMPTY,
    ),
    "coding with a space before the colon": (
        f"Transfer-Encoding : chunked\r\nContent-Length: {ALL + 5}",
        EMPTY,
    ),
    "coding after a line feed": (
        f"X: y\nTransfer-Encoding: chunked\r\nContent-Length: {ALL + 5}",
        EMPTY,
    ),
    "coding after a carriage return": (
        f"X: y\rTransfer-Encoding: chunked\r\nContent-Length: {ALL + 5}",
        EMPTY,
    ),
    "coding with a vertical tab": (
        f"Transfer-Encoding: \x0bchunked\r\nContent-Length: {ALL + 5}",
        EMPTY,
    ),
    "size of a chunk with a sign": ("Transfer-Encoding: chunked", "+0\r\n\r\n"),
    "size of a chunk in hexadecimal": ("Transfer-Encoding: chunked", "0x0\r\n\r\n"),
    "no line break after a chunk": ("Transfer-Encoding: chunked", "1\r\nab" + EMPTY),
    "line feed in an extension": ("Transfer-Encoding: chunked", f"{ALL:x};\n"),
    "larger chunk than fits 64 bits": ("Transfer-Encoding: chunked", "1" + "0" * 16 + "\r\n"),
}


@pytest.fixture(scope="module")
def ports(tmp_path_factory) -> Iterator[dict[str, int]]:
    """A server that notes what it gets, by itself and behind nginx; `requests` is its folder."""
    nginx.need()
    folder = tmp_path_factory.mktemp("noting")
    (folder / "noting.py").write_text(APPLICATION)
    options = ["--pythonpath", str(folder), "--workers", "1"]
    with started("noting:application", *options) as (port, _), nginx.running(folder, port) as front:
        ask(port, "/")  # it may take longer than QUIET to start
        yield {"site": port, "proxy": front, "folder": folder}


def sent(ports: dict[str, int], to: str, request: str) -> list[int]:
    """The status of every answer to these bytes, until the server closes or is quiet."""
    connection = socket.create_connection(("127.0.0.1", ports[to]))
    if to == "proxy":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = context.wrap_socket(connection, server_hostname=nginx.HOST)
    connection.settimeout(QUIET)
    got = b""
    with connection:
        try:
            connection.sendall(request.encode("latin-1"))
            while part := connection.recv(65536):
                got += part
        except (TimeoutError, ConnectionError):
            pass
    return [int(each[:3]) for each in got.split(b"HTTP/1.1 ")[1:]]


def noted(ports: dict[str, int]) -> list[list[str]]:
    lines = Path(ports["folder"], "requests").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("to", ["site", "proxy"])
def test_no_request_is_smuggled_in_another(ports, to):
    def answers_to(case: str) -> tuple[str, list[int]]:
        headers, body = HEADERS[case]
        path = f"/{to}/{case.replace(' ', '-')}"
        first = f"POST {path} HTTP/1.1\r\nHost: {nginx.HOST}\r\n{headers}\r\n\r\n"
        return path, sent(ports, to, first + body + SECOND)

    with ThreadPoolExecutor(len(HEADERS)) as pool:
        answers = dict(pool.map(answers_to, HEADERS))
    requests = noted(ports)
    assert not [path for _, path, _ in requests if path == "/smuggled"]
    accepted = {path: body for _, path, body in requests if path.startswith(f"/{to}/")}
    for path, statuses in answers.items():
        assert statuses == [200] if path in accepted else statuses in ([], [400], [501]), path


@pytest.mark.parametrize("to", ["site", "proxy"])
def test_extensions_of_chunks_are_left_out_of_the_body(ports, to):
    path = f"/{to}/extension"
    first = f"POST {path} HTTP/1.1\r\nHost: {nginx.HOST}\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert sent(ports, to, f"{first}2;a=b\r\nxx\r\n1;c\r\ny\r\n{EMPTY}") == [200]
    assert ["POST", path, "xxy"] in noted(ports)
