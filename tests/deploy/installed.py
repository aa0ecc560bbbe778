"""PostgreSQL and Redis as the examples set them up, on this machine: TLS, narrow accounts."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from dashboard.administration.demo import free_port
from tests import postgres, redis_server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "dashboard/deploy"
SECRETS = ("SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "DATABASE_URL", "CACHE_URL")


@dataclass(frozen=True)
class Deployment:
    """Its folder has `tls`, `secrets` and `foreign`, the certificate of an authority not ours."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the unit of the site gives gunicorn."""
        secrets = {f"{name}_FILE": str(self.folder / "secrets" / name) for name in SECRETS}
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            **dict.fromkeys(SECRETS, ""),
            **secrets,
            "API_BASE_URL": "http://127.0.0.1:9",
            "SITE_URL": "http://127.0.0.1",
            "SECOND_FACTOR_ROLES": "",
            "STATIC_ROOT": str(self.folder / "static"),
            "DJANGO_SETTINGS_MODULE": "tests.deploy.site_settings",
        }

    def secret(self, name: str) -> str:
        return (self.folder / "secrets" / name).read_text().strip()

    def manage(self, *arguments: str, **environment: str) -> str:
        script = (EXAMPLES / "manage.sh").read_text()
        changes = {
            "cd /srv/entry-desk\n": f"cd {ROOT}\n",
            "/etc/entry-desk/secrets": f"{self.folder}/secrets",
            "setpriv --reuid=entry-desk --regid=entry-desk --init-groups .venv/bin/python": (
                sys.executable
            ),
        }
        for before, after in changes.items():
            assert before in script, before
            script = script.replace(before, after)
        kept = {name: self.environment[name] for name in self.environment if "_FILE" not in name}
        done = subprocess.run(
            ["sh", "-c", script, "manage.sh", *arguments],
            env={**kept, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def example(name: str, *arguments: str) -> None:
    """Run a script of the examples. Skips the test without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(
        ["sh", str(EXAMPLES / name), *arguments], check=True, capture_output=True, cwd="/"
    )


@contextmanager
def deployment(folder: Path) -> Iterator[Deployment]:
    with postgres.stoppable() as started:
        cache_port = free_port()
        ports = (f"localhost:{started.port}", f"localhost:{cache_port}")
        tls = folder / "tls"
        example("certificates.sh", str(tls), "localhost")
        example("certificates.sh", str(folder / "foreign"), "localhost")
        example("secrets.sh", str(folder / "secrets"), *ports, str(tls / "ca.pem"))
        database(started, folder)
        server = redis_server.Server(cache_port, str(cache(folder, cache_port)))
        server.start()
        try:
            yield Deployment(folder)
        finally:
            server.stop()


def database(started: postgres.Cluster, folder: Path) -> None:
    """Restart PostgreSQL with TLS and pg_hba.conf, and make the accounts of roles.sql."""
    sources = [folder / "tls/localhost.pem", folder / "tls/localhost.key"]
    sources += [EXAMPLES / "pg_hba.conf", EXAMPLES / "roles.sql"]
    sources += sorted((folder / "secrets/database").iterdir())
    own = started.folder
    for source in sources:
        shutil.copy(source, own)
        if os.getuid() == 0:
            shutil.chown(own / source.name, postgres.OWNER)
    if os.getuid() != 0:  # then the superuser has another name on this machine
        hba = own / "pg_hba.conf"
        hba.write_text(hba.read_text().replace("peer", "trust"))
    started.stop()
    tls = f"-c ssl=on -c ssl_cert_file={own}/localhost.pem -c ssl_key_file={own}/localhost.key"
    options = f"{started.options}{own} -c hba_file={own}/pg_hba.conf {tls}"
    replace(started, options=options).start()
    os.environ["PASSWORDS"] = str(own)
    arguments = ("-q", "-h", str(own), "-p", str(started.port), "-U", postgres.OWNER)
    try:
        postgres.run("psql", *arguments, "-d", "postgres", "-f", str(own / "roles.sql"))
    finally:
        del os.environ["PASSWORDS"]


def cache(folder: Path, port: int) -> Path:
    """The example redis.conf with this machine's port and files."""
    text = (EXAMPLES / "redis.conf").read_text()
    text = text.replace("/run/desk/cache.", f"{folder}/tls/localhost.")
    text = text.replace("/run/desk/ca.pem", f"{folder}/tls/ca.pem")
    text = text.replace("/run/desk/users.acl", f"{folder}/secrets/cache/users.acl")
    assert "/run/desk" not in re.sub("(?m)^#.*", "", text)
    adapted = folder / "redis.conf"
    adapted.write_text(text.replace("tls-port 6379", f"tls-port {port}"))
    return adapted
