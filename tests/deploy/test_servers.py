"""The site with PostgreSQL and Redis of the examples: few rights, and verified TLS."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest
from django.core.cache import CacheHandler

from tests import postgres, redis_server
from tests.deploy.installed import OWNER, Deployment, deployment
from tests.test_gunicorn import started
from tests.test_settings import COMPLETE, load

PASSWORD = "correct horse battery"
CHANGES_OF_TABLES = (
    "CREATE TABLE mine (id int)",
    "ALTER TABLE people_user ADD COLUMN mine int",
    'GRANT "entry-desk-owner" TO "entry-desk"',
)


# As the account of the site: an administrator, a task and its worker, a copy of the database.
WORK = """
from django.core.management import call_command
from dashboard.administration.backups import backup

call_command("collectstatic", "--noinput", verbosity=0)
call_command("createsuperuser", "--noinput", verbosity=0)
call_command("tidy", "--daily")
call_command("db_worker", "--batch", "--interval", "0")
backup(PATH / "copy")
"""
# With the address of PostgreSQL's server that is verified: its programs verify it, too.
COPY = """
from django.db import Error, connection
from dashboard.administration.backups import BackupFailed, backup

backup(PATH / "over-tls")
connection.ensure_connection()  # what then fails is pg_dump
connection.settings_dict["OPTIONS"]["sslrootcert"] = str(PATH / "foreign.pem")
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
        made.manage("migrate", "-v", "0", account=OWNER)
        yield made


def rows(deployed: Deployment, query: str) -> list[tuple[Any, ...]]:
    with deployed.connect() as connection:
        return connection.execute(query).fetchall()


def test_pages_jobs_and_copies_work_with_the_account_of_the_site(deployed):
    names = {"USERNAME": "root", "EMAIL": "root@example.test", "PASSWORD": PASSWORD}
    person = {f"DJANGO_SUPERUSER_{name}": value for name, value in names.items()}
    program = f"from pathlib import Path; PATH = Path({str(deployed.folder)!r}); {WORK}"
    deployed.manage("shell", "-v", "0", "-c", program, **person)
    done = "SELECT status FROM django_tasks_database_dbtaskresult WHERE finished_at IS NOT NULL"
    assert set(rows(deployed, done)) == {("SUCCESSFUL",)}
    assert (deployed.folder / "copy").stat().st_size > 0
    with started("dashboard.wsgi", "--workers", "1", **deployed.environment()) as (port, _):
        signs_in_and_looks(f"http://127.0.0.1:{port}")
    copy = str(deployed.folder / "copy")
    deployed.manage("restore", copy, "--replace", account=OWNER)
    assert rows(deployed, "UPDATE people_user SET last_login = NULL RETURNING username") == [
        ("root",)
    ]


def test_a_copy_is_made_over_verified_tls(deployed):
    program = f"from pathlib import Path; PATH = Path({str(deployed.folder)!r}); {COPY}"
    environment = {"DATABASE_URL": deployed.database_over_tls, "CACHE_URL": deployed.cache_over_tls}
    printed = deployed.manage("shell", "-v", "0", "-c", program, **environment)
    assert (deployed.folder / "over-tls").stat().st_size > 0
    assert "certificate verify failed" in printed


def signs_in_and_looks(url: str) -> None:
    with httpx.Client(base_url=url, follow_redirects=True, timeout=30) as person:
        page = person.get("/accounts/login/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
        typed = {"login": "root", "password": PASSWORD, "csrfmiddlewaretoken": token}
        assert person.post("/accounts/login/", data=typed).status_code == 200
        assert "root@example.test" in person.get("/staff/").text
        assert person.get("/readyz").status_code == 200


@pytest.mark.parametrize("statement", CHANGES_OF_TABLES)
def test_the_account_of_the_site_changes_no_table(deployed, statement):
    with (
        deployed.connect() as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("/tls.pem", "/foreign.pem", "certificate verify failed"),
        ("@localhost", "@127.0.0.1", 'does not match host name "127.0.0.1"'),
        ("sslmode=verify-full", "sslmode=disable", "no encryption"),
    ],
)
def test_no_connection_is_made_to_a_database_that_is_not_ours(deployed, before, after, refused):
    url = deployed.database_over_tls
    assert before in url
    with pytest.raises(psycopg.OperationalError, match=refused):
        psycopg.connect(url.replace(before, after))


def cache_at(url: str) -> Any:
    """The cache of the settings at this address, which tells why it fails."""
    caches = ast.literal_eval(load({**COMPLETE, "CACHE_URL": url}, "settings.CACHES").stdout)
    caches["default"]["OPTIONS"]["IGNORE_EXCEPTIONS"] = False
    return CacheHandler(caches)["default"]


def test_the_cache_of_the_site_keeps_values_and_takes_no_commands_of_operators(deployed):
    cache = cache_at(deployed.environment()["CACHE_URL"])
    cache.set_many({"a": 1, "b": 2}, 60)
    assert (cache.add("a", 3), cache.incr("a"), cache.get("b")) == (False, 2, 2)
    with pytest.raises(Exception, match="no permissions to run the 'flushdb'"):
        cache.clear()


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("/tls.pem", "/foreign.pem", "certificate verify failed"),
        ("//localhost", "//127.0.0.1", "IP address mismatch|doesn't match"),
    ],
)
def test_no_value_goes_to_a_cache_that_is_not_ours(deployed, before, after, refused):
    url = deployed.cache_over_tls
    assert before in url
    anew = url.replace(before, after).replace("/0?", "/1?")  # connections are kept for each address
    with pytest.raises(Exception, match=refused):
        cache_at(anew).set("a", 1)
