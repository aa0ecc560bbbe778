"""Server side of pickers: matches, and quick forms of new records."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse

from dashboard.core.service_name import SERVICE
from dashboard.gateway import GatewayError, Rejected, whole_number
from dashboard.people import permissions as may
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.reader import find, lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import Match
from dashboard.schema import pickers
from dashboard.schema.new_record import build_body
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.text.plain import typed_text
from dashboard.writes import writer
from dashboard.writes.ledger import InFlight, new_token

STILL_SENDING = "still_sending"  # code of a form's error
SHORTEST_NEW = 2


@page_without_keys
def suggest_matches(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Return the matches of a text as list box options; the last one creates a new record."""
    text = typed_text(ctx.params, "q")
    within = ctx.params.get("within", "")
    known = {item.name for item in resource.endpoint.filters}
    prefers = ctx.params.get(pickers.PREFER, "")
    context: dict[str, Any] = {
        "text": text,
        "noun": resource.singular,
        "create": len(text) >= SHORTEST_NEW
        and bool(resource.quick_form)
        and ctx.may(may.EDIT_RECORDS),
    }
    try:
        context["matches"] = matches = find.search(
            ctx.gateway,
            resource.endpoint,
            text,
            {name: ctx.params.get(name, "") for name in known if name in ctx.params},
            prefers=prefers if prefers.partition(":")[0] in known else "",
            listed=_listed(ctx.params.get(pickers.LISTED, "")),
            parent=whole_number(within) or 0,
            in_any_spelling=find.has_folded_signs(text),
        )
        context["exact"] = find.unambiguous_match(matches, text)
    except GatewayError as error:
        context["failure"] = describe(error)
    return ctx.render("records/picker_options.html", context)


def _listed(text: str) -> list[int]:
    words = text.split(",")[: pickers.MAX_LISTED]
    return [number for word in words if (number := whole_number(word))]


@page
def create_in_place(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """Show the quick form of a new record; a POST creates it and returns 201 with its id
    and name.
    """
    if resource.quick_form is None:
        raise Http404
    given: dict[str, Any] = {**ctx.params.dict(), resource.title_field: ctx.params.get("name", "")}
    given[resource.endpoint.parent_field] = ctx.params.get("within", "")
    form = resource.quick_form(
        ctx.request.POST if ctx.request.method == "POST" else None,
        prefix=ctx.params.get("prefix", ""),
        initial=_known(resource.quick_form, given),
        ctx=ctx,
    )
    context = {"form": form, "noun": resource.singular, "token": new_token()}
    if ctx.request.method != "POST":
        return ctx.render("records/picker_new.html", context)
    token = ctx.request.POST.get("quick-token", "")
    context["made"] = created = save_in_place(form, resource, token)
    if form.has_error(None, STILL_SENDING):
        context["token"] = token  # a repeated request gets the outcome of the first
    status = HTTPStatus.CREATED if created else HTTPStatus.UNPROCESSABLE_ENTITY
    return ctx.render("records/picker_new.html", context, status=status)


def save_in_place(form: RecordForm, resource: Resource, token: str) -> Match | None:
    """Create the record of a quick form. On failure return None, with the error on the form."""
    if form.ctx is None or not form.is_valid():
        return None
    ctx = form.ctx
    try:
        body = build_body(ctx, resource, form.payload())
        created = writer.create(ctx=ctx, resource=resource, body=body, token=token)
    except Rejected as error:
        form.show_rejection(error)
        return None
    except GatewayError as error:
        failure = describe(error)
        code = STILL_SENDING if isinstance(error, InFlight) else ""
        form.add_error(None, ValidationError(f"{failure.title}. {failure.text}", code=code))
        return None
    if created.id is None:
        form.add_error(None, f"Created, but {SERVICE} didn't return its number. Search for it.")
        return None
    title = created.label or str(form.cleaned_data[resource.title_field])
    lookups.cache_title(ctx.gateway, resource.endpoint, created.id, title)
    return Match(created.id, title)


def _known(form: type[RecordForm], given: Mapping[str, str]) -> dict[str, str]:
    return {name: given[name] for name in form.base_fields if given.get(name)}
