"""Reads a file that is to be imported, once, when its page is opened first."""

import logging
from dataclasses import replace
from functools import partial

from django.db import transaction

from dashboard.core import sealed
from dashboard.imports import import_file, targets
from dashboard.imports.models import Import
from dashboard.people.context import style_of
from dashboard.people.models import User
from dashboard.people.permissions import EXPORT_RECORDS
from dashboard.schema.registry import RESOURCES
from dashboard.tables.limits import ReadersBusy, UnreadableTable
from dashboard.tables.reading import ReadTable, read_source, table_of

logger = logging.getLogger(__name__)

MAX_ROWS = 5_000  # of one import
MAX_TYPED = 50  # of a person who may not import files
ABOVE = 20  # rows at most above the table, its headings with them, where those are guessed
TOO_MANY = "There are more than {:,} rows: divide the table."
LOST = "This file can no longer be opened. Discard it, and choose it once more."
BROKEN = "Not read: Entry Desk had an error. An administrator finds the details in the log."


def read_now(found: Import) -> None:
    """Read a file and store its table, or why it cannot be read. Raises ReadersBusy."""
    choices = import_file.ImportSettings()
    try:
        choices = import_file.settings_of(found)
        table: ReadTable | str = _table(found, choices)
    except ReadersBusy:
        raise
    except UnreadableTable as refusal:
        table = str(refusal)
    except sealed.DecryptionError:
        table = LOST
    except Exception:
        logger.exception("%s could not be read", found)
        table = BROKEN
    _store(found, choices, table)


def _table(found: Import, choices: import_file.ImportSettings) -> ReadTable:
    most, asked = most_rows(found.person), choices.of_reading()
    source = read_source(import_file.content_of(found), asked)
    if len(source.rows) > most + (choices.header or ABOVE):  # before many cells are guessed about
        raise UnreadableTable(TOO_MANY.format(most))
    style, resource = style_of(found.person), RESOURCES[found.resource]
    make = partial(table_of, source, mark=style.mark, order=style.order)
    table = make(asked)
    is_guess = choices.header is None and not table.header.certain
    if is_guess and not any(targets.guess_fields(table, resource, found.workspace).values()):
        table = make(replace(asked, header=0))
    if len(table.rows) > most:
        raise UnreadableTable(TOO_MANY.format(most))
    return table


def most_rows(person: User) -> int:
    """How many rows a table of this person may have."""
    return MAX_ROWS if person.has_perm(EXPORT_RECORDS) else MAX_TYPED


@transaction.atomic
def _store(found: Import, choices: import_file.ImportSettings, table: ReadTable | str) -> None:
    """Store what was read, unless the file was sent or discarded meanwhile, or is to be read in
    another way.
    """
    locked = import_file.lock(found)
    if locked is None:
        return
    now = import_file.settings_of(locked)
    if import_file.ways_of(now) != import_file.ways_of(choices):
        return
    locked.pages.all().delete()
    if isinstance(table, str):
        locked.table = {"refusal": table}
    else:
        import_file.add_pages(locked, table)
        locked.table = import_file.head_of(table)
    locked.save(update_fields=["table"])
