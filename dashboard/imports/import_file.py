"""Stores an imported file, its table and its settings."""

import json
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.core.sealed import readable, sealed_text
from dashboard.imports.models import Import
from dashboard.imports.targets import JOIN, Target, columns_of, targets_of
from dashboard.people.models import User
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.tables.cells import Guess, Row, cell_as_json, cell_from_json
from dashboard.tables.reading import ReadTable, TableChoices, TableColumn
from dashboard.text.plain import folded

PASTED, LOST = "Pasted cells", "A file that we can't open any more"
SKIP, CREATE, UPDATE = "skip", "create", "update"


@dataclass
class ImportSettings(TableChoices):
    """The choices of a person. Column and row numbers are texts, as keys are in JSON.

    `name`: of the file, encrypted as it may name a customer; "" for pasted text. `fields`: the
    field that each column goes to, "" for none; None until they are guessed. `edits`: texts by
    field for each row. `excluded`: the numbers of excluded rows, `included` those of rows that look
    like a total but are none. `on_existing`: the action for existing records, SKIP, CREATE or
    UPDATE. `means`: by field, the list entries that texts stand for. `defaults`: values of fields
    without a column. `answers`: how a column is read, by kind of question (questions.py).
    `same_as`: by row, the id of the record that it changes although other values differ.
    `guessed_price`: the column that only its numbers make the price, "" for none.
    """

    fields: dict[str, str] | None = None
    edits: dict[str, dict[str, str]] = field(default_factory=dict)
    excluded: list[int] = field(default_factory=list)
    on_existing: str = SKIP
    name: str = ""
    means: dict[str, dict[str, str]] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    included: list[int] = field(default_factory=list)
    same_as: dict[str, str] = field(default_factory=dict)
    guessed_price: str = ""


@dataclass(frozen=True)
class ImportFile:
    stored: Import
    settings: ImportSettings
    table: ReadTable

    @property
    def resource(self) -> Resource:
        return RESOURCES[self.stored.resource]

    @property
    def fields(self) -> dict[str, str]:
        return self.settings.fields or {}

    @cached_property
    def columns(self) -> dict[str, tuple[int, ...]]:
        return columns_of(self.targets, self.fields, len(self.table.columns))

    @cached_property
    def targets(self) -> dict[str, Target]:
        joins = {
            self.fields[index]: kinds[JOIN]
            for index, kinds in self.settings.answers.items()
            if kinds.get(JOIN) and index in self.fields
        }
        return targets_of(self.resource, self.stored.workspace, joins)


def create(
    person: User,
    workspace: str,
    resource: str,
    file_name: str,
    content: bytes | str,
    token: str = "",
) -> Import:
    """Store a file or pasted text. `token`: of its form, "" for none. Raises django.db.Error, and
    django.db.IntegrityError if this form has submitted this file before.
    """
    kind = "text" if isinstance(content, str) else "file"
    text = content if isinstance(content, str) else b64encode(content).decode()
    with transaction.atomic():  # what is sealed names the row
        found = Import.objects.create(
            person=person,
            workspace=workspace,
            resource=resource,
            upload_digest=upload_digest(person, token, content),
        )
        found.content = {kind: text}
        found.settings = asdict(ImportSettings(name=file_name[:200]))
        found.save(update_fields=["content", "settings"])
    return found


def upload_digest(person: User, token: str, content: bytes | str) -> str | None:
    """Return an equal digest for the same form and file, which reveals nothing about the file."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    return sha256(f"{person.pk} {token} ".encode() + data).hexdigest() if token else None


def of_person(person: User, workspace: str) -> QuerySet[Import]:
    return _all_of(person, workspace).filter(discarded_at=None)


def open_ones(person: User, workspace: str) -> QuerySet[Import]:
    unsent_ones = of_person(person, workspace).filter(job=None)
    return unsent_ones.defer("content", "table").order_by("-updated_at")


def name_of(found: Import) -> str:
    return readable(found, "settings").get("name", LOST) or PASTED


def content_of(found: Import) -> bytes | str:
    stored = found.content
    if "text" in stored:
        return str(stored["text"])
    return b64decode(stored["file"])


def settings_of(found: Import) -> ImportSettings:
    return ImportSettings(**found.settings) if sealed_text(found, "settings") else ImportSettings()


def store(found: Import, settings: ImportSettings, table: ReadTable | None = None) -> None:
    """Store the settings and the headings of the table, unless another request has sent or
    discarded the file. Raises django.db.Error.
    """
    found.settings = asdict(settings)
    values = {"settings": sealed_text(found, "settings"), "updated_at": timezone.now()}
    if table:
        values["headings"] = digest(table)
    unsent(found).update(**values)


def lock(found: Import) -> Import | None:
    """Lock the row for the rest of the transaction; None if the file was sent or discarded."""
    return unsent(found).select_for_update().first()


def discard(found: Import) -> None:
    """Discard a file, unless another request has sent it; it can be restored for a day. Its form
    may submit it again.
    """
    unsent(found).update(discarded_at=Now(), upload_digest=None)


def put_back(person: User, workspace: str, pk: int) -> bool:
    discarded = _all_of(person, workspace).filter(pk=pk, discarded_at__isnull=False)
    return bool(discarded.update(discarded_at=None, updated_at=timezone.now()))


def _all_of(person: User, workspace: str) -> QuerySet[Import]:
    return Import.objects.filter(person=person, workspace=workspace)


def unsent(found: Import) -> QuerySet[Import]:
    return Import.objects.filter(pk=found.pk, job=None, discarded_at=None)


def digest(table: ReadTable) -> str:
    titles = json.dumps([folded(column.title) for column in table.columns])
    return sha256(titles.encode("utf-8", "replace")).hexdigest()


def last_columns(
    found: Import, table: ReadTable
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the fields of the columns in this person's last file with the same headings, and the
    answers about them; ({}, {}) for none.
    """
    others = Import.objects.filter(
        person=found.person_id,
        resource=found.resource,
        headings=digest(table),
        discarded_at=None,
    ).exclude(pk=found.pk)
    last = others.order_by("-updated_at").first()
    kept = readable(last, "settings") if last else {}
    return kept.get("fields") or {}, kept.get("answers") or {}


def reading_options(settings: ImportSettings) -> list[Any]:
    """Return the settings that require a new read when they change."""
    return [getattr(settings, option.name) for option in fields(TableChoices)]


def table_as_json(table: ReadTable | str) -> dict[str, Any]:
    """Return a table, or the reason if it is unreadable, for `Import.table`."""
    if isinstance(table, str):
        return {"refusal": table}
    rows = [[row.number, *map(cell_as_json, row.cells)] for row in table.rows]
    return {**asdict(replace(table, rows=())), "rows": rows}


def load_table(found: Import) -> ReadTable | str | None:
    """Return the table as read, the reason if it is unreadable, or None if it is not read yet.
    Raises sealed.DecryptionError.
    """
    if not sealed_text(found, "table"):
        return None
    head = found.table
    if "refusal" in head:
        return str(head["refusal"])
    columns = [
        TableColumn(column["title"], Guess(**column["mark"]), Guess(**column["order"]))
        for column in head["columns"]
    ]
    guesses = {
        name: head[name] and Guess(**head[name]) for name in ("encoding", "separator", "header")
    }
    rows = (Row(number, tuple(map(cell_from_json, cells))) for number, *cells in head["rows"])
    return ReadTable(**{**head, **guesses, "rows": tuple(rows), "columns": tuple(columns)})
