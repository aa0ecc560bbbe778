"""The jobs of bulk actions; settings.JOB_KINDS names them."""

from dataclasses import replace
from functools import partial

from dashboard.jobs import bulk_rows
from dashboard.jobs.kinds import JobKind
from dashboard.jobs.rows import Send, take_rows
from dashboard.lists.bulk_actions import CHANGE, CREATE, DELETE, UNDO
from dashboard.schema.resource import BULK_PERMISSION


def _kind(name: str, send: Send, undo: str = "") -> JobKind:
    return JobKind(
        name=name,
        turn=partial(take_rows, send=send),
        permission=BULK_PERMISSION,
        undo=undo,
    )


KINDS = (
    _kind(CHANGE.kind, bulk_rows.send_change, undo="bulk:undo"),
    replace(_kind(DELETE.kind, bulk_rows.send_deletion), done_word="deleted"),
    replace(_kind(UNDO.kind, bulk_rows.send_undo), done_word="undone"),
    _kind(CREATE, bulk_rows.send_new),
)
