"""The page of a write whose outcome is unknown: reconciles it, or lets the person decide.

The page reads from the service when it opens and a few times more. An update or a deletion is
settled by reading the record. For a create, the page lists possible duplicates, and the person
selects the record or sends the write again.
"""

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard import cipher
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, Missing, OutcomeUnknown, Record, Rejected, whole_number
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.display import values
from dashboard.records.display.values import DisplayValue
from dashboard.records.form_input import FormOutcome, FormResult
from dashboard.records.pages import form_drafts, form_outcome
from dashboard.records.pages.failures import in_words
from dashboard.records.resource import Resource
from dashboard.records.writes import audit_entries, reconciliation, writer

Settled = Submission.Settled
LOOKS = 4  # how often the page reads from the service by itself
View = Callable[..., HttpResponse]


def address_of(token: str) -> str:
    """The address of an unresolved write; of its form's outcome page if it may be under way."""
    found = Submission.objects.filter(token=token, state=Submission.State.NOT_SURE).first()
    return _address(found.pk) if found else form_outcome.url(token)


def redirect_to(token: str) -> FormResult:
    """The answer of a form view whose write, sent with this token, has no known outcome."""
    return FormResult(redirect(address_of(token)), FormOutcome.UNRESOLVED)


def _address(pk: int) -> str:
    return reverse("unsure:show", args=[pk])


