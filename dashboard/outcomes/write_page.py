"""The page Not sure, and the page of one write: it waits for the outcome, reconciles an unknown
one, or asks the person. For an unknown outcome it reads from the service when it opens and a few
times more (writes/verification.py). If that does not settle a create, it lists possible duplicates,
and the person selects the record or sends the write again.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from math import ceil
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard.core import after_response, sealed
from dashboard.core.sealed import readable
from dashboard.core.service_name import SERVICE
from dashboard.core.templates import page_url
from dashboard.gateway import (
    GatewayError,
    Missing,
    OutcomeUnknown,
    Record,
    Rejected,
    whole_number,
)
from dashboard.gateway.records import record_of
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.keys import owner_of
from dashboard.people.permissions import EDIT_RECORDS, permission_required
from dashboard.reader.failures import in_words
from dashboard.records.form_drafts import REFUSED
from dashboard.records.record_page import ShownDetail
from dashboard.schema import titles
from dashboard.schema.cells import Names
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.text.dates import recent_time
from dashboard.writes import (
    deletions,
    history,
    ledger,
    outcomes,
    reconciliation,
    retries,
    writer,
)
from dashboard.writes.drafts import PARAM
from dashboard.writes.models import Draft, Write
from dashboard.writes.reconciliation import Candidate, Verification
from dashboard.writes.verification import (
    named_id,
    next_reconciliation,
    search_texts,
    verify,
)

Resolution, State = Write.Resolution, Write.State
TOO_EARLY = (
    f"Not sent again yet. You can send it again after we've checked {SERVICE} for 30 seconds."
)
SEALED = "We can't send this again: we can't open the stored data any more."
NO_ANSWER = "Entry Desk stopped before an answer came"
RELOAD_AFTER = 1  # seconds
MAX_ENTRIES = 200  # the others follow once these are gone
NOT_SENT = f"Nothing was sent. {outcomes.STORED_DRAFT}"


class _Changed(Exception):  # noqa: N818 (what it is, without Error)
    """The record has changed since the write was sent."""


@require_safe
@page_without_keys
def list_unresolved(ctx: RequestContext) -> HttpResponse:
    owner = owner_of(ctx.gateway) if ctx.workspace else ""
    rows = ledger.unresolved(ctx.user)
    entries = [_unresolved_entry(write, owner) for write in rows[:MAX_ENTRIES]]
    return ctx.render(
        "outcomes/not_sure.html", {"unsure": entries, "more": len(rows) - len(entries)}
    )


def _unresolved_entry(write: Write, owner: str) -> dict[str, Any]:
    return {
        "pk": str(write.pk),
        "label": outcomes.question(write),
        "at": recent_time(write.sent_at or write.asked_at, timezone.localdate()),
        "url": page_url("unsure:show", write.pk) if write.owner == owner else "",
    }


@require_safe
@page_without_keys
def show_form(ctx: RequestContext, token: str) -> HttpResponse:
    """Show the outcome of a form that another request may still be sending, for example after a
    double click. The page then reloads itself; no request thread waits.
    """
    if ledger.is_under_way(token, ctx.user):
        response = ctx.render("outcomes/write.html", {})
        response.headers["Refresh"] = str(RELOAD_AFTER)
        return response
    writes = list(ledger.of_form(token, ctx.user))
    if not writes:  # the record was unreadable or had changed
        messages.warning(ctx.request, NOT_SENT)
        return redirect("unfinished:list")
    # A deletion beside other writes is only a clean-up.
    main = [write for write in writes if write.operation != "delete"] or writes
    failed = (write for write in main if write.state != State.SAVED)
    write = next(failed, main[-1])
    if write.state in (State.SENDING, State.NOT_SURE):
        return redirect("unsure:show", write.pk)
    return _redirect(ctx, write)


@require_safe
@page
def show_write(ctx: RequestContext, pk: int) -> HttpResponse:
    """Show a write that is not sure: its state, candidates and actions. Redirect for others."""
    write, resource = own_write(ctx, pk)
    if ledger.refreshed(write).state not in history.OUTCOMES:
        return redirect(outcomes.url_for_form(write.token))
    if write.resolution == Resolution.SENT_AGAIN:
        return _show_sent_again(ctx, write, resource)
    if write.state != State.NOT_SURE or write.resolution != Resolution.OPEN:
        return _redirect(ctx, write)
    check = verify(ctx, resource, write)
    if check.saved_id:
        ledger.show_as_found(write, check.saved_id)
        return _redirect(ctx, write)
    return _render(ctx, resource, write, check)


@require_POST
@page
def resolve_as_saved(ctx: RequestContext, pk: int) -> HttpResponse:
    write, resource = own_write(ctx, pk)
    ledger.resolve_write(
        write, Resolution.FOUND, whole_number(ctx.request.POST.get("record_id", ""))
    )
    messages.success(ctx.request, "Marked as saved.")
    return redirect(resource.url(write.record_id))


@require_POST
@page
def close_unresolved(ctx: RequestContext, pk: int) -> HttpResponse:
    """Close the entry without an outcome; its draft stays under Unfinished."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)  # with any keys
    ledger.resolve_write(write, Resolution.CLOSED)
    rest = "" if write.operation == "delete" else f" {outcomes.STORED_DRAFT}"
    messages.info(ctx.request, f"Closed.{rest}")
    return redirect(RESOURCES[write.resource].url())


