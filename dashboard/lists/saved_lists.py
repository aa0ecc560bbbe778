"""Named lists of a resource: all records, the built-in ones, and saved ones; and the pages that
save a list, change it, and choose the one that a list opens with.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dashboard.core.sealed import readable
from dashboard.core.templates import validate_one_line
from dashboard.lists.query import ALL, ListQuery
from dashboard.lists.table import chips
from dashboard.office import choices
from dashboard.office.models import SavedView
from dashboard.people.context import RequestContext, page
from dashboard.people.models import User
from dashboard.people.permissions import DELETE_RECORDS
from dashboard.schema.resource import Resource

SHARES = DELETE_RECORDS  # what managers have and editors have not
FULL = "You've reached the limit of saved views. Delete one first."
SHARED_FULL = (
    "This list has reached the limit of shared views. Delete one first, or save this one for "
    "yourself."
)
TOO_LONG = "The search and the filters of this list are too long to save."
FIRST = "view.{}"  # the preference of the list that opens
MAX_VIEWS = 100  # of one person in one workspace
MAX_SHARED = 50  # of one list in one workspace
SAVED = "The view “{}” was saved."
TAKEN = "You already have a view with this name."
GONE = "This view no longer exists. Save the list as a new view if you still need it."


@dataclass(frozen=True)
class NamedList:
    """A named list. `params`: its query string, as `ListQuery.saved_state` writes it. `saved`: None
    for a built-in one.
    """

    key: str
    label: str
    resource: Resource
    params: str = ""
    saved: SavedView | None = None

    @classmethod
    def of(cls, saved: SavedView, resource: Resource) -> "NamedList":
        """Return a saved list as a named one; its label is "" if no configured key decrypts it."""
        content = readable(saved, "content")
        label, params = content.get("name", ""), content.get("params", "")
        return cls(saved.key, label, resource, params, saved)

    @property
    def url(self) -> str:
        marked = f"{self.params}&view={self.key}" if self.params else f"view={self.key}"
        return f"{self.resource.url()}?{marked}"

    def query(self, ctx: RequestContext) -> ListQuery:
        return ListQuery.from_params(self.resource, QueryDict(self.params), ctx)

    def may_change(self, ctx: RequestContext) -> bool:
        """Return whether the person may change it: their own, or a shared one if they may share."""
        if self.saved is None or ctx.person is None:
            return False
        return self.saved.user_id == ctx.person.pk or ctx.may(SHARES)


class SavedLists:
    """The named lists of a resource as one person sees them: all records, the built-in ones, then
    saved ones. One query. default: the key of the one that the list opens with.
    """

    def __init__(self, ctx: RequestContext, resource: Resource) -> None:
        self.ctx, self.resource = ctx, resource
        self.all = built_in(resource) + saved_of([resource], ctx)
        self.default = default_of(resource, ctx)

    def get(self, key: str) -> NamedList:
        """Return the list with this key, or all records if it no longer exists."""
        return next((each for each in self.all if each.key == key), self.all[0])

    def query(self, params: QueryDict) -> ListQuery:
        """Return the query of a URL; that of the list it names, else the default one, if it says
        nothing else.
        """
        if params.keys() - {"view"}:
            return ListQuery.from_params(self.resource, params, self.ctx)
        opening = self.get(params.get("view", self.default))
        is_plain = opening.key == ALL and not params
        return replace(opening.query(self.ctx), view="" if is_plain else opening.key)

    def active(self, query: ListQuery) -> NamedList | None:
        """Return the list that the URL names, else one with the same query, else all records."""
        if query.view:
            return next((each for each in self.all if each.key == query.view), None)
        state = query.saved_state()
        return next((each for each in self.all if each.params == state), self.all[0])


def built_in(resource: Resource) -> list[NamedList]:
    views = resource.views
    named = [NamedList(each.key, each.label, resource, urlencode(each.params)) for each in views]
    return [NamedList(ALL, "All", resource), *named]


def saved_of(resources: Iterable[Resource], ctx: RequestContext) -> list[NamedList]:
    """Return the saved views of these resources that the person sees, by name, without those that
    no configured key decrypts. One query.
    """
    if not (ctx.person and ctx.workspace):
        return []
    by_name = {resource.name: resource for resource in resources}
    own_or_shared = Q(user=ctx.person) | Q(shared=True)
    rows = SavedView.objects.filter(own_or_shared, workspace=ctx.workspace).order_by()
    opened = [NamedList.of(row, by_name[row.resource]) for row in rows if row.resource in by_name]
    return sorted((each for each in opened if each.label), key=lambda each: (each.label, each.key))


def default_of(resource: Resource, ctx: RequestContext) -> str:
    """Return the key of the named list that the person's list opens with."""
    field, chosen = FIRST.format(resource.name), ""
    if ctx.person:
        chosen = choices.choices_of(ctx.person, ctx.workspace).get(field, "")
    return chosen or resource.first_view or ALL


class ViewForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=SavedView.LONGEST_NAME, validators=[validate_one_line]
    )
    shared = forms.BooleanField(
        label="For everyone in this workspace",
        required=False,
        help_text="Everyone can use it. Only you and managers can change it.",
    )


@page
def save_view(ctx: RequestContext, resource: Resource, pk: int | None = None) -> HttpResponse:
    """Save the list of the URL under a name; rename, share or delete the view `pk`, or store
    another state of the list in it. Without that view, show the list.
    """
    try:
        return _save_view(ctx, resource, pk)
    except SavedView.DoesNotExist:
        messages.warning(ctx.request, GONE)
        state = QueryDict(ctx.request.POST.get("state", ""))
        return redirect(ListQuery.from_params(resource, state, ctx).url(view="", page=1))


