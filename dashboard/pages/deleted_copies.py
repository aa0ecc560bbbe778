"""What pages tell of a deletion, and the copies of deleted records."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.utils.html import format_html

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.gateway import Record, whole_number
from dashboard.ledger.models import Write
from dashboard.pages import form_drafts
from dashboard.reader.sealed_cache import owner_of
from dashboard.writes import deletions
from dashboard.writes.deletions import label_of, read_copy

State = Write.State
NO_COPY = "That copy is not kept any more, or was made with other keys. The form is empty."


class Toast(NamedTuple):
    """What every page tells of a deletion. state: of the write, or "gone". seconds: that are
    left to undo it. why: the reason why it was not deleted. again_url: "" without a copy.
    """

    pk: int
    label: str
    url: str
    state: str
    seconds: int
    why: str
    again_url: str

    @property
    def is_leaving(self) -> bool:
        """Whether the record may be gone soon, or is."""
        return self.state != State.NOT_SAVED


def toast_of(resource: Resource, deletion: Write) -> Toast:
    """What to tell of a deletion now."""
    is_refused = deletion.state == State.NOT_SAVED and not deletion.copy_until
    return Toast(
        deletion.pk,
        label_of(resource, deletion),
        resource.url(deletion.record_id),
        _state(deletion),
        deletions.seconds_left(deletion) if deletion.state == State.WAITING else 0,
        deletions.reason(deletion) if is_refused else "",
        recreate_url(resource, deletion) if read_copy(resource, deletion) else "",
    )


def _state(deletion: Write) -> str:
    is_gone = deletion.copy_until and deletion.state != State.SAVED
    return "gone" if is_gone else deletion.state


def deleted_message(resource: Resource, deletion: Write) -> str:
    """The message that the record was deleted, with a link to create it again from the copy."""
    name = label_with_kind(resource, deletion)
    if read_copy(resource, deletion) is None:
        return f"{name} was deleted."
    return format_html(
        '{} was deleted. <a href="{}">Create it again from the copy</a>: it will have a new id.',
        name,
        recreate_url(resource, deletion),
    )


def recreate_url(resource: Resource, deletion: Write) -> str:
    """The address of a new record's form, filled from the copy."""
    return f"{resource.url(page='create')}?again={deletion.pk}"


def label_with_kind(resource: Resource, deletion: Write) -> str:
    """The label with the kind of record before it, unless the label begins with it."""
    kind, name = resource.singular.capitalize(), label_of(resource, deletion)
    return name if name.startswith(kind) else f"{kind} {name}"


def list_entry(copy: Write, resources: Mapping[str, Resource]) -> dict[str, Any]:
    """The template context of a copy of a deleted record under Unfinished."""
    resource = resources[copy.resource]
    return {
        "label": label_with_kind(resource, copy),
        "at": form_drafts.time_in_words(deletions.deleted_at(copy) or copy.asked_at),
        "again_url": recreate_url(resource, copy),
    }


def find_copy(ctx: RequestContext, resource: Resource) -> Record | None:
    """The copy that the address names (?again=3), with a message; None without one."""
    asked = ctx.form_input.params.get("again", "")
    if not asked:
        return None
    owner = owner_of(ctx.gateway)
    kept = deletions.copies(ctx.user, owner).filter(resource=resource.name)
    deletion = kept.filter(pk=whole_number(asked) or 0).first()
    record = read_copy(resource, deletion) if deletion else None
    _say_what_is_new(ctx, resource, deletion if record else None)
    return record


def _say_what_is_new(ctx: RequestContext, resource: Resource, deletion: Write | None) -> None:
    if deletion is None:
        messages.warning(ctx.request, NO_COPY)
        return
    messages.info(
        ctx.request,
        f"This is the copy of {label_of(resource, deletion)}, as it was when it was deleted. "
        f"Saving creates a new {resource.singular} with a new id. What belonged to the old one "
        "does not come along.",
    )
