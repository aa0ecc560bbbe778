"""Data beside every page: the person's unfinished work and starred records.

One SQL statement, as four ORM queries would cost nine times the CPU.
"""

from datetime import timedelta
from typing import Any, NamedTuple, cast

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from dashboard.gateway import GatewayError
from dashboard.office.models import RecentRecord, Repeat
from dashboard.office.recents import RecordRef
from dashboard.people.context import StaffRequest
from dashboard.people.keys import owner_of
from dashboard.people.models import User
from dashboard.people.permissions import VIEW_RECORDS
from dashboard.writes import ledger
from dashboard.writes.models import Draft, Write

A_WEEK = timedelta(days=7)  # after which a form that was not saved is folded away
MAX_STARRED = 4  # starred records
# The forms are those of drafts.open_drafts, the deletions those of Write.COUNTED_DOWN that are of
# Write.OPEN, or of Write.NOT_DELETED.
STATEMENT = f"""
WITH forms AS (
    SELECT 1 FROM {Draft._meta.db_table} AS draft
    WHERE person_id = %(person)s AND workspace = %(workspace)s
        AND discarded_at IS NULL AND stored_at > %(week_ago)s
        AND NOT EXISTS (
            SELECT 1 FROM {Write._meta.db_table}
            WHERE form_token = draft.token AND person_id = %(person)s AND (
                state = %(saved)s AND token NOT LIKE '%%:%%'
                OR state IN (%(waiting)s, %(sending)s, %(not_sure)s) AND resolution = ''
            )
        )
), deletions AS (
    SELECT 1 FROM {Write._meta.db_table}
    WHERE person_id = %(person)s AND workspace = %(workspace)s
        AND state IN (%(waiting)s, %(sending)s, %(not_sure)s, %(not_saved)s) AND resolution = ''
        AND operation = 'delete' AND not_before IS NOT NULL AND job IS NULL
        AND copy_until IS NULL
), unresolved AS (
    SELECT state FROM {Write._meta.db_table}
    WHERE person_id = %(person)s AND state IN (%(sending)s, %(not_sure)s) AND resolution = ''
), opened AS (
    SELECT resource, record_id, seen_at, sealed FROM {RecentRecord._meta.db_table}
    WHERE user_id = %(person)s AND owner = %(owner)s AND starred
), at_hand AS (
    SELECT * FROM opened ORDER BY seen_at DESC LIMIT %(most)s
), again AS (
    SELECT 1 FROM {Repeat._meta.db_table}
    WHERE person_id = %(person)s AND workspace_id = %(workspace)s AND next_on <= %(today)s
), counts AS (
    SELECT
        (SELECT COUNT(*) FROM forms) AS forms,
        (SELECT COUNT(*) FROM deletions) AS deletions,
        (SELECT COUNT(*) FROM unresolved WHERE state = %(not_sure)s) AS not_sure,
        (SELECT COUNT(*) FROM unresolved WHERE state = %(sending)s) AS sending,
        (SELECT COUNT(*) FROM opened
            WHERE resource = %(resource)s AND record_id = %(record_id)s) AS is_starred,
        (SELECT COUNT(*) FROM again) AS again,
        (SELECT COUNT(*) FROM {Repeat._meta.db_table}
            WHERE person_id = %(person)s AND workspace_id = %(workspace)s
            AND resource = %(resource)s AND record_id = %(record_id)s) AS repeats
)
SELECT counts.*, at_hand.resource, at_hand.record_id, at_hand.sealed
FROM counts LEFT JOIN at_hand ON TRUE
ORDER BY at_hand.seen_at DESC
"""  # noqa: S608 # nosec B608 - names of tables
NO_RECORD: RecordRef = ("", 0)


class Sidebar(NamedTuple):
    """How much a person has left in a workspace, and the records that they starred.

    forms: those of the last week that were not saved. deletions: those that have no outcome yet, or
    were not sent, as far as their person has not closed the message. unresolved: writes of unknown
    outcome, in all workspaces. is_starred: whether the page's own record is, repeats: whether it
    repeats. again: records that repeat and whose day has come. starred: the latest starred ones,
    with the names that they had when they were opened.
    """

    forms: int = 0
    deletions: int = 0
    unresolved: int = 0
    is_starred: bool = False
    again: int = 0
    repeats: bool = False
    starred: tuple[RecentRecord, ...] = ()


def sidebar_of(request: HttpRequest, record: RecordRef = NO_RECORD) -> Sidebar:
    """Return the sidebar of a page, read once. `record`: the page's own, for the first call of its
    view.
    """
    page = cast(StaffRequest, request)
    if not hasattr(page, "sidebar"):
        page.sidebar = (
            read_sidebar(page.user, page.user.workspace_id, _owner(page), record)
            if page.user.is_authenticated
            else Sidebar()
        )
    return cast(Sidebar, page.sidebar)


def _owner(request: StaffRequest) -> str:
    """Return the mark of the key pair; "" without access to records."""
    if not (request.user.pair and request.user.has_perm(VIEW_RECORDS)):
        return ""
    try:
        return owner_of(request.gateway)
    except (GatewayError, AttributeError):  # the keys cannot be opened, or an error page
        return ""


def read_sidebar(
    person: User, workspace: str, owner: str = "", record: RecordRef = NO_RECORD
) -> Sidebar:
    """Return the sidebar of a person in a workspace. `owner`: the mark of the key pair, "" for no
    records; `record`: the page's own. One query, unless a write is in flight.
    """
    states = Write.State
    week_ago = connection.ops.adapt_datetimefield_value(timezone.now() - A_WEEK)
    values: dict[str, Any] = {
        "person": person.pk, "workspace": workspace, "owner": owner, "most": MAX_STARRED,
        "resource": record[0], "record_id": record[1], "saved": states.SAVED,
        "week_ago": week_ago, "today": connection.ops.adapt_datefield_value(timezone.localdate()),
        "waiting": states.WAITING, "sending": states.SENDING, "not_sure": states.NOT_SURE,
        "not_saved": states.NOT_SAVED,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, values)
        rows = cursor.fetchall()
    forms, deletions, not_sure, sending, is_starred, again, own_repeats = rows[0][:7]
    starred = (_opened(person, owner, *row[7:]) for row in rows if row[7] is not None)
    return Sidebar(
        forms=forms,
        deletions=deletions,
        unresolved=ledger.open_unresolved(person).count() if sending else not_sure,
        is_starred=bool(is_starred),
        again=again,
        repeats=bool(own_repeats),
        starred=tuple(starred),
    )


def _opened(person: User, owner: str, resource: str, record_id: int, sealed: str) -> RecentRecord:
    return RecentRecord(
        user_id=person.pk,
        owner=owner,
        resource=resource,
        record_id=record_id,
        starred=True,
        content_sealed=sealed,
    )