def own_write(ctx: RequestContext, pk: int) -> tuple[Write, Resource]:
    """Return the person's own write, sent with their present keys; 404 for any other."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)
    if write.owner != owner_of(ctx.gateway):
        raise Http404
    return write, RESOURCES[write.resource]


def _render(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    check: Verification,
    again: Write | None = None,
) -> HttpResponse:
    """Render the page. `again`: the write that was sent in place of this one, and saved."""
    seconds = next_reconciliation(again or write)
    content = _content(write)
    sent, names = _sent(resource, write, content)
    records = [sent, *(one.record for one in check.candidates)]
    known = titles.names_around(ctx, map(resource.detail, names), records)
    typed = set(content.typed) if write.operation == "update" else set(names)
    context = {
        "resource": resource,
        "write": write,
        "is_named": bool(named_id(write)),
        "again_url": resource.url(again.record_id) if again else "",
        "token": retries.retry_token(write),
        "name": _name(ctx, known, resource, write, content.label, sent),
        "done": outcomes.DONE[write.operation],
        "sent": _labelled(ctx, known, resource, sent, [each for each in names if each in typed]),
        "unchanged": _labelled(
            ctx, known, resource, sent, [each for each in names if each not in typed]
        ),
        "found": [_shown(ctx, known, resource, one) for one in check.candidates],
        "problem": check.problem,
        "gone": check.gone,
        "sealed": check.sealed,
        "complete": check.complete,
        "late": known.late_url,
        "events": _events(write, check, seconds),
        "next_reconciliation": "" if seconds is None else str(max(1, ceil(seconds))),
    }
    template = "outcomes/_write.html" if ctx.request.htmx else "outcomes/write.html"
    return ctx.render(template, context)


def _show_sent_again(ctx: RequestContext, write: Write, resource: Resource) -> HttpResponse:
    """After a create that was sent again and saved, look for a late effect of the first one. Other
    writes redirect.
    """
    again = retries.sent_again(write)
    if again and again.state != State.SAVED:
        return redirect(outcomes.url_for_token(again.token))
    if again is None or write.operation != "create":
        return _redirect(ctx, write)
    try:
        check = reconciliation.find_candidates(ctx, resource, ledger.content_of(write).body)
    except GatewayError as problem:
        check = Verification(problem=problem)
    except sealed.DecryptionError:
        check = Verification()
    others = [one for one in check.candidates if one.record.id != again.record_id]
    return _render(ctx, resource, write, replace(check, candidates=others), again)


def _redirect(ctx: RequestContext, write: Write) -> HttpResponse:
    message, url, level = outcomes.outcome_of(write)
    messages.add_message(ctx.request, level, message)
    if not ctx.request.htmx:
        return redirect(url)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": url})


class ShownCandidate(NamedTuple):
    """A candidate: `same` holds labels of equal fields, `differing` the service's other values."""

    id: str
    url: str
    title: str
    same: str
    differing: list[ShownDetail]


