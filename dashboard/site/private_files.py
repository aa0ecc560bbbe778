"""Keeps the files of an SQLite database from other accounts of the machine."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

PRIVATE = 0o600


def keep_private(*, connection: BaseDatabaseWrapper, **details: Any) -> None:
    """Receives `connection_created`. SQLite gives its -wal and -shm files the same mode."""
    if connection.vendor != "sqlite":
        return
    path = Path(connection.settings_dict["NAME"])
    with suppress(OSError):  # in memory, or another account's
        if path.stat().st_mode & 0o077:
            path.chmod(PRIVATE)
