"""The messages about deletions, and the copies of deleted records."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.utils import timezone

from dashboard.gateway import Record, whole_number
from dashboard.people.context import RequestContext, workspace_of
from dashboard.people.models import User
from dashboard.reader.sealed_cache import owner_of
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time
from dashboard.writes import deletions, ledger
from dashboard.writes.deletions import label_of, read_copy
from dashboard.writes.form_input import form_input
from dashboard.writes.models import Write

Row = TypeVar("Row")
State = Write.State
NO_COPY = "That copy is not kept any more, or was made with other keys. The form is empty."


def toast_of(resource: Resource, deletion: Write) -> dict[str, Any]:
    """Return the template context of a deletion's toast. `state`: of the write, or "gone".
    `seconds`: left to undo it. `again_url`: "" without a copy.
    """
    is_refused = deletion.state == State.NOT_SAVED and not deletion.copy_until
    is_gone = deletion.copy_until and deletion.state != State.SAVED
    return {
        "pk": deletion.pk,
        "label": label_of(resource, deletion),
        "url": resource.url(deletion.record_id),
        "state": "gone" if is_gone else deletion.state,
        "seconds": deletions.seconds_left(deletion) if deletion.state == State.WAITING else 0,
        "why": deletions.reason(deletion) if is_refused else "",
        "again_url": recreate_url(resource, deletion) if read_copy(resource, deletion) else "",
    }


def toasts_of(user: User) -> list[dict[str, Any]]:
    shown = deletions.to_show(user, workspace_of(user))
    return [toast_of(RESOURCES[each.resource], each) for each in shown]


def without_pending(rows: Sequence[Row], url: str, toasts: Iterable[dict[str, Any]]) -> list[Row]:
    """Leave out the rows whose record has a toast, unless it was not deleted. `url`: the attribute
    of a row with its record's URL, such as "name.url".
    """
    leaving = {one["url"] for one in toasts if one["state"] != State.NOT_SAVED}
    return [row for row in rows if attrgetter(url)(row) not in leaving]


def recreate_url(resource: Resource, deletion: Write) -> str:
    """Return the URL of a new record's form, filled from the copy."""
    return f"{resource.url(page='create')}?again={deletion.pk}"


def list_entry(copy: Write) -> dict[str, Any]:
    """Return the template context of a deleted copy under Unfinished."""
    resource = RESOURCES[copy.resource]
    kind, name = resource.singular.capitalize(), label_of(resource, copy)
    deleted_at = cast(datetime, copy.copy_until) - ledger.COPY_RETENTION
    return {
        "label": name if name.startswith(kind) else f"{kind} {name}",
        "at": recent_time(deleted_at, timezone.localdate()),
        "again_url": recreate_url(resource, copy),
    }


def find_copy(ctx: RequestContext, resource: Resource) -> Record | None:
    """Return the copy of ?again=3, and add a message; None without one."""
    asked = form_input(ctx).params.get("again", "")
    if not asked:
        return None
    owner = owner_of(ctx.gateway)
    kept = deletions.copies(ctx.user, owner).filter(resource=resource.name)
    deletion = kept.filter(pk=whole_number(asked) or 0).first()
    record = read_copy(resource, deletion) if deletion else None
    if deletion is None or record is None:
        messages.warning(ctx.request, NO_COPY)
        return None
    messages.info(
        ctx.request,
        f"This is the copy of {label_of(resource, deletion)}, as it was when it was deleted. "
        f"Saving creates a new {resource.singular} with a new id. What belonged to the old one "
        "does not come along.",
    )
    return record
