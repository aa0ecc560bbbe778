"""What is said of held deletions and deleted records, and what their copies are good for."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.urls import reverse
from django.utils.html import format_html

from dashboard import cipher
from dashboard.drafts import pending_deletions
from dashboard.drafts.models import Deletion
from dashboard.gateway import Record
from dashboard.gateway.records import record_of
from dashboard.records.context import RequestContext, StaffRequest
from dashboard.records.forms.pickers import ID
from dashboard.records.pages import form_drafts
from dashboard.records.resource import Resource
from dashboard.records.writes import writer

NO_COPY = "That copy is not kept any more, or was made with other keys. The form is empty."


def url_of(held: Deletion) -> str:
    """The page that shows a held deletion, and alone sends it."""
    return reverse("unfinished:deletion", args=[held.pk])


def deleted_message(resource: Resource, held: Deletion, words: str) -> str:
    """What became of it, with the way to create it again."""
    name = label_with_kind(resource, held)
    if read_copy(resource, held) is None:
        return f"{name} {words}."
    return format_html(
        '{} {}. <a href="{}">Create it again from the copy</a>: it will have a new id.',
        name,
        words,
        recreate_url(resource, held),
    )


def recreate_url(resource: Resource, held: Deletion) -> str:
    """The form of a new record, filled from the copy."""
    return f"{resource.url(action='new')}?again={held.pk}"


def label_with_kind(resource: Resource, held: Deletion) -> str:
    """With the kind of record in front, unless its name says so already."""
    kind, name = resource.singular.capitalize(), label(resource, held)
    return name if name.startswith(kind) else f"{kind} {name}"


def label(resource: Resource, held: Deletion) -> str:
    """What people call the record; its number where that cannot be opened any more."""
    return pending_deletions.label_of(held) or f"{resource.singular.capitalize()} {held.record_id}"


def read_copy(resource: Resource, held: Deletion) -> Record | None:
    """The copy as a record; None where it cannot be opened any more."""
    try:
        return record_of(resource.endpoint, pending_deletions.copy_of(held).raw)
    except cipher.Unreadable:
        return None


def store_copy(ctx: RequestContext, resource: Resource, deleted: Record, token: str) -> None:
    """Keep a copy of a record that another form has deleted with this token."""
    if ctx.person:
        pending_deletions.store_copy(
            person=ctx.person,
            owner=writer.owner_of(ctx.gateway),
            workspace=ctx.workspace,
            resource=resource.name,
            record_id=deleted.id,
            token=token,
            copy=pending_deletions.Copy(resource.title(deleted), deleted.raw),
        )


def list_entry(held: Deletion, owner: str, resources: Mapping[str, Resource]) -> dict[str, Any]:
    """How it is listed under Unfinished; `owner`: the key pair at hand."""
    resource = resources[held.resource]
    return {
        "held": held,
        "label": label_with_kind(resource, held),
        "at": form_drafts.time_in_words(held.since),
        "mine": held.owner == owner,
        "url": url_of(held),
        "record_url": resource.url(held.record_id),
        "again_url": recreate_url(resource, held),
    }


def find_copy(request: StaffRequest, resource: Resource) -> Record | None:
    """The copy of a deleted record that the address asks for (?again=3), and a word about it."""
    asked = request.form_input.params.get("again", "")
    if not asked:
        return None
    owner = writer.owner_of(request.gateway)
    done = Deletion.objects.filter(person=request.user, owner=owner, state=Deletion.State.DONE)
    pk = int(asked) if ID.fullmatch(asked) else 0
    held = done.filter(pk=pk, resource=resource.name).first()
    record = read_copy(resource, held) if held else None
    _say_what_is_new(request, resource, held if record else None)
    return record


def _say_what_is_new(request: StaffRequest, resource: Resource, held: Deletion | None) -> None:
    if held is None:
        messages.warning(request, NO_COPY)
        return
    messages.info(
        request,
        f"This is the copy of {label(resource, held)}, as it was when it was deleted. Saving "
        f"creates a new {resource.singular} with a new id. What belonged to the old one does not "
        "come along.",
    )
