"""The page of a write whose outcome is unknown: reconciles it, or lets the person decide.

The page reads from the service when it opens and a few times more (writes/settling.py). Where that
does not settle a create, it lists possible duplicates, and the person selects the record or sends
the write again (resending.py).
"""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard import sealed
from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.drafts import services as drafts
from dashboard.gateway import GatewayError, whole_number
from dashboard.outbox import looks, repetitions
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission
from dashboard.pages import form_outcome, unresolved_context
from dashboard.reader.owner import owner_of
from dashboard.writes import reconciliation
from dashboard.writes.settling import Look, look, settle

Settled, State = Submission.Settled, Submission.State


def address_of(token: str) -> str:
    """The address of an unresolved write; of its form's outcome page if it may be under way."""
    found = Submission.objects.filter(token=token, state=State.NOT_SURE).first()
    return address(found.pk) if found else form_outcome.url(token)


def leave_unresolved_form(ctx: RequestContext, token: str) -> HttpResponse:
    """The answer of a form page whose write, sent with this token, has no known outcome. The draft
    waits until that is settled.
    """
    ctx.request.form_input = replace(ctx.form_input, is_unresolved=True)
    return redirect(address_of(token))


def address(pk: int) -> str:
    """The address of the page of an unresolved write."""
    return reverse("unsure:show", args=[pk])


@require_safe
@page
def show_unresolved(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """The page with the state of the write, the records found, and the possible actions."""
    submission, resource = own_submission(ctx, pk, resources)
    if outbox.refreshed(submission).state != State.NOT_SURE:
        return redirect(form_outcome.url(submission.token))
    if submission.settled == Settled.SENT_AGAIN:
        return _show_sent_again(ctx, submission, resource)
    found = look(ctx, resource, submission)
    if submission.settled != Settled.OPEN:
        return _redirect_settled(ctx, submission, resource)
    return _render(ctx, resource, submission, found)


@require_POST
@page
def settle_as_saved(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Settle the write as saved, with the record that the person selected."""
    submission, resource = own_submission(ctx, pk, resources)
    settle(submission, Settled.FOUND, whole_number(ctx.request.POST.get("record_id", "")))
    messages.success(ctx.request, "Settled: it was saved.")
    return redirect(resource.url(submission.record_id))


@require_POST
@page
def leave_unresolved(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Close the entry without an outcome; its draft stays under Unfinished."""
    submission = get_object_or_404(Submission, pk=pk, person=ctx.user)  # with any keys
    resource = resources[submission.resource]
    if outbox.settle(submission, Settled.LEFT):
        drafts.release_by_token(submission.person_id, submission.token)
    rest = "" if submission.operation == "delete" else " What was typed stays under Unfinished."
    messages.info(ctx.request, f"Left as it is.{rest}")
    return redirect(resource.url())


def own_submission(
    ctx: RequestContext, pk: int, resources: Mapping[str, Resource]
) -> tuple[Submission, Resource]:
    """The person's own submission, sent with the keys they hold now; 404 for any other."""
    submission = get_object_or_404(Submission, pk=pk, person=ctx.user)
    if submission.owner != owner_of(ctx.gateway):
        raise Http404
    return submission, resources[submission.resource]


def _render(
    ctx: RequestContext,
    resource: Resource,
    submission: Submission,
    look: Look,
    again: Submission | None = None,
) -> HttpResponse:
    """`again`: the write that was sent in place of this one, and saved."""
    seconds = looks.next_look(again or submission)
    context = {
        "resource": resource,
        "submission": submission,
        "again_url": resource.url(again.record_id) if again else "",
        "token": repetitions.retry_token(submission),
        **unresolved_context.build(ctx, resource, submission, look, seconds),
    }
    template = "pages/_unsure.html" if ctx.request.htmx else "pages/unsure.html"
    return ctx.render(template, context)


def _show_sent_again(
    ctx: RequestContext, submission: Submission, resource: Resource
) -> HttpResponse:
    """The page after a create was sent again and saved, which looks for a late effect of the first;
    for other writes a redirect.
    """
    again = repetitions.sent_again(submission)
    if again and again.state != State.SAVED:
        return redirect(address_of(again.token))
    if again is None or submission.operation != "create":
        return _redirect_settled(ctx, submission, resource)
    try:
        found = reconciliation.find_candidates(ctx, resource, outbox.content_of(submission).body)
    except (GatewayError, sealed.Unreadable) as error:
        look = Look(problem=error if isinstance(error, GatewayError) else None)
    else:
        others = [one for one in found.candidates if one.record.id != again.record_id]
        look = Look(others, complete=found.complete)
    return _render(ctx, resource, submission, look, again)


def _redirect_settled(
    ctx: RequestContext, submission: Submission, resource: Resource
) -> HttpResponse:
    gone = submission.operation == "delete"
    words = {
        Settled.FOUND: f"It was {'deleted' if gone else 'saved'} after all.",
        Settled.SENT_AGAIN: "It was sent again.",
        Settled.LEFT: "It was left as it is.",
    }
    messages.info(ctx.request, words[Settled(submission.settled)])
    url = resource.url() if gone else resource.url(submission.record_id)
    if not ctx.request.htmx:
        return redirect(url)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": url})
