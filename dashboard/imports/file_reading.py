"""Reads a file that is to be imported: once, by a worker, one file of a person at a time.

The worker runs one task at a time. A task whose worker was killed is lost; another one that was
enqueued with it for the time when the lease has ended reads the file then, as does the page of the
file when it is opened more than a minute after the file was asked for.
"""

import logging
from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django_tasks import task

from dashboard import resources, sealed
from dashboard.accounts.models import User
from dashboard.accounts.permissions import EXPORT_RECORDS
from dashboard.context import style_of
from dashboard.imports import columns, storage, stored_table
from dashboard.imports.models import Import
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.reading import ReadTable, read_table

logger = logging.getLogger(__name__)

MOST_ROWS = 5_000  # of one import
MOST_TYPED = 50  # of a person who may not import files
TOO_MANY = "There are more than {:,} rows: divide the table."
LOST = "This file can no longer be opened. Discard it, and choose it once more."
BROKEN = (
    "Not read: Entry Desk had an error. An administrator finds the details in the worker's log."
)
LEASE = timedelta(minutes=2)
LATER = timedelta(seconds=2)  # until a file is tried again whose person has another one read
SOON = timedelta(minutes=1)  # in which a worker takes a file, if any runs


@transaction.atomic
def ask(found: Import) -> None:
    """Let a worker read the file anew. Raises django.db.Error."""
    mine = Import.objects.filter(pk=found.pk)
    mine.update(table="", asked=F("asked") + 1, asked_at=Now(), reads=None, read_until=None)
    found.refresh_from_db(fields=["table", "asked", "asked_at", "reads", "read_until"])
    enqueue(found)


def enqueue(found: Import) -> None:
    """Enqueue the reading of a file that was asked for, now and after the lease of this one."""
    read_file.enqueue(found.pk, found.asked)
    read_file.using(run_after=timezone.now() + LEASE).enqueue(found.pk, found.asked)


def is_late(found: Import) -> bool:
    """Whether no worker has taken the file for a minute."""
    waiting = Import.objects.filter(pk=found.pk, table="", reads=None)
    return waiting.filter(asked_at__lt=Now() - SOON).exists()


@task()
def read_file(pk: int, asked: int) -> None:
    """Read a file, unless it was read, sent or asked for anew meanwhile."""
    Import.objects.filter(read_until__lte=Now()).update(reads=None, read_until=None)
    wanted = Import.objects.filter(pk=pk, asked=asked, table="", job=None, reads=None)
    try:
        with transaction.atomic():
            taken = wanted.update(reads=F("person"), read_until=Now() + LEASE)
    except IntegrityError:  # another file of this person is being read
        read_file.using(run_after=timezone.now() + LATER).enqueue(pk, asked)
        return
    if taken:
        read_now(Import.objects.select_related("person").get(pk=pk))


def read_now(found: Import) -> None:
    """Read a file in this process and store its table, or why it cannot be read."""
    try:
        choices = storage.settings_of(found)
        table: ReadTable | str = _table(found, choices)
    except UnreadableTable as refusal:
        table = str(refusal)
    except sealed.Unreadable:
        table = LOST
    except Exception:
        logger.exception("%s could not be read", found)
        table = BROKEN
    _store(found, table)


def _table(found: Import, choices: storage.ImportSettings) -> ReadTable:
    style = style_of(found.person)
    content = storage.content_of(found)
    read = partial(read_table, content, mark=style.mark, order=style.order)
    table, resource = read(choices.of_reading()), resources.BY_NAME[found.resource]
    is_guess = choices.header is None and not table.header.certain
    if is_guess and not any(columns.guess_fields(table, resource, found.workspace).values()):
        table = read(replace(choices.of_reading(), header=0))
    if len(table.rows) > most_rows(found.person):
        raise UnreadableTable(TOO_MANY.format(most_rows(found.person)))
    return table


def most_rows(person: User) -> int:
    """How many rows a table of this person may have."""
    return MOST_ROWS if person.has_perm(EXPORT_RECORDS) else MOST_TYPED


@transaction.atomic
def _store(found: Import, table: ReadTable | str) -> None:
    """Store what was read, unless the file was sent, discarded or asked for anew meanwhile."""
    locked = storage.lock(found)
    if locked is None or locked.asked != found.asked:
        return
    locked.pages.all().delete()
    if isinstance(table, str):
        locked.table = {"refusal": table}
    else:
        choices = storage.settings_of(locked)
        storage.forget_other_sheet(locked, choices, table)
        stored_table.add_pages(locked, table)
        locked.table = stored_table.head_of(table, choices)
    locked.reads = locked.read_until = None
    locked.save(update_fields=["table", "reads", "read_until"])
