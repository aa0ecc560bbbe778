"""The end of a server's certificate is read before it comes."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from django.core.checks import run_checks

from dashboard.core.certificates import SSL_REQUEST, read_certificates
from dashboard.site import checks
from tests.certificates import certificate_of
from tests.helpers import text

END = (datetime.now(UTC) + timedelta(days=29)).replace(microsecond=0)


@pytest.fixture
def context(tmp_path: Path) -> ssl.SSLContext:
    """Of a server whose certificate ends in 29 days."""
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(certificate_of("127.0.0.1", tmp_path, END))
    return made


@pytest.fixture
def server(context: ssl.SSLContext, request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a server of TLS; one of PostgreSQL, with the parameter, is asked for it first."""

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                if getattr(request, "param", "") == "postgresql":
                    assert connection.recv(8) == SSL_REQUEST
                    connection.sendall(b"S")
                context.wrap_socket(connection, server_side=True).close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_a_certificate_that_ends_soon_is_a_problem_and_a_warning(
    server, settings, db, client_of, with_keys, administrator
):
    settings.API_BASE_URL = f"https://127.0.0.1:{server}"
    page = text(client_of(with_keys(administrator)).get("/settings/operation/"))
    words = f"The certificate of the API ends on {END:%-d %b %Y}"
    assert words in page
    assert "No open problems" not in page
    [found] = [
        each
        for each in run_checks(tags=[checks.TAG], include_deployment_checks=True)
        if each.id == "dashboard.W009"
    ]
    assert words in found.msg


@pytest.mark.parametrize("server", ["postgresql"], indirect=True)
def test_postgresql_is_asked_for_tls_first(server, settings, monkeypatch):
    engine = "django.db.backends.postgresql"
    for name, value in {"ENGINE": engine, "HOST": "127.0.0.1", "PORT": server}.items():
        monkeypatch.setitem(settings.DATABASES["default"], name, value)
    assert read_certificates() == [("PostgreSQL", END)]


def test_redis_has_a_certificate_where_its_address_says_so(server, settings):
    settings.CACHES = {
        "default": {"BACKEND": "x", "LOCATION": f"rediss://:word@127.0.0.1:{server}/0"}
    }
    assert read_certificates() == [("Redis", END)]


def test_the_site_itself_is_asked_by_its_address(server, settings):
    settings.SITE_URL = f"https://127.0.0.1:{server}/desk"
    assert read_certificates() == [("this site", END)]


def test_a_server_that_is_away_is_left_out(settings):
    settings.API_BASE_URL = "https://127.0.0.1:9"
    assert read_certificates() == []