def _content(write: Write) -> ledger.Content:
    try:
        return ledger.content_of(write)
    except sealed.DecryptionError:
        return ledger.Content("", {}, {}, [])


def _sent(resource: Resource, write: Write, content: ledger.Content) -> tuple[Record, list[str]]:
    if write.operation != "delete":
        return reconciliation.sent_record(resource, content.body), _in_order(resource, content.body)
    copy = record_of(resource.endpoint, content.copy) if content.copy else None
    sent = copy or reconciliation.sent_record(resource, content.before)
    return sent, _in_order(resource, content.before)


def _in_order(resource: Resource, values: Iterable[str]) -> list[str]:
    order = [resource.title_field, *(part.name for part in resource.details)]
    given = list(values)
    return [name for name in dict.fromkeys(order) if name in given] + [
        name for name in given if name not in order
    ]


def _labelled(
    ctx: RequestContext, known: Names, resource: Resource, record: Record, names: Iterable[str]
) -> list[ShownDetail]:
    parts = [resource.detail(name) for name in names]
    labelled = [
        ShownDetail(part.label or part.name, part.value(record, ctx, known)) for part in parts
    ]
    return [one for one in labelled if one.value]


def _name(
    ctx: RequestContext, known: Names, resource: Resource, write: Write, label: str, sent: Record
) -> str:
    if label or write.record_id:
        return label or f"{resource.singular} {write.record_id}"
    parts = [resource.detail(name) for name in _in_order(resource, sent)]
    whom = next((part.value(sent, ctx, known).words for part in parts if part.points_to), "")
    return f"the {resource.singular} for {whom}" if whom else f"the {resource.singular}"


def _shown(ctx: RequestContext, known: Names, resource: Resource, one: Candidate) -> ShownCandidate:
    record = one.record
    return ShownCandidate(
        id=str(record.id),
        url=resource.url(record.id),
        title=resource.title(record),
        same=", ".join(
            resource.detail(name).label or name for name in _in_order(resource, one.same)
        ),
        differing=[
            ShownDetail(part.label or part.name, part.value(record, ctx, known))
            for part in map(resource.detail, _in_order(resource, one.differing))
        ],
    )


def _events(write: Write, check: Verification, seconds: float | None) -> list[tuple[str, str]]:
    """Return the events with their times, newest first, after the next check in so many seconds."""
    reason = readable(write, "answer").get("reason")
    now = timezone.now()
    next_check = now + timedelta(seconds=seconds) if seconds is not None else None
    events = [
        ("Next check", next_check),
        (f"Checked: {outcomes.found_in_words(write, check)}", now),
        (f"No clear answer: {reason}" if reason else NO_ANSWER, write.done_at),
        ("Sent by you", write.sent_at),
    ]
    return [(message, _clock(at)) for message, at in events if at]


def _clock(at: datetime) -> str:
    words = recent_time(at, timezone.localdate())
    return f"{timezone.localtime(at):%H:%M:%S}{words[5:]}"


