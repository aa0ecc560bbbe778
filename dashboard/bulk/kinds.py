"""The kinds of bulk jobs; settings.JOB_KINDS names them."""

from functools import partial

from dashboard import resources
from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.bulk import sending
from dashboard.jobs.kinds import JobKind
from dashboard.jobs.rows import Send, take_rows

MANY = DELETE_RECORDS  # held by Managers and Administrators
CHANGE, DELETE, CREATE = "bulk change", "bulk delete", "bulk create"


def _kind(name: str, send: Send, undo: str = "") -> JobKind:
    turn = partial(take_rows, send=send, resources=resources.BY_NAME)
    return JobKind(name=name, turn=turn, permission=MANY, undo=undo)


KINDS = (
    _kind(CHANGE, sending.send_change, undo="bulk:undo"),
    _kind(DELETE, sending.send_deletion),
    _kind(CREATE, sending.send_new),
)
