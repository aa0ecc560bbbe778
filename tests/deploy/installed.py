"""PostgreSQL and Redis as the examples set them up: unix sockets, narrow accounts; besides with
TLS and a port, as the operator of several machines sets them up.
"""

import os
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest

from dashboard.administration.demo import free_port
from tests import postgres, redis_server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "dashboard/deploy"
SITE, OWNER = "entry-desk", "entry-desk-owner"


@dataclass(frozen=True)
class Deployment:
    """Its folder has the certificates `tls` and `foreign`; the servers have the first."""

    folder: Path
    sockets: Path
    database_port: int
    cache_port: int
    key: str

    def environment(self, account: str = SITE) -> dict[str, str]:
        """What the unit of the site gives gunicorn. The account of the machine, which peer
        authentication goes by, is stood in for by PGUSER.
        """
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "SECRET_KEY": "a" * 50,
            "FIELD_ENCRYPTION_KEYS": self.key,
            "DATABASE_URL": f"postgres:///{self.sockets}/{SITE}",
            "CACHE_URL": f"redis://{self.folder}/redis.sock",
            "PGUSER": account,
            "PGPORT": str(self.database_port),
            "API_BASE_URL": "http://127.0.0.1:9",
            "SITE_URL": "http://127.0.0.1",
            "SECOND_FACTOR_ROLES": "",
            "STATIC_ROOT": str(self.folder / "static"),
            "DJANGO_SETTINGS_MODULE": "tests.deploy.site_settings",
        }

    @property
    def database_over_tls(self) -> str:
        tls = f"sslmode=verify-full&sslrootcert={self.folder}/tls.pem"
        return f"postgres://{SITE}@localhost:{self.database_port}/{SITE}?{tls}"

    @property
    def cache_over_tls(self) -> str:
        return f"rediss://localhost:{self.cache_port}/0?ssl_ca_certs={self.folder}/tls.pem"

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.sockets), port=self.database_port, dbname=SITE, user=SITE
        )

    def manage(self, *arguments: str, account: str = SITE, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.environment(account), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def certificate(folder: Path, name: str, host: str = "localhost") -> None:
    """NAME.pem, signed by itself, and NAME.key. Skips the test without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    files = ["-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"]
    named = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    subprocess.run(
        ["openssl", "req", "-x509", "-noenc", *files, *named], check=True, capture_output=True
    )


@contextmanager
def deployment(folder: Path) -> Iterator[Deployment]:
    for name in ("tls", "foreign"):
        certificate(folder, name)
    with postgres.stoppable() as started:
        database(started, folder)
        cache_port = free_port()
        server = redis_server.Server(cache_port, *cache(folder, cache_port))
        server.start()
        try:
            yield Deployment(
                folder,
                started.folder,
                started.port,
                cache_port,
                urlsafe_b64encode(os.urandom(32)).decode(),
            )
        finally:
            server.stop()


def database(started: postgres.Cluster, folder: Path) -> None:
    """Restart PostgreSQL with pg_hba.conf, and make the accounts of roles.sql, twice. A connection
    by TLS is let in as well.
    """
    own = started.folder
    hba = (EXAMPLES / "pg_hba.conf").read_text().replace("peer", "trust")
    (own / "pg_hba.conf").write_text(f"{hba}hostssl {SITE} {SITE} all trust\n")
    for name in ("tls.pem", "tls.key"):
        shutil.copy(folder / name, own)
        if os.getuid() == 0:
            shutil.chown(own / name, postgres.OWNER)
    started.stop()
    tls = f"-c ssl=on -c ssl_cert_file={own}/tls.pem -c ssl_key_file={own}/tls.key"
    options = f"{started.options}{own} -c hba_file={own}/pg_hba.conf {tls}"
    replace(started, options=options).start()
    shutil.copy(EXAMPLES / "roles.sql", own)
    (own / "roles.sql").chmod(0o644)
    arguments = ("-q", "-h", str(own), "-p", str(started.port), "-U", postgres.OWNER)
    for _ in range(2):
        postgres.run("psql", *arguments, "-d", "postgres", "-f", str(own / "roles.sql"))


def cache(folder: Path, port: int) -> tuple[str, ...]:
    """The example redis.conf with a socket of the test, and TLS on a port."""
    text = (EXAMPLES / "redis.conf").read_text()
    assert "/run/redis/redis-server.sock" in text
    adapted = folder / "redis.conf"
    adapted.write_text(text.replace("/run/redis/redis-server.sock", f"{folder}/redis.sock"))
    files = ("--tls-cert-file", f"{folder}/tls.pem", "--tls-key-file", f"{folder}/tls.key")
    ca = ("--tls-ca-cert-file", f"{folder}/tls.pem", "--tls-auth-clients", "no")
    return (str(adapted), "--tls-port", str(port), *files, *ca)