@require_POST
@page
def send_again(ctx: RequestContext, pk: int) -> HttpResponse:
    """Send the same write again with a new token, once the checks are over.

    A repeated request gets the outcome of the first. A saved retry settles the entry; a rejected
    one leaves it open, as the outcome of the first write is still unknown.
    """
    write, resource = own_write(ctx, pk)
    if named_id(write) or write.resolution not in (Resolution.OPEN, Resolution.SENT_AGAIN):
        return redirect("unsure:show", pk)
    token = retries.retry_token(write, ctx.request.POST.get("token", ""))
    was_sent = ledger.of_form(token, ctx.user).exists()
    if next_reconciliation(write) is not None and not was_sent:
        messages.warning(ctx.request, TOO_EARLY)
        return redirect("unsure:show", pk)
    try:
        _send_same_write(ctx, resource, write, token)
    except ledger.InFlight:
        return redirect(outcomes.url_for_token(token))
    except OutcomeUnknown:
        # The new entry takes its place.
        after_response.run_best_effort(retries.resolve_as_sent_again, pk=write.pk)
        return redirect(outcomes.url_for_token(token))
    except _Changed as changed:
        ledger.resolve_write(write, Resolution.CLOSED)
        messages.warning(ctx.request, str(changed))
        return redirect(resource.url(write.record_id))
    except sealed.DecryptionError:
        messages.error(ctx.request, SEALED)
        return redirect("unsure:show", pk)
    except GatewayError as error:
        return _redirect_refused(ctx, resource, write, token, error)
    return _redirect_saved(ctx, write)


def _redirect_saved(ctx: RequestContext, write: Write) -> HttpResponse:
    """Redirect to the record; after a create to the entry, which looks for a late effect."""
    after_response.run_best_effort(retries.resolve_as_sent_again, pk=write.pk)
    messages.success(ctx.request, f"Sent again, and {outcomes.DONE[write.operation]}.")
    if write.operation == "create":
        return redirect("unsure:show", write.pk)
    return redirect(outcomes.saved(write.resource, write.operation, write.record_id).url)


def _redirect_refused(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    token: str,
    error: GatewayError,
) -> HttpResponse:
    """Redirect to the form with the draft and the service's errors; without a draft or for other
    errors to the entry.
    """
    again = ledger.find_by_token(token, ctx.user)
    draft = Draft.objects.filter(token=write.form_token, person=ctx.user, discarded_at=None).first()
    if again and draft and isinstance(error, Rejected):
        return redirect(f"{draft.path}?{PARAM}={draft.pk}&{REFUSED}={again.pk}")
    why = in_words(error, resource.fields)
    messages.error(ctx.request, f"Not {outcomes.DONE[write.operation]}. {why}")
    return redirect("unsure:show", write.pk)


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
    body = content.body
    with writer.reserve(ctx, resource, write.record_id or 0, token) as again:
        if again.is_new:
            fresh = again.read(search_texts(resource, write, content))
            _check_unchanged(fresh, content.before, body)
        again.update(body, body=body)


def _repeat_deletion(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    content: ledger.Content,
    token: str,
) -> None:
    """Send the same deletion again. Raises _Changed if the record has changed since it was read for
    the first one, and as PendingWrite.delete.
    """
    with writer.reserve(ctx, resource, write.record_id or 0, token) as again:
        if again.is_new:
            copy = record_of(resource.endpoint, content.copy) if content.copy else None
            try:
                fresh = again.read(search_texts(resource, write, content))
            except Missing:  # the service says so again when it is deleted
                again.current = copy
            else:
                if copy and deletions.is_changed(resource, copy, fresh):
                    raise _Changed(
                        "Not deleted: someone has changed this record since. "
                        "Check it, and delete it there if you still want to."
                    )
        again.delete(content.label)


def _check_unchanged(fresh: Record, before: dict[str, str], body: dict[str, Any]) -> None:
    """Raise _Changed if a field has neither its value before the update nor the one sent."""
    now = reconciliation.values_as_text(fresh, before)
    if any(now[name] not in (before[name], reconciliation.as_text(body[name])) for name in before):
        raise _Changed(
            "Not sent again: someone has changed this record since. "
            "Check it, and edit it if you still need to."
        )


app_name = "unsure"
_for_editors = permission_required(EDIT_RECORDS)
urlpatterns = [
    path("", _for_editors(list_unresolved), name="list"),
    path("form/<str:token>/", _for_editors(show_form), name="form"),
    path("<int:pk>/", _for_editors(show_write), name="show"),
    path("<int:pk>/found/", _for_editors(resolve_as_saved), name="found"),
    path("<int:pk>/again/", _for_editors(send_again), name="again"),
    path("<int:pk>/leave/", _for_editors(close_unresolved), name="leave"),
]