@require_safe
def show_unresolved(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """The page with the state of the write, the records found, and the possible actions."""
    submission, resource = _own_submission(request, pk, resources)
    if outbox.refreshed(submission).state != Submission.State.NOT_SURE:
        return redirect(form_outcome.url(submission.token))
    ctx = context_of(request)
    found, problem = _reconcile(ctx, resource, submission)
    if submission.settled != Settled.OPEN:
        return _redirect_settled(request, submission, resource)
    number = _look_number(request)
    context = {
        "resource": resource,
        "submission": submission,
        "label": outbox.label_of(submission) or f"{resource.singular} {submission.record_id or ''}",
        "typed": _typed_values(resource, submission),
        "found": [_candidate(ctx, resource, record) for record in found],
        "problem": problem,
        "token": outbox.retry_token(submission),
        "look": str(number),
        "next_look": f"{_address(pk)}?look={number + 1}" if number < LOOKS else "",
    }
    template = "records/_unsure.html" if request.htmx else "records/unsure.html"
    return render(request, template, context)


@require_POST
def settle_as_saved(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Settle the write as saved, with the record that the person selected."""
    submission, resource = _own_submission(request, pk, resources)
    _settle(submission, Settled.FOUND)
    record_id = whole_number(request.POST.get("record_id", ""))
    messages.success(request, "Settled: it was saved.")
    return redirect(resource.url(record_id or submission.record_id))


@require_POST
def leave_unresolved(
    request: StaffRequest, pk: int, resources: dict[str, Resource]
) -> HttpResponse:
    """Close the entry without an outcome; its draft stays under Unfinished."""
    submission = get_object_or_404(Submission, pk=pk, person=request.user)  # with any keys
    resource = resources[submission.resource]
    if outbox.settle(submission, Settled.LEFT):
        drafts.release_by_token(submission.person_id, submission.token)
    rest = "" if submission.operation == "delete" else " What was typed stays under Unfinished."
    messages.info(request, f"Left as it is.{rest}")
    return redirect(resource.url())


@require_POST
def send_again(request: StaffRequest, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Send the same write again, with a token of its own.

    A repeated request gets the outcome of the first. The entry is settled by the new write; if that
    is refused, it stays open, because the outcome of the first write is still unknown.
    """
    submission, resource = _own_submission(request, pk, resources)
    if submission.settled not in (Settled.OPEN, Settled.SENT_AGAIN):
        return redirect(_address(pk))
    token = outbox.retry_token(submission, request.POST.get("token", ""))
    try:
        record_id = _send_same_write(context_of(request), resource, submission, token)
    except writer.StillSending:
        return redirect(address_of(token))
    except OutcomeUnknown:
        outbox.settle(submission, Settled.SENT_AGAIN)  # the new entry takes its place
        return redirect(address_of(token))
    except _Changed as changed:
        if outbox.settle(submission, Settled.LEFT):
            drafts.release_by_token(submission.person_id, submission.token)
        messages.warning(request, str(changed))
        return redirect(resource.url(submission.record_id))
    except GatewayError as error:
        return _redirect_refused(request, submission, token, error)
    outbox.settle(submission, Settled.SENT_AGAIN)
    drafts.mark_saved_by_token(submission.person_id, submission.token)
    messages.success(request, f"Sent again, and {_operation_done(submission)}.")
    return redirect(resource.url(record_id))


def _redirect_refused(
    request: StaffRequest, submission: Submission, token: str, error: GatewayError
) -> HttpResponse:
    """Redirect to the form with everything typed and the service's errors; without a draft, or if
    the error is not about the form, back to the entry with a message.
    """
    again = outbox.find_by_token(token, request.user)
    draft = drafts.find_by_token(submission.person_id, submission.token)
    if again and draft and isinstance(error, Rejected):
        outbox.copy_digest(again, submission)
        return redirect(form_drafts.refused_url(draft, again))
    messages.error(request, f"Not {_operation_done(submission)} this time. {in_words(error)}")
    return redirect(_address(submission.pk))


def _operation_done(submission: Submission) -> str:
    return "deleted" if submission.operation == "delete" else "saved"


class _Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record has changed since the write was first sent."""


def _own_submission(
    request: StaffRequest, pk: int, resources: dict[str, Resource]
) -> tuple[Submission, Resource]:
    """The person's own submission, sent with the keys they hold now; 404 for any other."""
    submission = get_object_or_404(Submission, pk=pk, person=request.user)
    if submission.owner != writer.owner_of(request.gateway):
        raise Http404
    return submission, resources[submission.resource]


def _reconcile(
    ctx: RequestContext, resource: Resource, submission: Submission
) -> tuple[list[Record], GatewayError | None]:
    """The records found and the error of the search, if any. Settles an update or deletion whose
    outcome the record shows.
    """
    try:
        if submission.operation == "create":
            return reconciliation.find_duplicates(
                ctx.gateway, resource, outbox.body_of(submission)
            ), None
        record = ctx.gateway.get(resource.endpoint, submission.record_id or 0)
    except Missing:
        return _settle_missing(submission), None
    except (GatewayError, cipher.Unreadable) as error:
        return [], error if isinstance(error, GatewayError) else None
    if submission.operation == "update" and reconciliation.was_updated(
        record, outbox.body_of(submission)
    ):
        _settle(submission, Settled.FOUND)
    return [record], None


def _settle_missing(submission: Submission) -> list[Record]:
    if submission.operation == "delete":
        _settle(submission, Settled.FOUND)
    return []


def _settle(submission: Submission, how: Settled) -> None:
    if outbox.settle(submission, how):
        drafts.mark_saved_by_token(submission.person_id, submission.token)
    submission.refresh_from_db()
    audit_entries.add(submission)  # if there is none yet


def _redirect_settled(
    request: StaffRequest, submission: Submission, resource: Resource
) -> HttpResponse:
    gone = submission.operation == "delete"
    words = {
        Settled.FOUND: f"It was {_operation_done(submission)} after all.",
        Settled.SENT_AGAIN: "It was sent again.",
        Settled.LEFT: "It was left as it is.",
    }
    messages.info(request, words[Settled(submission.settled)])
    url = resource.url() if gone else resource.url(submission.record_id)
    if not request.htmx:
        return redirect(url)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": url})


def _send_same_write(
    ctx: RequestContext, resource: Resource, submission: Submission, token: str
) -> int | None:
    body = outbox.body_of(submission)
    if submission.operation == "create":
        return writer.create(ctx=ctx, resource=resource, body=body, token=token).id
    record_id = submission.record_id or 0  # the outbox stores one for all but a create
    if submission.operation == "delete":
        with suppress(Missing):  # the record is already deleted
            writer.delete(ctx=ctx, resource=resource, record_id=record_id, token=token)
        return None
    _repeat_update(ctx, resource, submission, body, token)
    return record_id


def _repeat_update(
    ctx: RequestContext,
    resource: Resource,
    submission: Submission,
    body: dict[str, Any],
    token: str,
) -> None:
    """Send the same update again. Raises _Changed if these fields were changed since."""
    before, number = outbox.content_of(submission).before, submission.record_id or 0
    one: dict[str, Any] = {"ctx": ctx, "resource": resource, "record_id": number}
    with writer.lock_for_form(**one, token=token, typed=body) as lock:
        if not lock:
            return
        fresh = ctx.gateway.get(resource.endpoint, number)
        _check_unchanged(fresh, before, body)
        writer.update(
            **one,
            body=body,
            token=token,
            label=outbox.label_of(submission),
            fresh=fresh,
            lock=lock,
        )


def _check_unchanged(fresh: Record, before: dict[str, str], body: dict[str, Any]) -> None:
    """Raises _Changed if a field has neither its value before the update nor the one sent."""
    now = reconciliation.values_as_text(fresh, before)
    if any(now[name] not in (before[name], reconciliation.as_text(body[name])) for name in before):
        raise _Changed(
            "Not sent again: somebody has changed this record since. "
            "Look at it as it is now, and edit it if that is still needed."
        )


def _typed_values(resource: Resource, submission: Submission) -> list[tuple[object, DisplayValue]]:
    try:
        body = outbox.body_of(submission)
    except cipher.Unreadable:
        return []
    fields = {**resource.edit_form.base_fields, **resource.create_form.base_fields}
    labels = {name: field.label for name, field in fields.items()}
    return [(labels.get(name) or name, values.text(value)) for name, value in body.items()]


def _candidate(ctx: RequestContext, resource: Resource, record: Record) -> dict[str, Any]:
    return {
        "id": str(record.id),
        "url": resource.url(record.id),
        "title": resource.title(record),
        "cells": [(column.label, column.value(record, ctx)) for column in resource.columns],
    }


def _look_number(request: StaffRequest) -> int:
    return whole_number(request.GET.get("look", "1"), largest=LOOKS) or LOOKS
