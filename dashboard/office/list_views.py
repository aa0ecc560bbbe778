"""The pages on which administrators edit the lists of their own workspace."""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard.gateway import whole_number
from dashboard.people.context import RequestContext, page_without_keys
from dashboard.people.keys import own_workspace
from dashboard.people.permissions import (
    MANAGE_SETTINGS,
    VIEW_RECORDS,
    permission_required,
    signed_in,
)
from dashboard.text.numbers import trimmed, write_number
from dashboard.text.plain import typed_text

from . import editing, reference_lists
from .entry_forms import EntryForm
from .kinds import FIELD_KINDS, FREE_TEXT_KINDS, KEYED_BY_NAME, KIND_SPECS, Kind, KindSpec
from .models import ListEntry, UnnamedReference

PAGE = 100
SLUGS = {about.slug: kind for kind, about in KIND_SPECS.items()}

P = ParamSpec("P")
WorkspaceView = Callable[Concatenate[HttpRequest, str, P], HttpResponse]


def for_workspace(view: WorkspaceView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Give the view the id of the workspace of the administrator's keys. Raises NoKeys."""

    @permission_required(MANAGE_SETTINGS)
    @wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return view(request, own_workspace(signed_in(request)).pk, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponse]", page)


@for_workspace
@require_safe
def overview(request: HttpRequest, workspace: str) -> HttpResponse:
    entries = ListEntry.objects.filter(workspace=workspace).order_by()
    numbers = entries.values_list("kind", "retired").annotate(Count("pk"))
    counts = {(kind, retired): number for kind, retired, number in numbers}
    waiting = editing.unnamed_of(workspace).order_by()
    unnamed = dict(waiting.values_list("kind").annotate(Count("pk")))
    groups: dict[str, list[dict[str, Any]]] = {}
    for kind, about in KIND_SPECS.items():
        row = {
            "about": about,
            "active": counts.get((kind, False), 0),
            "retired": counts.get((kind, True), 0),
            "unnamed": unnamed.get(kind, 0),
        }
        groups.setdefault(about.group, []).append(row)
    context = {
        "title": "Names and codes",
        "groups": groups,
        "workspace": signed_in(request).key_pair.workspace,
        "unnamed": sum(unnamed.values()),
    }
    return render(request, "office/overview.html", context)


@for_workspace
@require_safe
def show_list(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    kind = kind_of(slug)
    return _page(request, workspace, kind, EntryForm(workspace=workspace, kind=kind))


@permission_required(VIEW_RECORDS)
@require_safe
@page_without_keys
def search(ctx: RequestContext, slug: str) -> HttpResponse:
    """Return the entries of a long list that match a text, as options for suggestions.js."""
    lists, kind = reference_lists.get_cached_lists(ctx.workspace), kind_of(slug)
    captions, entries = lists.active_choices(kind), lists.of(kind)
    codes = lists.search(kind, typed_text(ctx.params, "q"))
    rates = {
        captions[code]: write_number(trimmed(rate), ctx.style)
        for code in codes
        if code in entries and (rate := entries[code].rate) is not None
    }
    context = {"completions": [captions[code] for code in codes], "rates": rates}
    return ctx.render("office/_options.html", context)


@for_workspace
@require_POST
def add(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    kind = kind_of(slug)
    form = EntryForm(request.POST, workspace=workspace, kind=kind)
    if not form.is_valid():
        return _page(request, workspace, kind, form, status=422)
    editing.save_entries(workspace, kind, [form.cleaned_data])
    messages.success(request, f"{form.cleaned_data['name']} was added.")
    return redirect(f"{reverse('catalogue:list', args=[slug])}#add")


@for_workspace
def edit(request: HttpRequest, workspace: str, slug: str, pk: int) -> HttpResponse:
    kind = kind_of(slug)
    entry = get_object_or_404(editing.entries_of(workspace, kind), pk=pk)
    posted = request.POST if request.method == "POST" else None
    form = EntryForm(posted, workspace=workspace, kind=kind, entry=entry)
    if form.is_valid():
        editing.change(workspace, entry, form.cleaned_data)
        messages.success(request, f"{entry.name} was saved.")
        return redirect(_entry_address(entry, slug))
    context = {**list_context(kind), "title": f"Edit {entry.name}", "form": form, "entry": entry}
    return render(request, "office/edit.html", context, status=422 if posted else 200)


@for_workspace
@require_POST
def arrange(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """Move an entry up or down, retire it or restore it, by the name of the button."""
    kind = kind_of(slug)
    did = next((name for name in ("up", "down", "retire", "restore") if name in request.POST), "")
    pk = whole_number(request.POST.get(did, ""))
    if pk is None:
        raise Http404("no such entry")
    entry = get_object_or_404(editing.entries_of(workspace, kind), pk=pk)
    if did in ("up", "down"):
        editing.move(workspace, entry, up=did == "up")
        # To the button, to press it again.
        return redirect(_entry_address(entry, slug, request.POST, at=did))
    editing.retire(workspace, entry, back=did == "restore")
    done = "was restored" if did == "restore" else "was retired"
    messages.success(request, f"{entry.name} {done}.")
    return redirect(_entry_address(entry, slug, request.POST))


@for_workspace
def unnamed(request: HttpRequest, workspace: str) -> HttpResponse:
    if request.method == "POST":
        return _name_all(request, workspace)
    return _unnamed_page(request, workspace)


def kind_of(slug: str) -> Kind:
    """Return the kind of a list. Raises Http404 for an unknown one."""
    if slug not in SLUGS:
        raise Http404("no such list")
    return SLUGS[slug]


def list_context(kind: Kind) -> dict[str, Any]:
    about: KindSpec = KIND_SPECS[kind]
    return {
        "kind": kind,
        "about": about,
        "numbered": kind not in KEYED_BY_NAME,
        "learned": kind in FREE_TEXT_KINDS,
        "list_url": reverse("catalogue:list", args=[about.slug]),
    }


def _page(
    request: HttpRequest, workspace: str, kind: Kind, form: EntryForm, *, status: int = 200
) -> HttpResponse:
    query = typed_text(request.GET, "q")
    listed = editing.entries_of(workspace, kind).order_by("retired", "position", "pk")
    if query:
        listed = listed.filter(Q(name__icontains=query) | Q(code__iexact=query.lstrip("#")))
    page = Paginator(listed, PAGE).get_page(request.GET.get("page"))
    context = {
        **list_context(kind),
        "title": KIND_SPECS[kind].plural,
        "form": form,
        "query": query,
        "page": page,
        "rows": [(entry, _details(workspace, entry)) for entry in page],
        "add_words": f"Add {kind.label}",
        "unnamed": editing.unnamed_of(workspace).filter(kind=kind).count(),
    }
    return render(request, "office/list.html", context, status=status)


def _details(workspace: str, entry: ListEntry) -> list[tuple[str, str]]:
    names, labels = KIND_SPECS[Kind(entry.kind)].details, EntryForm.base_fields
    details = ((str(labels[name].label), _detail(workspace, entry, name)) for name in names)
    return [(label, words) for label, words in details if words]


def _detail(workspace: str, entry: ListEntry, name: str) -> str:
    value = getattr(entry, name)
    if name == "value_type":
        return entry.get_value_type_display()
    if name in ("parent", "tax") and value:
        kind = Kind.PIPELINE if name == "parent" else Kind.TAX
        return reference_lists.get_cached_lists(workspace).label_with_code(kind, value)
    if isinstance(value, list):
        return ", ".join(value)
    if name == "rate" and value is not None:
        return f"{value.normalize():f}%"
    if name == "price" and value is not None:
        return f"{value:,.2f}" if value == round(value, 2) else f"{value.normalize():,f}"
    return f"+{value}" if name == "calling_code" and value else str(value or "")


def _waiting_line(one: UnnamedReference, *typed: Mapping[int, str]) -> tuple[Any, ...]:
    given = (one.code if one.kind in FIELD_KINDS else "", one.parent, "")
    values = zip(given, typed or ({}, {}, {}), strict=True)
    return one, *(by_pk.get(one.pk, usual) for usual, by_pk in values)


def _entry_address(entry: ListEntry, slug: str, sent: Any = None, *, at: str = "entry") -> str:
    kept = {name: sent[name] for name in ("q", "page") if sent and sent.get(name)}
    query = f"?{urlencode(kept)}" if kept else ""
    return f"{reverse('catalogue:list', args=[slug])}{query}#{at}-{entry.pk}"


def _unnamed_page(request: HttpRequest, workspace: str, *typed: Mapping[int, str]) -> HttpResponse:
    """Render the page. `typed`: names, pipelines and errors by the id of the UnnamedReference."""
    waiting = list(editing.unnamed_of(workspace)[: 5 * PAGE])
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for one in waiting:
        plural = KIND_SPECS[Kind(one.kind)].plural
        groups.setdefault(plural, []).append(_waiting_line(one, *typed))
    wrong = bool(typed)
    context = {
        "title": "Unnamed codes",
        "groups": groups,
        "pipelines": reference_lists.choices(workspace, Kind.PIPELINE),
        "wrong": wrong,
        "more_waiting": max(0, editing.unnamed_of(workspace).count() - len(waiting)),
    }
    return render(request, "office/unnamed.html", context, status=422 if wrong else 200)


def _name_all(request: HttpRequest, workspace: str) -> HttpResponse:
    typed, pipelines = _typed(request, "name"), _typed(request, "pipeline")
    wrong: dict[int, str] = {}
    named = 0
    for one in editing.unnamed_of(workspace).filter(pk__in=list(typed)[: 5 * PAGE]):
        pipeline = pipelines.get(one.pk, one.parent)
        data = {"code": one.code, "name": typed[one.pk], "parent": pipeline}
        form = EntryForm(data, workspace=workspace, kind=Kind(one.kind))
        if form.is_valid():
            editing.save_entries(workspace, one.kind, [form.cleaned_data])
            named += 1
        else:
            wrong[one.pk] = " ".join(str(words) for some in form.errors.values() for words in some)
    if named:
        messages.success(request, f"{named} {'was' if named == 1 else 'were'} named.")
    if wrong:
        return _unnamed_page(request, workspace, typed, pipelines, wrong)
    return redirect("catalogue:unnamed")


def _typed(request: HttpRequest, name: str) -> dict[int, str]:
    return {
        int(match[1]): str(value)
        for field, value in request.POST.items()
        if (match := re.fullmatch(f"{name}-([0-9]{{1,18}})", field)) and str(value).strip()
    }
