"""Backs up the database to a file and restores it. The encryption keys are never part of a backup,
nor are the sessions, whose keys would let anyone who reads a fresh one in.

Restored data is older than the service. Everyone is signed out, which also ends every form opened
since, and password links expire; writes in progress become Not sure; jobs, deletions and emails are
held until their person continues them.
"""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from datetime import timedelta
from errno import EEXIST
from pathlib import Path
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from dashboard.administration.models import Backup
from dashboard.jobs.leases import RUNNABLE
from dashboard.jobs.models import Job
from dashboard.people import mails
from dashboard.people.models import User
from dashboard.writes.models import Write

MIGRATIONS = "django_migrations"  # a table of every database of ours
UPGRADE_COPY_RETENTION = timedelta(days=30)
SESSIONS = (Session._meta.db_table, UserSession._meta.db_table)
DROP_TABLES = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('DROP TABLE %I CASCADE', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() LOOP
    EXECUTE format('DROP SEQUENCE %I CASCADE', name);
  END LOOP;
  FOR name IN SELECT oid::regprocedure FROM pg_proc
      WHERE pronamespace = current_schema()::regnamespace
      AND oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e') LOOP
    EXECUTE 'DROP ROUTINE ' || name || ' CASCADE';
  END LOOP;
  FOR name IN SELECT oid::regtype FROM pg_type
      WHERE typnamespace = current_schema()::regnamespace AND typtype IN ('c', 'd', 'e', 'r')
      AND typrelid NOT IN (SELECT oid FROM pg_class WHERE relkind <> 'c')
      AND oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e') LOOP
    EXECUTE 'DROP TYPE IF EXISTS ' || name || ' CASCADE';
  END LOOP;
END $$
"""
RESTORED = "Entry Desk was restored from an older copy, so it may have been sent already. Check."


class BackupFailed(Exception):  # noqa: N818
    """The backup could not be made or read; the message says why."""


def backup(path: Path) -> None:
    """Write a backup of the database, readable for its owner alone, while the site runs. Raises
    BackupFailed, also if the file exists. The file exists only when it is complete and was
    verified.
    """
    if MIGRATIONS not in connection.introspection.table_names():
        raise BackupFailed("The database is empty. Is DATABASE_URL that of the site?")
    part = path.with_name(f"{path.name}.part")
    try:
        if path.exists():
            raise FileExistsError(EEXIST, os.strerror(EEXIST))
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise BackupFailed(f"{path}: {error.strerror}") from None
    try:
        _copy(part)
        _check(part)
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def backup_into(folder: Path, keep: int) -> Path:
    """Write a backup into the folder and record it. Then delete older backups except the newest
    `keep`, and old ones of upgrades. Raises BackupFailed.
    """
    now = timezone.now()
    path = folder / f"entry-desk-{now:%Y%m%d-%H%M%S}.backup"
    backup(path)
    Backup.objects.update_or_create(pk=1, defaults={"made_at": now})
    for old in sorted(folder.glob("entry-desk-*.backup"))[:-keep]:
        old.unlink()
    for unfinished in folder.glob("entry-desk-*.backup.part"):  # of runs that were killed
        unfinished.unlink()
    for before in folder.glob("before-*.backup*"):
        if before.stat().st_mtime < (now - UPGRADE_COPY_RETENTION).timestamp():
            before.unlink()
    return path


def _copy(path: Path) -> None:
    if connection.vendor != "sqlite":
        without = [f"--exclude-table-data={table}" for table in SESSIONS]
        _run("pg_dump", "--format=custom", *without, "--file", str(path))
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(path)])
        with closing(sqlite3.connect(path)) as copy:
            for table in SESSIONS:
                copy.execute(f"DELETE FROM {table}")  # noqa: S608 # nosec B608 - a constant
            copy.commit()
            copy.execute("VACUUM")  # deleted rows stay in the file until then
    except (DatabaseError, sqlite3.Error) as error:  # the disk is full, for instance
        raise BackupFailed(f"{path}: {error}") from None


def _check(path: Path) -> None:
    if connection.vendor != "sqlite":
        _run("pg_restore", "--file", os.devnull, str(path))  # reads it to the end
        return
    try:
        with closing(_opened(path)) as copy:
            if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise BackupFailed(f"{path} is damaged.")
            copy.execute(f"SELECT 1 FROM {MIGRATIONS}")  # noqa: S608 # nosec B608 - a constant
    except sqlite3.Error as error:
        raise BackupFailed(f"{path}: {error}") from None


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def restore(path: Path) -> dict[str, int]:
    """Replace the database with the backup, migrate it, and mark what may have happened since;
    return the counts. Stop the site and its workers before. Raises BackupFailed.
    """
    if not path.is_file():
        raise BackupFailed(f"{path} does not exist.")
    if connection.vendor == "sqlite":
        _restore_sqlite(path)
    else:
        _restore_postgresql(path)
    call_command("migrate", verbosity=0)
    return note_restored()


@transaction.atomic
def note_restored() -> dict[str, int]:
    waiting = DBTaskResult.objects.exclude(
        status__in=(TaskResultStatus.SUCCESSFUL, TaskResultStatus.FAILED)
    )
    sending = Write.objects.filter(state=Write.State.SENDING)
    reading = sending.filter(sent_at__isnull=True)
    reading.filter(job=None, not_before=None).delete()  # forms, whose drafts are kept
    reading.update(state=Write.State.WAITING)
    UserSession.objects.all().delete()
    return {
        "accounts with expired password links": _end_links(),
        "sessions ended": Session.objects.all().delete()[0],
        "writes not sure": sending.update(state=Write.State.NOT_SURE, done_at=Now()),
        "jobs paused": Job.objects.filter(state__in=RUNNABLE).update(
            state=Job.State.PAUSED, reason=RESTORED, lease_until=None, active_key=None
        ),
        "emails on hold": mails.waiting().update(next_try=None, error="Restored from a backup"),
        "tasks deleted": waiting.delete()[0],
    }


def _end_links() -> int:
    """Expire the password links, some of which were used or replaced since; return the number of
    accounts. The links sign the password and the last sign-in.
    """
    invited = User.objects.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    for person in invited:
        person.set_unusable_password()
    User.objects.bulk_update(invited, ["password"])
    joined = Coalesce("last_login", "date_joined")
    others = User.objects.exclude(pk__in=[person.pk for person in invited])
    return len(invited) + others.update(last_login=joined + timedelta(seconds=1))


def _restore_postgresql(path: Path) -> None:
    """Restore in one transaction. Drop all our tables first: pg_restore drops only those in the
    backup, and a later release may have others that refer to them.
    """
    with tempfile.TemporaryDirectory() as folder:  # readable for its owner alone
        script = str(Path(folder) / "copy.sql")
        _run("pg_restore", "--no-owner", "--file", script, str(path))
        _run("psql", "--no-psqlrc", "--quiet", "--single-transaction",
             "--set", "ON_ERROR_STOP=1", "--command", DROP_TABLES, "--file", script)  # fmt: skip


def _restore_sqlite(path: Path) -> None:
    _check(path)
    connection.close()
    name = str(connection.settings_dict["NAME"])
    try:
        with closing(_opened(path)) as copy, closing(sqlite3.connect(name)) as live:
            copy.backup(live)
    except sqlite3.Error as error:
        raise BackupFailed(f"{path}: {error}") from None


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL. The password is not an argument, which other accounts
    could see.
    """
    path = shutil.which(program)
    if path is None:
        raise BackupFailed(f"{program} is not installed.")
    connection.close()
    done = subprocess.run(  # noqa: S603
        [path, *arguments], env={**os.environ, **_address()}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise BackupFailed(f"{program}: {done.stderr.strip()}")


def _address() -> dict[str, str]:
    names = {"NAME": "PGDATABASE", "USER": "PGUSER", "PASSWORD": "PGPASSWORD", "HOST": "PGHOST"}
    names["PORT"] = "PGPORT"
    names |= {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT"}
    configured: dict[str, Any] = {**connection.settings_dict, **connection.settings_dict["OPTIONS"]}
    return {name: str(configured[key]) for key, name in names.items() if configured.get(key)}
