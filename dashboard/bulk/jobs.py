"""The jobs of bulk actions; settings.JOB_KINDS names them."""

from dataclasses import replace
from functools import partial

from dashboard.bulk import sending
from dashboard.declare.resource import BULK_PERMISSION
from dashboard.jobs.kinds import JobKind
from dashboard.jobs.rows import Send, take_rows
from dashboard.lists.bulk_actions import CHANGE, CREATE, DELETE, UNDO


def _kind(name: str, send: Send, undo: str = "") -> JobKind:
    return JobKind(
        name=name,
        turn=partial(take_rows, send=send),
        permission=BULK_PERMISSION,
        undo=undo,
    )


KINDS = (
    _kind(CHANGE.kind, sending.send_change, undo="bulk:undo"),
    replace(_kind(DELETE.kind, sending.send_deletion), done_word="deleted"),
    replace(_kind(UNDO.kind, sending.send_undo), done_word="undone"),
    _kind(CREATE, sending.send_new),
)
