"""The pages that save a list under a name, change it, and choose the one that a list opens with."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.forms import validate_one_line
from dashboard.preferences import saved_views
from dashboard.preferences.models import SavedView
from dashboard.records.context import RequestContext, StaffRequest, context_of
from dashboard.records.lists import views as list_views
from dashboard.records.lists.query import ALL, ListQuery
from dashboard.records.lists.table import chips
from dashboard.records.resource import Resource

SHARES = DELETE_RECORDS  # what managers have and editors have not
FULL = "You have saved as many views as there is room for. Delete one first."
TOO_LONG = "The search and the filters of this list are too long to save."
TAKEN = "You have a view of this name already."


class ViewForm(forms.Form):
    """The name of a view and who has it."""

    name = forms.CharField(
        label="Name", max_length=SavedView.LONGEST_NAME, validators=[validate_one_line]
    )
    shared = forms.BooleanField(
        label="For everybody in this workspace",
        required=False,
        help_text="Others see it in their lists, and only managers can change it.",
    )
    first = forms.BooleanField(label="Open my list with it", required=False)


@require_http_methods(["GET", "HEAD", "POST"])
def save_view(request: StaffRequest, resource: Resource) -> HttpResponse:
    """Save the list that the address describes under a name."""
    ctx = context_of(request)
    query = ListQuery.read(resource, request.GET, ctx.style)
    view = SavedView(user=request.user, workspace=ctx.workspace, resource=resource.name)
    view.params = _params(query)
    form = _form(request)
    if request.method == "POST" and form.is_valid():
        if len(view.params) > SavedView.LONGEST_PARAMS:
            form.add_error(None, TOO_LONG)
        elif not saved_views.has_room(request.user, ctx.workspace):
            form.add_error(None, FULL)
        elif _store(request, form, view):
            return redirect(_address(view, resource))
    return _page(request, resource, form, query, ctx, cancel_url=query.url())


@require_http_methods(["GET", "HEAD", "POST"])
def edit_view(request: StaffRequest, resource: Resource, pk: int) -> HttpResponse:
    """Rename a view, share it or delete it; or store another state of the list in it."""
    ctx = context_of(request)
    view = _changeable(request, resource, ctx, pk)
    query = ListQuery.read(resource, QueryDict(view.params), ctx.style)
    if "delete" in request.POST:
        view.delete()
        messages.success(request, f"The view “{view.name}” was deleted.")
        return redirect(resource.url())
    if "state" in request.POST:
        view.params = _params(ListQuery.read(resource, QueryDict(request.POST["state"]), ctx.style))
        if len(view.params) > SavedView.LONGEST_PARAMS:
            messages.error(request, TOO_LONG)
        else:
            saved_views.change(view, params=view.params)
            messages.success(request, f"The view “{view.name}” was saved.")
        return redirect(_address(view, resource))
    first = list_views.first_view(resource, ctx) == view.key
    form = _form(request, name=view.name, shared=view.shared, first=first)
    if request.method == "POST" and form.is_valid() and _store(request, form, view):
        return redirect(_address(view, resource))
    cancel = _address(view, resource)
    return _page(request, resource, form, query, ctx, cancel_url=cancel, view=view)


@require_POST
def choose_first(request: StaffRequest, resource: Resource) -> HttpResponse:
    """Choose the view that the person's list opens with."""
    ctx = context_of(request)
    views = list_views.views_of(resource, ctx)
    view = next((each for each in views if each.key == request.POST.get("view")), views[0])
    saved_views.set_first_view(request.user, ctx.workspace, resource.name, view.key)
    messages.success(request, f"Your list of {resource.name} opens with “{view.label}” now.")
    return redirect(view.url)


def _form(request: StaffRequest, **initial: Any) -> ViewForm:
    form = ViewForm(request.POST if request.method == "POST" else None, initial=initial)
    if not request.user.has_perm(SHARES):
        del form.fields["shared"]
    return form


def _store(request: StaffRequest, form: ViewForm, view: SavedView) -> bool:
    """Whether the view could be stored as the form says; the form has the reason if not."""
    shared = form.cleaned_data.get("shared", view.shared)
    if not saved_views.store(view, form.cleaned_data["name"], shared=shared):
        form.add_error("name", TAKEN)
        return False
    chosen = saved_views.first_view(request.user, view.workspace, view.resource) == view.key
    if form.cleaned_data["first"] != chosen:
        key = view.key if form.cleaned_data["first"] else ALL
        saved_views.set_first_view(request.user, view.workspace, view.resource, key)
    messages.success(request, f"The view “{view.name}” was saved.")
    return True


def _changeable(
    request: StaffRequest, resource: Resource, ctx: RequestContext, pk: int
) -> SavedView:
    found = saved_views.visible(request.user, ctx.workspace).filter(resource=resource.name)
    view: SavedView = get_object_or_404(found, pk=pk)
    if view.user_id != request.user.pk and not request.user.has_perm(SHARES):
        raise PermissionDenied("A shared view is changed by who saved it, or by a manager.")
    return view


def _params(query: ListQuery) -> str:
    params = QueryDict(mutable=True)
    params.update(query.state())
    return params.urlencode()


def _address(view: SavedView, resource: Resource) -> str:
    return list_views.ListView(view.key, view.name, resource, view.params).url


def _page(
    request: StaffRequest,
    resource: Resource,
    form: ViewForm,
    query: ListQuery,
    ctx: RequestContext,
    *,
    cancel_url: str,
    view: SavedView | None = None,
) -> HttpResponse:
    context = {
        "title": f"View “{view.name}”" if view else f"Save this list of {resource.name}",
        "form": form,
        "chips": chips(query, ctx),
        "columns": [column.label for column in query.shown],
        "cancel_url": cancel_url,
        "view": view,
        "resource": resource,
    }
    return render(request, "records/view.html", context)
