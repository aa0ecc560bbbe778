"""Reads when the certificates of the site and of the servers that it reaches by TLS end."""

import ssl
from contextlib import suppress
from datetime import datetime, timedelta
from socket import create_connection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography import x509
from django.conf import settings
from django.utils import timezone

TIMEOUT = 2  # seconds for a server
WARNING_TIME = timedelta(days=30)
PORTS = {"https": 443, "postgresql": 5432, "rediss": 6379}  # by the schemes of TLS
SSL_REQUEST = bytes.fromhex("00000008 04d2162f")  # of PostgreSQL's protocol; "S" is the yes


class Certificate(NamedTuple):
    server: str
    end: datetime

    @property
    def ends_soon(self) -> bool:
        return self.end - timezone.now() < WARNING_TIME


def read_certificates() -> list[Certificate]:
    """Read the certificates of the site, the API, PostgreSQL and Redis, as far as they use TLS.
    Servers that do not answer are left out, because other messages report them.
    """
    found = []
    for server, url in _urls().items():
        with suppress(OSError, ValueError):
            parts = urlsplit(url)
            if parts.scheme in PORTS and parts.hostname:
                port = parts.port or PORTS[parts.scheme]
                found.append(Certificate(server, _end(parts.scheme, parts.hostname, port)))
    return found


def _urls() -> dict[str, str]:
    database: dict[str, Any] = settings.DATABASES["default"]
    cache = settings.CACHES["default"].get("LOCATION", "")
    urls = {"this site": settings.SITE_URL, "the API": settings.API_BASE_URL, "Redis": str(cache)}
    if database["ENGINE"].endswith("postgresql"):
        urls["PostgreSQL"] = f"postgresql://{database['HOST']}:{database['PORT']}"
    return urls


def _end(scheme: str, host: str, port: int) -> datetime:
    """Return when the certificate ends. Raises OSError, and ValueError for a PostgreSQL without
    TLS.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # One that has ended is read, too.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with create_connection((host, port), timeout=TIMEOUT) as plain:
        if scheme == "postgresql":
            plain.sendall(SSL_REQUEST)
            if plain.recv(1) != b"S":
                raise ValueError("PostgreSQL has no TLS.")
        with context.wrap_socket(plain, server_hostname=host) as encrypted:
            certificate = encrypted.getpeercert(binary_form=True) or b""
    return x509.load_der_x509_certificate(certificate).not_valid_after_utc
