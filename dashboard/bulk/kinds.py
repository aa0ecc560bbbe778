"""The kinds of bulk jobs; settings.JOB_KINDS names them."""

from functools import partial

from dashboard import resources
from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.bulk import conversion, sending
from dashboard.jobs.kinds import JobKind
from dashboard.jobs.rows import AT_ONCE, Send, take_rows

MANY = DELETE_RECORDS  # held by Managers and Administrators
CHANGE, DELETE, CREATE = "bulk change", "bulk delete", "bulk create"
CONVERT, UNDO = "bulk convert", "bulk undo"


def _kind(name: str, send: Send, undo: str = "", at_once: int = AT_ONCE) -> JobKind:
    turn = partial(take_rows, send=send, at_once=at_once)
    return JobKind(name=name, turn=turn, permission=MANY, resources=resources.BY_NAME, undo=undo)


KINDS = (
    _kind(CHANGE, sending.send_change, undo="bulk:undo"),
    _kind(DELETE, sending.send_deletion),
    _kind(UNDO, sending.send_undo),
    _kind(CREATE, sending.send_new),
    _kind(CONVERT, conversion.send_contact, at_once=1),  # so that each sees those before it
)
