"""The site with PostgreSQL and Redis of the examples: verified TLS, accounts with few rights."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest
from django.core.cache import CacheHandler

from tests import postgres, redis_server
from tests.deploy.installed import EXAMPLES, Deployment, deployment
from tests.test_gunicorn import started
from tests.test_settings import COMPLETE, load

PASSWORD = "correct horse battery"
CHANGES_OF_TABLES = (
    "CREATE TABLE mine (id int)",
    "ALTER TABLE people_user ADD COLUMN mine int",
    "GRANT desk_owner TO desk",
)


# As the account of the site: an administrator, a task and its worker, copies of the database.
WORK = """
from django.core.management import call_command
from django.db import Error, connection
from dashboard.administration.backups import BackupFailed, backup

call_command("collectstatic", "--noinput", verbosity=0)
call_command("createsuperuser", "--noinput", verbosity=0)
call_command("tidy", "--daily")
call_command("db_worker", "--batch", "--interval", "0")
backup(PATH / "copy")
connection.settings_dict["OPTIONS"]["sslrootcert"] = str(PATH / "foreign/ca.pem")
try:
    backup(PATH / "second")
except (BackupFailed, Error) as error:
    print(error)
"""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory) -> Iterator[Deployment]:
    """Migrated by the account that owns the tables."""
    postgres.need()
    redis_server.need()
    with deployment(tmp_path_factory.mktemp("deployment")) as made:
        made.manage("--owner", "migrate", "-v", "0")
        yield made


def rows(deployed: Deployment, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(deployed.secret("DATABASE_URL")) as connection:
        return connection.execute(query).fetchall()


def test_pages_jobs_and_copies_work_with_the_account_of_the_site(deployed):
    names = {"USERNAME": "root", "EMAIL": "root@example.test", "PASSWORD": PASSWORD}
    person = {f"DJANGO_SUPERUSER_{name}": value for name, value in names.items()}
    program = f"from pathlib import Path; PATH = Path({str(deployed.folder)!r}); {WORK}"
    printed = deployed.manage("shell", "-v", "0", "-c", program, **person)
    done = "SELECT status FROM django_tasks_database_dbtaskresult WHERE finished_at IS NOT NULL"
    assert set(rows(deployed, done)) == {("SUCCESSFUL",)}
    assert (deployed.folder / "copy").stat().st_size > 0
    assert "certificate verify failed" in printed
    with started("dashboard.wsgi", "--workers", "1", **deployed.environment) as (port, _):
        signs_in_and_looks(f"http://127.0.0.1:{port}")
        encrypted = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
        found = rows(deployed, f"{encrypted} WHERE usename = 'desk'")
    assert len(found) > 1  # that of this query and those of the site
    assert set(found) == {(True,)}
    deployed.manage("--owner", "restore", str(deployed.folder / "copy"), "--replace")
    assert rows(deployed, "UPDATE people_user SET last_login = NULL RETURNING username") == [
        ("root",)
    ]


def signs_in_and_looks(url: str) -> None:
    with httpx.Client(base_url=url, follow_redirects=True, timeout=30) as person:
        page = person.get("/accounts/login/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        typed = {"login": "root", "password": PASSWORD, "csrfmiddlewaretoken": token}
        assert person.post("/accounts/login/", data=typed).status_code == 200
        assert "root@example.test" in person.get("/staff/").text
        assert person.get("/readyz").status_code == 200


def test_commands_by_hand_leave_the_home_of_root_alone(deployed, tmp_path):
    (tmp_path / ".postgresql").mkdir()
    (tmp_path / ".postgresql/postgresql.crt").write_text("not a certificate")
    program = "from django.db import connection; connection.ensure_connection()"
    deployed.manage("shell", "-v", "0", "-c", program, HOME=str(tmp_path))


def test_no_account_is_made_without_its_password():
    postgres.need()
    with postgres.stoppable() as empty:
        script = shutil.copy(EXAMPLES / "roles.sql", empty.folder)
        (empty.folder / "roles.sql").chmod(0o644)
        with pytest.raises(subprocess.CalledProcessError):
            postgres.run("psql", "-q", empty.url, "-f", script)  # without PASSWORDS
        with psycopg.connect(empty.url) as connection:
            found = connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'desk%'")
            assert found.fetchall() == []


@pytest.mark.parametrize("statement", CHANGES_OF_TABLES)
def test_the_account_of_the_site_changes_no_table(deployed, statement):
    with (
        psycopg.connect(deployed.secret("DATABASE_URL")) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("/tls/ca.pem", "/foreign/ca.pem", "certificate verify failed"),
        ("@localhost", "@127.0.0.1", 'does not match host name "127.0.0.1"'),
        ("sslmode=verify-full", "sslmode=disable", "no encryption"),
    ],
)
def test_no_connection_is_made_to_a_database_that_is_not_ours(deployed, before, after, refused):
    url = deployed.secret("DATABASE_URL")
    assert before in url
    with pytest.raises(psycopg.OperationalError, match=refused):
        psycopg.connect(url.replace(before, after))


def cache_at(url: str) -> Any:
    """The cache of the settings at this address, which tells why it fails."""
    caches = ast.literal_eval(load({**COMPLETE, "CACHE_URL": url}, "settings.CACHES").stdout)
    caches["default"]["OPTIONS"]["IGNORE_EXCEPTIONS"] = False
    return CacheHandler(caches)["default"]


def test_the_cache_of_the_site_keeps_values_and_takes_no_commands_of_operators(deployed):
    cache = cache_at(deployed.secret("CACHE_URL"))
    cache.set_many({"a": 1, "b": 2}, 60)
    assert (cache.add("a", 3), cache.incr("a"), cache.get("b")) == (False, 2, 2)
    with pytest.raises(Exception, match="no permissions to run the 'flushdb'"):
        cache.clear()


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("/tls/ca.pem", "/foreign/ca.pem", "certificate verify failed"),
        ("@localhost", "@127.0.0.1", "IP address mismatch|doesn't match"),
        ("rediss://desk:", "rediss://:", "invalid username-password|NOAUTH|WRONGPASS"),
    ],
)
def test_no_value_goes_to_a_cache_that_is_not_ours(deployed, before, after, refused):
    url = deployed.secret("CACHE_URL")
    assert before in url
    anew = url.replace(before, after).replace("/0?", "/1?")  # connections are kept for each address
    with pytest.raises(Exception, match=refused):
        cache_at(anew).set("a", 1)
