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
from dashboard.ledger import looks, repetitions
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.pages import form_outcome, unresolved_context
from dashboard.reader.sealed_cache import owner_of
from dashboard.writes import reconciliation
from dashboard.writes.settling import Look, look, settle

Resolution, State = Write.Resolution, Write.State


def address_of(token: str) -> str:
    """The address of an unresolved write; of its form's outcome page if it may be under way."""
    found = Write.objects.filter(token=token, state=State.NOT_SURE).first()
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
    write, resource = own_write(ctx, pk, resources)
    if ledger.refreshed(write).state != State.NOT_SURE and not write.resolution:
        return redirect(form_outcome.url(write.token))
    if write.resolution == Resolution.SENT_AGAIN:
        return _show_sent_again(ctx, write, resource)
    found = look(ctx, resource, write)
    if write.resolution != Resolution.OPEN:
        return _redirect_settled(ctx, write, resource)
    return _render(ctx, resource, write, found)


@require_POST
@page
def settle_as_saved(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Settle the write as saved, with the record that the person selected."""
    write, resource = own_write(ctx, pk, resources)
    settle(write, Resolution.FOUND, whole_number(ctx.request.POST.get("record_id", "")))
    messages.success(ctx.request, "Settled: it was saved.")
    return redirect(resource.url(write.record_id))


@require_POST
@page
def leave_unresolved(ctx: RequestContext, pk: int, resources: dict[str, Resource]) -> HttpResponse:
    """Close the entry without an outcome; its draft stays under Unfinished."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)  # with any keys
    resource = resources[write.resource]
    if ledger.settle(write, Resolution.CLOSED):
        drafts.release_by_token(write.person_id, write.token)
    rest = "" if write.operation == "delete" else " What was typed stays under Unfinished."
    messages.info(ctx.request, f"Left as it is.{rest}")
    return redirect(resource.url())


def own_write(
    ctx: RequestContext, pk: int, resources: Mapping[str, Resource]
) -> tuple[Write, Resource]:
    """The person's own write, sent with the keys they hold now; 404 for any other."""
    write = get_object_or_404(Write, pk=pk, person=ctx.user)
    if write.owner != owner_of(ctx.gateway):
        raise Http404
    return write, resources[write.resource]


def _render(
    ctx: RequestContext,
    resource: Resource,
    write: Write,
    look: Look,
    again: Write | None = None,
) -> HttpResponse:
    """`again`: the write that was sent in place of this one, and saved."""
    seconds = looks.next_look(again or write)
    context = {
        "resource": resource,
        "write": write,
        "again_url": resource.url(again.record_id) if again else "",
        "token": repetitions.retry_token(write),
        **unresolved_context.build(ctx, resource, write, look, seconds),
    }
    template = "pages/_unsure.html" if ctx.request.htmx else "pages/unsure.html"
    return ctx.render(template, context)


def _show_sent_again(ctx: RequestContext, write: Write, resource: Resource) -> HttpResponse:
    """The page after a create was sent again and saved, which looks for a late effect of the first;
    for other writes a redirect.
    """
    again = repetitions.sent_again(write)
    if again and again.state != State.SAVED:
        return redirect(address_of(again.token))
    if again is None or write.operation != "create":
        return _redirect_settled(ctx, write, resource)
    try:
        found = reconciliation.find_candidates(ctx, resource, ledger.content_of(write).body)
    except (GatewayError, sealed.Unreadable) as error:
        look = Look(problem=error if isinstance(error, GatewayError) else None)
    else:
        others = [one for one in found.candidates if one.record.id != again.record_id]
        look = Look(others, complete=found.complete)
    return _render(ctx, resource, write, look, again)


def _redirect_settled(ctx: RequestContext, write: Write, resource: Resource) -> HttpResponse:
    gone = write.operation == "delete"
    words = {
        Resolution.FOUND: f"It was {'deleted' if gone else 'saved'} after all.",
        Resolution.SENT_AGAIN: "It was sent again.",
        Resolution.CLOSED: "It was left as it is.",
    }
    messages.info(ctx.request, words[Resolution(write.resolution)])
    url = resource.url() if gone else resource.url(write.record_id)
    if not ctx.request.htmx:
        return redirect(url)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": url})
