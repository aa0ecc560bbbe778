"""The button "Send again" of a write whose outcome is unknown."""

from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard import sealed, write_status
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record, Rejected
from dashboard.gateway.records import record_of
from dashboard.ledger import repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages import unresolved
from dashboard.pages.form_drafts import PARAM, REFUSED
from dashboard.service_name import SERVICE
from dashboard.writes import deletions, reconciliation, settling, stored_outcomes, writer
from dashboard.writes.failures import in_words

Resolution = Write.Resolution
TOO_EARLY = (
    f"Not sent yet: the first one may still arrive. It can be sent again once {SERVICE} has been "
    "looked at for half a minute."
)
SEALED = "It cannot be sent again: what was sent can no longer be opened."


class _Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record has changed since the write was first sent."""


@require_POST
@page
def send_again(ctx: RequestContext, pk: int) -> HttpResponse:
    """Send the same write again, with a token of its own, once the looks are over.

    A repeated request gets the outcome of the first. The entry is settled by the new write; if that
    is refused, it stays open, because the outcome of the first write is still unknown.
    """
    write, resource = unresolved.own_write(ctx, pk)
    if write.resolution not in (Resolution.OPEN, Resolution.SENT_AGAIN):
        return redirect(unresolved.address(pk))
    token = repetitions.retry_token(write, ctx.request.POST.get("token", ""))
    was_sent = ledger.of_form(token, ctx.user).exists()
    if settling.next_reconciliation(write) is not None and not was_sent:
        messages.warning(ctx.request, TOO_EARLY)
        return redirect(unresolved.address(pk))
    try:
        _send_same_write(ctx, resource, write, token)
    except stored_outcomes.StillSending:
        return redirect(unresolved.address_of(token))
    except OutcomeUnknown:
        # The new entry takes its place.
        write_status.attempt(repetitions.settle_as_sent_again, pk=write.pk)
        return redirect(unresolved.address_of(token))
    except _Changed as changed:
        return _leave(ctx, resource, write, changed)
    except sealed.Unreadable:
        messages.error(ctx.request, SEALED)
        return redirect(unresolved.address(pk))
    except GatewayError as error:
        return _redirect_refused(ctx, resource, write, token, error)
    return _redirect_saved(ctx, resource, write)


def _redirect_saved(ctx: RequestContext, resource: Resource, write: Write) -> HttpResponse:
    """After a create the entry's page, which looks for a late effect of the first write."""
    write_status.attempt(repetitions.settle_as_sent_again, pk=write.pk)
    drafts.mark_saved_by_token(write.person_id, write.token)
    messages.success(ctx.request, f"Sent again, and {_operation_done(write)}.")
    if write.operation == "create":
        return redirect(unresolved.address(write.pk))
    return redirect(resource.url(write.record_id if write.operation == "update" else None))


def _leave(
    ctx: RequestContext, resource: Resource, write: Write, changed: _Changed
) -> HttpResponse:
    if ledger.settle(write, Resolution.CLOSED):
        drafts.release_by_token(write.person_id, write.token)
    messages.warning(ctx.request, str(changed))
    return redirect(resource.url(write.record_id))


def _redirect_refused(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    token: str,
    error: GatewayError,
) -> HttpResponse:
    """Redirect to the form with everything typed and the service's errors; without a draft, or if
    the error is not about the form, back to the entry with a message.
    """
    again = ledger.find_by_token(token, ctx.user)
    draft = drafts.find_by_token(write.person_id, write.token)
    if again and draft and isinstance(error, Rejected):
        ledger.copy_digest(again, write)
        drafts.note_refusal(draft, again.token)
        return redirect(f"{draft.path}?{PARAM}={draft.pk}&{REFUSED}={again.pk}")
    why = in_words(error, resource.fields)
    messages.error(ctx.request, f"Not {_operation_done(write)} this time. {why}")
    return redirect(unresolved.address(write.pk))


def _operation_done(write: Write) -> str:
    return "deleted" if write.operation == "delete" else "saved"


def _send_same_write(ctx: RequestContext, resource: Resource, write: Write, token: str) -> None:
    content = ledger.content_of(write)
    if write.operation == "create":
        writer.create(ctx=ctx, resource=resource, body=content.body, token=token)
    elif write.operation == "update":
        _repeat_update(ctx, resource, write, content, token)
    else:
        with suppress(Missing):  # the record is already deleted
            _repeat_deletion(ctx, resource, write, content, token)


def _repeat_update(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    content: ledger.Content,
    token: str,
) -> None:
    """Send the same update again. Raises _Changed if these fields were changed since."""
    body, number = content.body, write.record_id or 0
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": number}
    with writer.lock_for_form(**one, token=token, typed=body) as lock:
        if not lock:
            return
        fresh = settling.read_record(ctx, resource, write, content)
        _check_unchanged(fresh, content.before, body)
        label = content.label
        writer.update(**one, body=body, token=token, label=label, fresh=fresh, lock=lock)


def _repeat_deletion(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    content: ledger.Content,
    token: str,
) -> None:
    """Send the same deletion again. Raises _Changed if the record was changed since it was read for
    the first, or as writer.delete.
    """
    number = write.record_id or 0  # the ledger stores one for all but a create
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": number, "token": token}
    with writer.lock_for_form(**one, typed={}) as lock:
        if not lock:
            return
        copy = record_of(resource.endpoint, content.copy) if content.copy else None
        with suppress(Missing):  # the service says so once more when it is deleted
            fresh = settling.read_record(ctx, resource, write, content)
            if copy and deletions.is_changed(resource, copy, fresh):
                raise _Changed(
                    "Not deleted: somebody has changed this record since. "
                    "Look at it as it is now, and delete it there if that is still wanted."
                )
            copy = copy or fresh
        writer.delete(**one, label=content.label, fresh=copy, lock=lock)


def _check_unchanged(fresh: Record, before: dict[str, str], body: dict[str, Any]) -> None:
    """Raises _Changed if a field has neither its value before the update nor the one sent."""
    now = reconciliation.values_as_text(fresh, before)
    if any(now[name] not in (before[name], reconciliation.as_text(body[name])) for name in before):
        raise _Changed(
            "Not sent again: somebody has changed this record since. "
            "Look at it as it is now, and edit it if that is still needed."
        )