def _save_view(ctx: RequestContext, resource: Resource, pk: int | None) -> HttpResponse:
    if pk is None:
        view = SavedView(user=ctx.user, workspace=ctx.workspace, resource=resource.name)
        view.params = ListQuery.from_params(resource, ctx.params, ctx).saved_state()
    else:
        view = _changeable(ctx, resource, pk)
        if done := _act(ctx, view, resource):
            return done
    initial = {"name": view.name, "shared": view.shared} if pk else {}
    form = ViewForm(ctx.request.POST if ctx.request.method == "POST" else None, initial=initial)
    if not ctx.may(SHARES):
        del form.fields["shared"]
    if form.is_valid() and _store(ctx, form, view):
        return redirect(NamedList.of(view, resource).url)
    query = ListQuery.from_params(resource, QueryDict(view.params), ctx)
    context = {
        "title": f"View “{view.name}”" if pk else "Save view",
        "form": form,
        "chips": chips(query, ctx),
        "columns": [column.label for column in query.shown],
        "cancel_url": NamedList.of(view, resource).url if pk else query.url(),
        "view": view if pk else None,
        "resource": resource,
    }
    return ctx.render("lists/saved_list.html", context)


@require_POST
@page
def choose_first(ctx: RequestContext, resource: Resource) -> HttpResponse:
    view = SavedLists(ctx, resource).get(ctx.request.POST.get("view", ""))
    values = {FIRST.format(resource.name): view.key}
    choices.remember_choices(user=ctx.user, workspace=ctx.workspace, values=values)
    messages.success(ctx.request, f"“{view.label}” is now your default view.")
    return redirect(view.url)


def _act(ctx: RequestContext, view: SavedView, resource: Resource) -> HttpResponse | None:
    if "delete" in ctx.request.POST:
        view.delete()
        messages.success(ctx.request, f"The view “{view.name}” was deleted.")
        return redirect(resource.url())
    if "state" not in ctx.request.POST:
        return None
    query = ListQuery.from_params(resource, QueryDict(ctx.request.POST["state"]), ctx)
    view.params = query.saved_state()
    if len(view.params) > SavedView.LONGEST_PARAMS:
        messages.error(ctx.request, TOO_LONG)
    else:
        store(view, params=view.params)
        messages.success(ctx.request, SAVED.format(view.name))
    return redirect(NamedList.of(view, resource).url)


def _store(ctx: RequestContext, form: ViewForm, view: SavedView) -> bool:
    """Store the view as the form says; return False if not, with the reason in the form."""
    name, shared = form.cleaned_data["name"], form.cleaned_data.get("shared", view.shared)
    of_workspace = SavedView.objects.filter(workspace=view.workspace)
    own_views = of_workspace.filter(user=view.user)
    shared_views = of_workspace.filter(resource=view.resource, shared=True)
    if view.pk is None and len(view.params) > SavedView.LONGEST_PARAMS:
        form.add_error(None, TOO_LONG)
    elif view.pk is None and own_views.count() >= MAX_VIEWS:
        form.add_error(None, FULL)
    elif shared and not view.shared and shared_views.count() >= MAX_SHARED:
        form.add_error("shared", SHARED_FULL)
    elif not store(view, name=name, shared=shared):
        form.add_error("name", TAKEN)
    if form.errors:
        return False
    messages.success(ctx.request, SAVED.format(name))
    return True


def _changeable(ctx: RequestContext, resource: Resource, pk: int) -> SavedView:
    seen = Q(user=ctx.user) | Q(shared=True)
    place = {"workspace": ctx.workspace, "resource": resource.name}
    if not ctx.workspace:
        raise SavedView.DoesNotExist
    view = SavedView.objects.filter(seen, **place).get(pk=pk)
    if not NamedList.of(view, resource).may_change(ctx):
        raise PermissionDenied("Only its owner or a manager can change a shared view.")
    return view


@transaction.atomic
def store(view: SavedView, **values: Any) -> bool:
    """Store a new view, or the changed `name`, `params` or `shared` of an existing one without
    overwriting another request's change of the rest. Return False if the person has another view of
    this name. Raises SavedView.DoesNotExist.
    """
    User.objects.select_for_update().get(pk=view.user_id)  # not twice at the same time
    same = {"user": view.user, "workspace": view.workspace, "resource": view.resource}
    others = SavedView.objects.filter(**same).exclude(pk=view.pk)
    if any(other.name == values.get("name") for other in others):
        return False
    existing = SavedView.objects.select_for_update()
    stored = existing.get(pk=view.pk) if view.pk else view
    for name, value in values.items():
        setattr(stored, name, value)
    stored.save(update_fields=["content", "shared"] if view.pk else None)
    return True


@transaction.atomic
def hand_over(view: SavedView, colleague: User) -> bool:
    """Give a view to a colleague, under another name if theirs is taken. Return False if no
    configured key decrypts it.
    """
    stored = SavedView.objects.select_for_update().get(pk=view.pk)
    if not stored.name:
        return False
    User.objects.select_for_update().get(pk=colleague.pk)  # not twice at the same time
    content = {**stored.content, "name": _free_name(stored, colleague)}
    stored.user = colleague
    stored.content = content  # sealed again, for its new person
    stored.save(update_fields=["user", "content"])
    return True


def _free_name(view: SavedView, colleague: User) -> str:
    same = {"user": colleague, "workspace": view.workspace, "resource": view.resource}
    taken = {other.name for other in SavedView.objects.filter(**same)}
    endings = chain([""], (f" ({number})" for number in count(2)))
    names = (view.name[: SavedView.LONGEST_NAME - len(end)] + end for end in endings)
    return next(name for name in names if name not in taken)
