"""The files of an SQLite database are readable for their own account alone."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.test_settings import COMPLETE

CREATE = "from django.db import connection; connection.cursor().execute('CREATE TABLE a (b)')"


@pytest.mark.parametrize("before", [None, pytest.param(0o644, marks=pytest.mark.slow)])
def test_a_database_is_private_from_its_first_use(tmp_path, before):
    path = tmp_path / "db.sqlite3"
    if before:
        path.touch(before)
    environment = {"PATH": os.environ["PATH"], **COMPLETE, "DATABASE_URL": f"sqlite:///{path}"}
    command = [sys.executable, "manage.py", "shell", "-c", CREATE]
    subprocess.run(
        ["/bin/sh", "-c", 'umask 022; exec "$@"', "sh", *command],
        cwd=settings.BASE_DIR, env=environment, check=True,
    )  # fmt: skip
    assert path.stat().st_size
    assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}
