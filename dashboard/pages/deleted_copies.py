"""Labels and messages of waiting deletions, and the copies of deleted records."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.urls import reverse
from django.utils.html import format_html

from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.gateway import Record, whole_number
from dashboard.ledger.models import Write
from dashboard.pages import form_drafts
from dashboard.reader.sealed_cache import owner_of
from dashboard.writes import deletions
from dashboard.writes.deletions import label_of, read_copy

NO_COPY = "That copy is not kept any more, or was made with other keys. The form is empty."


def url_of(deletion: Write) -> str:
    """The page of a deletion that counts down or waits."""
    return reverse("unfinished:deletion", args=[deletion.pk])


def deleted_message(resource: Resource, deletion: Write, words: str) -> str:
    """The message that the record was deleted, with a link to create it again from the copy."""
    name = label_with_kind(resource, deletion)
    if read_copy(resource, deletion) is None:
        return f"{name} {words}."
    return format_html(
        '{} {}. <a href="{}">Create it again from the copy</a>: it will have a new id.',
        name,
        words,
        recreate_url(resource, deletion),
    )


def recreate_url(resource: Resource, deletion: Write) -> str:
    """The address of a new record's form, filled from the copy."""
    return f"{resource.url(page='create')}?again={deletion.pk}"


def label_with_kind(resource: Resource, deletion: Write) -> str:
    """The label with the kind of record before it, unless the label begins with it."""
    kind, name = resource.singular.capitalize(), label_of(resource, deletion)
    return name if name.startswith(kind) else f"{kind} {name}"


def list_entry(deletion: Write, owner: str, resources: Mapping[str, Resource]) -> dict[str, Any]:
    """The template context of its entry under Unfinished; `owner`: the current key pair. `at`: when
    it was deleted, else when it was asked for.
    """
    resource = resources[deletion.resource]
    return {
        "deletion": deletion,
        "label": label_with_kind(resource, deletion),
        "at": form_drafts.time_in_words(deletions.deleted_at(deletion) or deletion.asked_at),
        "mine": deletion.owner == owner,
        "phase": deletions.phase_of(deletion),
        "why": deletions.reason(deletion),
        "url": url_of(deletion),
        "record_url": resource.url(deletion.record_id),
        "again_url": recreate_url(resource, deletion),
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
