"""The page where people say who they are in the service, and the steps of somebody's first day."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dashboard.administration.setup_terms import terms_of_invoices
from dashboard.core.service_name import SERVICE
from dashboard.office import choices as preferences
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField
from dashboard.office.setup_steps import is_first
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.key_views import COUNTS
from dashboard.people.keys import pair_of
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS, permission_required
from dashboard.schema.defaults import own_id
from dashboard.schema.registry import RESOURCES

NEXT = "next"  # the parameter of the address of the last step
SAVED = "Saved. You are the owner and assignee of what you create."


class ListForm(forms.Form):
    use_required_attribute = False

    def __init__(self, data: Any, *, field: ReferenceField, ctx: RequestContext, now: str) -> None:
        super().__init__(data, initial={"choice": now})
        self.fields["choice"] = field
        field.use(ctx.workspace, ctx.whom_to_ask)


def own_user_form(ctx: RequestContext) -> ListForm:
    """The user of the service that the person is: chosen before, or the only one of their name."""
    asked = "New deals, leads, tasks and invoices begin with you as owner and assignee."
    field = ReferenceField(kind=Kind.USER, label="You are", help_text=asked, required=False)
    return ListForm(ctx.request.POST or None, field=field, ctx=ctx, now=own_id(ctx))


def store(ctx: RequestContext, form: ListForm) -> None:
    code = str(form.cleaned_data["choice"] or "")
    preferences.remember_own_id(ctx.user, ctx.workspace, code)


@permission_required(EDIT_RECORDS)
@require_http_methods(["GET", "HEAD", "POST"])
@page
def me(ctx: RequestContext) -> HttpResponse:
    """The person's own user id in the service: the owner and assignee of what they create."""
    form = own_user_form(ctx)
    back = "setup:page" if ctx.may(MANAGE_SETTINGS) else "credentials:connect"
    if ctx.request.method == "POST" and form.is_valid():
        store(ctx, form)
        messages.success(ctx.request, SAVED)
        return redirect(back)
    context = {"title": f"Which user of {SERVICE} are you?", "form": form, "back": back}
    return ctx.render("administration/setup_choice.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page_without_keys
def welcome(ctx: RequestContext) -> HttpResponse:
    """The second step, who the person is in the service, and the third, where to begin. The first,
    connecting keys, is of the page that stores them (people/key_views.py).

    The second is left out for those who only read, and where no user of the service has a name yet.
    """
    pair = pair_of(ctx.user)
    if pair is None:
        return redirect("credentials:connect")
    asks = ctx.may(EDIT_RECORDS) and bool(catalogue.names(ctx.workspace, Kind.USER))
    form = own_user_form(ctx) if asks and NEXT not in ctx.params else None
    if form and ctx.request.method == "POST" and form.is_valid():
        store(ctx, form)
        return redirect(f"{reverse('setup:welcome')}?{NEXT}")
    counts = ctx.request.session.get(COUNTS, {})
    areas = [
        (each.label, each.name not in pair.closed_areas, counts.get(each.name))
        for each in RESOURCES.values()
    ]
    context: dict[str, Any] = {
        "step": 2 if form else 3,
        "form": form,
        "workspace": pair.workspace,
        "areas": areas,
        "may_edit": ctx.may(EDIT_RECORDS),
        "lacks_lists": is_first(ctx.user),
        "currency": catalogue.only_currency(ctx.workspace),
        "terms": None if form else terms_of_invoices(ctx),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form and form.errors else HTTPStatus.OK
    return ctx.render("administration/welcome.html", context, status=status)
