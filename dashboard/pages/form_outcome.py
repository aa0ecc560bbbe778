"""The page for a form that another request is still sending, for example after a double click.

The page reloads itself until the outcome is known, and then redirects to where the first request
redirects. No request thread waits.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.context import RequestContext, page_without_keys
from dashboard.declare.registry import RESOURCES
from dashboard.declare.resource import Resource
from dashboard.gateway import Missing
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.writes import stored_outcomes
from dashboard.writes.failures import in_words

RELOAD_AFTER = 1  # seconds
State = Write.State
DONE = {"create": "created", "update": "saved", "delete": "deleted"}


def url(token: str) -> str:
    """The address of this page for a form, given the token of the form or of one of its writes."""
    return reverse("unsure:form", args=[token.partition(":")[0]])


@require_safe
@page_without_keys
def show_outcome(ctx: RequestContext, token: str) -> HttpResponse:
    """The waiting page while the form is being sent; afterwards a redirect to its outcome."""
    if ledger.is_under_way(token, ctx.user):
        response = ctx.render("pages/form_outcome.html", {})
        response.headers["Refresh"] = str(RELOAD_AFTER)
        return response
    writes = list(ledger.of_form(token, ctx.user))
    for write in _main(writes):
        if write.state == State.NOT_SURE:
            return redirect("unsure:show", write.pk)
        if write.state == State.NOT_SAVED:
            return _not_saved(ctx, RESOURCES[write.resource], write)
    if not writes:
        return _not_sent(ctx)
    last = _main(writes)[-1]
    return _saved(ctx, RESOURCES[last.resource], last)


def _main(writes: list[Write]) -> list[Write]:
    """The writes that decide the outcome: a deletion beside other writes is only a clean-up."""
    return [write for write in writes if write.operation != "delete"] or writes


def _not_sent(ctx: RequestContext) -> HttpResponse:
    """Redirect for a form of which nothing was sent: the record was unreadable or had changed."""
    messages.warning(ctx.request, "Nothing was sent. What you typed is kept under Unfinished.")
    return redirect("unfinished:list")


def _not_saved(ctx: RequestContext, resource: Resource, write: Write) -> HttpResponse:
    error = stored_outcomes.stored_error(write)
    if write.operation == "delete" and isinstance(error, Missing):
        messages.info(ctx.request, f"This {resource.singular} was already gone.")
        return redirect(resource.url())
    kept = "" if write.operation == "delete" else "What you typed is kept under Unfinished."
    why = in_words(error, resource.fields)
    messages.error(ctx.request, f"Not {DONE[write.operation]}. {why} {kept}".strip())
    return redirect("unfinished:list")


def _saved(ctx: RequestContext, resource: Resource, write: Write) -> HttpResponse:
    name = ledger.label_of(write) or write.record_id or ""
    words = f"{resource.singular.capitalize()} {name} was {DONE[write.operation]}."
    messages.success(ctx.request, words)
    return redirect(resource.url(None if write.operation == "delete" else write.record_id))
