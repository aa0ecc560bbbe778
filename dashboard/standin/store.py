"""The records, in SQLite: one table per resource.

A row has the record as JSON, a column for each field that lists show or filter by (see
`schema.Resource.columns`), and the searched text case-folded. Every such column has an index that
starts with the workspace, so that a page of a million records is found without a scan.

Names of tables and columns in SQL are those of the declarations (`nosec B608`); values are bound.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import LifoQueue
from typing import Any

from .resources import RESOURCES
from .schema import Record, Resource

Condition = tuple[str, Any]
READERS = 8
TYPES = {"integer": "INTEGER", "number": "REAL"}
TEXT = "TEXT COLLATE NOCASE"


def dumps(value: Any) -> str:
    """Compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Store:
    """All records of all workspaces. `path` None keeps them in memory."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or ":memory:"
        self.version = 0  # increases with every write; caches are valid for one version
        self._totals: dict[Any, tuple[int, int]] = {}
        self._local = threading.local()
        self._writer: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._writer.put(self._open())
        self._readers = self._writer
        if path:
            self._readers = LifoQueue()
            for _ in range(READERS):
                self._readers.put(self._open())
        with self.transaction() as db:
            self._create(db)

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA temp_store = MEMORY")
        return db

    def _create(self, db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT)")
        for resource in RESOURCES.values():
            columns = "".join(f", {f.name} {TYPES.get(f.kind, TEXT)}" for f in resource.columns)
            db.execute(
                f"CREATE TABLE IF NOT EXISTS {resource.name} (id INTEGER PRIMARY KEY"
                f" AUTOINCREMENT, workspace TEXT, search TEXT, body TEXT{columns})"
            )
            self._add_missing_columns(db, resource)

    def _add_missing_columns(self, db: sqlite3.Connection, resource: Resource) -> None:
        """Add columns to a file made before their fields were declared, filled from the JSON."""
        known = {row[1] for row in db.execute(f"PRAGMA table_info({resource.name})")}
        for field in resource.columns:
            if field.name not in known:
                kind = TYPES.get(field.kind, TEXT)
                db.execute(f"ALTER TABLE {resource.name} ADD COLUMN {field.name} {kind}")
                db.execute(
                    f"UPDATE {resource.name} SET {field.name}"  # nosec B608
                    f" = json_extract(body, '$.{field.name}')"
                )

    @property
    def in_memory(self) -> bool:
        return self.path == ":memory:"

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for reads: that of this thread's transaction, else one of the pool."""
        current: sqlite3.Connection | None = getattr(self._local, "db", None)
        if current is not None:
            yield current
            return
        db = self._readers.get()
        try:
            yield db
        finally:
            self._readers.put(db)

    @contextmanager
    def transaction(self, *, commit: bool = True) -> Iterator[sqlite3.Connection]:
        """Yield a write transaction, one at a time. If `commit` is false it is rolled back at the
        end.
        """
        db = self._writer.get()
        self._local.db = db
        finish = "ROLLBACK"
        try:
            db.execute("BEGIN IMMEDIATE")
            yield db
            finish = "COMMIT" if commit else "ROLLBACK"
        finally:
            if db.in_transaction:
                db.execute(finish)
            self._local.db = None
            self.version += 1
            self._totals.clear()
            self._writer.put(db)

    # reading

    def page(
        self, resource: Resource, conditions: list[Condition], order: str, limit: int, offset: int
    ) -> list[tuple[Any, ...]]:
        """Rows of a list: the values of `resource.listed`, in that order."""
        where = " AND ".join(text for text, _ in conditions)
        names = ", ".join(f.name for f in resource.listed if f.name != resource.id_field)
        chosen = f"SELECT id FROM {resource.name} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # nosec B608
        query = f"SELECT id, {names} FROM {resource.name} WHERE id IN ({chosen}) ORDER BY {order}"  # nosec B608
        with self._reading() as db:
            return db.execute(query, [*(v for _, v in conditions), limit, offset]).fetchall()

    def total(self, resource: Resource, conditions: list[Condition]) -> int:
        """Return the number of records that meet `conditions`; cached until the next write."""
        key = (resource.name, *conditions)
        version = self.version
        known = self._totals.get(key)
        if known is not None and known[0] == version:
            return known[1]
        where = " AND ".join(text for text, _ in conditions)
        query = f"SELECT count(*) FROM {resource.name} WHERE {where}"  # nosec B608
        with self._reading() as db:
            total: int = db.execute(query, [v for _, v in conditions]).fetchone()[0]
        self._totals[key] = (version, total)
        return total

    def get(self, resource: Resource, record_id: int) -> tuple[str, Record] | None:
        """Return the workspace and the record, or None."""
        query = f"SELECT workspace, body FROM {resource.name} WHERE id = ?"  # nosec B608
        with self._reading() as db:
            row = db.execute(query, (record_id,)).fetchone()
        if row is None:
            return None
        return row[0], {resource.id_field: record_id, **json.loads(row[1])}

    def exists(self, name: str, workspace: str, record_id: int) -> bool:
        """Return whether a workspace has that record."""
        query = f"SELECT 1 FROM {name} WHERE id = ? AND workspace = ?"  # nosec B608
        with self._reading() as db:
            return db.execute(query, (record_id, workspace)).fetchone() is not None

    # writing, inside a transaction

    def insert(self, resource: Resource, workspace: str, record: Record) -> int:
        """Add a record and return its id."""
        return self.insert_many(resource, workspace, [record])

    def insert_many(self, resource: Resource, workspace: str, records: Iterable[Record]) -> int:
        """Add records and return the id of the last."""
        names = [field.name for field in resource.columns]
        marks = ", ".join("?" * (len(names) + 3))
        statement = (
            f"INSERT INTO {resource.name} (workspace, search, body, {', '.join(names)})"  # nosec B608
            f" VALUES ({marks})"
        )
        rows = ((workspace, *_stored(resource, names, record)) for record in records)
        with self._reading() as db:
            db.executemany(statement, rows)
            last: int = db.execute("SELECT last_insert_rowid()").fetchone()[0]
        return last

    def last_id(self, resource: Resource) -> int:
        """Return the highest id used so far."""
        with self._reading() as db:
            query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
            return int(db.execute(query, (resource.name,)).fetchone()[0])

    def replace(self, resource: Resource, record_id: int, record: Record) -> None:
        """Replace the record with that id by `record`."""
        names = [field.name for field in resource.columns]
        marks = ", ".join(f"{name} = ?" for name in ("search", "body", *names))
        statement = f"UPDATE {resource.name} SET {marks} WHERE id = ?"  # nosec B608
        with self._reading() as db:
            db.execute(statement, (*_stored(resource, names, record), record_id))

    def remove(self, resource: Resource, record_id: int) -> None:
        """Delete a record; its id is never used again."""
        with self._reading() as db:
            db.execute(f"DELETE FROM {resource.name} WHERE id = ?", (record_id,))  # nosec B608

    def create_indexes(self) -> None:
        """Create every index; after the inserts of the seed this is several times faster."""
        with self._reading() as db:
            for resource in RESOURCES.values():
                filters = {f.column for f in resource.filters}
                wanted = {f.name for f in resource.columns} | filters | {"search"}
                for number, column in enumerate(sorted(wanted)):
                    label = column if column.isidentifier() else f"expression{number}"
                    db.execute(
                        f"CREATE INDEX IF NOT EXISTS {resource.name}_{label}"
                        f" ON {resource.name} (workspace, {column})"
                    )
            db.execute("ANALYZE")

    def clear(self) -> None:
        """Delete everything, indexes included, and restart the ids."""
        with self._reading() as db:
            for name in ("meta", *RESOURCES):
                db.execute(f"DROP TABLE {name}")
            self._create(db)
            for resource in RESOURCES.values():
                first = (resource.name, resource.first_id - 1)
                db.execute("DELETE FROM sqlite_sequence WHERE name = ?", first[:1])
                db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", first)

    def copy(self, version: int) -> sqlite3.Connection | None:
        """Everything as of this version, in memory, for `restore`; None if it is newer by now."""
        db = self._writer.get()
        try:
            if self.version != version:
                return None
            copy = sqlite3.connect(":memory:", check_same_thread=False)
            db.backup(copy)
            return copy
        finally:
            self._writer.put(db)

    def restore(self, copy: sqlite3.Connection) -> int:
        """Replace everything by what `copy` returned; returns the version then."""
        with self.transaction() as db:
            db.execute("ROLLBACK")  # a copy is written outside of a transaction
            copy.backup(db)
            return self.version + 1

    def meta(self, name: str, default: str = "") -> str:
        """Return the text stored under `name`, such as a counter."""
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else default

    def set_meta(self, name: str, value: str) -> None:
        """Store a text under `name`."""
        with self._reading() as db:
            db.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Close every connection that is not in use."""
        for pool in {id(p): p for p in (self._writer, self._readers)}.values():
            while not pool.empty():
                pool.get().close()


def _stored(resource: Resource, names: list[str], record: Record) -> tuple[Any, ...]:
    search = "\n".join(str(record.get(name) or "") for name in resource.search).casefold()
    return (search, dumps(record), *(record.get(name) for name in names))
