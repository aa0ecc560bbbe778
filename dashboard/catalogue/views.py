"""The pages on which administrators keep the lists of their own workspace."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.accounts.permissions import MANAGE_SETTINGS, permission_required

from . import keeping, snapshot
from .forms import EntryForm
from .kinds import ABOUT, FIELDS, NAMED_ALONE, WORDS, About, Kind
from .models import Entry, Sighting

PAGE = 100
SLUGS = {about.slug: kind for kind, about in ABOUT.items()}

P = ParamSpec("P")
Keeper = Callable[Concatenate[HttpRequest, str, P], HttpResponse]


def keeper(view: Keeper[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A page for administrators, given the workspace of their keys; without keys there is none."""

    @never_cache
    @permission_required(MANAGE_SETTINGS)
    @wraps(view)
    def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        pair = getattr(request.user, "key_pair", None)
        if pair is None or not snapshot.normal(pair.workspace):
            return render(request, "catalogue/no_workspace.html", {"title": "Lists"})
        return view(request, pair.workspace, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponse]", page)


@keeper
@require_safe
def overview(request: HttpRequest, workspace: str) -> HttpResponse:
    """Every list, with how much is in it and how many ids wait for a name."""
    key = snapshot.normal(workspace)
    entries = Entry.objects.filter(workspace=key).values("kind")
    counts = entries.annotate(active=Count("pk", filter=Q(retired=False)), all=Count("pk"))
    known = {row["kind"]: row for row in counts.order_by()}
    waiting = keeping.sightings_of(workspace).values("kind").annotate(n=Count("pk")).order_by()
    unnamed = {row["kind"]: row["n"] for row in waiting}
    groups: dict[str, list[dict[str, Any]]] = {}
    for kind, about in ABOUT.items():
        row = known.get(kind, {"active": 0, "all": 0})
        groups.setdefault(about.group, []).append(
            {
                "about": about,
                "active": row["active"],
                "retired": row["all"] - row["active"],
                "unnamed": unnamed.get(kind, 0),
            }
        )
    context = {
        "title": "Lists",
        "groups": groups,
        "workspace": workspace,
        "unnamed": sum(unnamed.values()),
    }
    return render(request, "catalogue/overview.html", context)


@keeper
@require_safe
def show(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """One list: what waits for a name, a form to add, and the entries in order."""
    kind = kind_of(slug)
    return _page(request, workspace, kind, EntryForm(workspace=workspace, kind=kind))


@keeper
@require_POST
def add(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """A new entry at the end of a list."""
    kind = kind_of(slug)
    form = EntryForm(request.POST, workspace=workspace, kind=kind)
    if not form.is_valid():
        return _page(request, workspace, kind, form, status=422)
    keeping.put(workspace, kind, [form.cleaned_data])
    messages.success(request, f"{form.cleaned_data['name']} was added.")
    return redirect(f"{reverse('catalogue:list', args=[slug])}#add")


@keeper
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, workspace: str, slug: str, pk: int) -> HttpResponse:
    """Rename an entry, or change what else is kept of it."""
    kind = kind_of(slug)
    entry = get_object_or_404(keeping.entries_of(workspace, kind), pk=pk)
    posted = request.POST if request.method == "POST" else None
    form = EntryForm(posted, workspace=workspace, kind=kind, entry=entry)
    if form.is_valid():
        keeping.change(workspace, entry, form.cleaned_data)
        messages.success(request, f"{entry.name} was saved.")
        return redirect(_place_of(entry, slug))
    context = {**_places(kind), "title": f"Change {entry.name}", "form": form, "entry": entry}
    return render(request, "catalogue/edit.html", context, status=422 if posted else 200)


@keeper
@require_POST
def arrange(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """Move an entry up or down, retire it or bring it back: the button's name says which."""
    kind = kind_of(slug)
    did = next((name for name in ("up", "down", "retire", "restore") if name in request.POST), "")
    pk = request.POST.get(did, "")
    if not pk.isdecimal():
        raise Http404("no such entry")
    entry = get_object_or_404(keeping.entries_of(workspace, kind), pk=pk)
    if did in ("up", "down"):
        keeping.move(workspace, entry, up=did == "up")
        return redirect(_place_of(entry, slug, request.POST, at=did))  # the button, to press again
    keeping.retire(workspace, entry, back=did == "restore")
    done = "is offered again" if did == "restore" else "is not offered any more"
    messages.success(request, f"{entry.name} {done}.")
    return redirect(_place_of(entry, slug, request.POST))


@keeper
@require_http_methods(["GET", "HEAD", "POST"])
def unnamed(request: HttpRequest, workspace: str) -> HttpResponse:
    """Every id that was seen and has no name: naming one is a line, several go at once."""
    if request.method == "POST":
        return _name_all(request, workspace)
    return _unnamed_page(request, workspace)


def kind_of(slug: str) -> Kind:
    """The kind of list at an address; 404 for none."""
    if slug not in SLUGS:
        raise Http404("no such list")
    return SLUGS[slug]


def _places(kind: Kind) -> dict[str, Any]:
    """What every page of one list needs to know of it."""
    about: About = ABOUT[kind]
    return {
        "kind": kind,
        "about": about,
        "numbered": kind not in NAMED_ALONE,
        "learned": kind in WORDS,
        "list_url": reverse("catalogue:list", args=[about.slug]),
    }


def _page(
    request: HttpRequest, workspace: str, kind: Kind, form: EntryForm, *, status: int = 200
) -> HttpResponse:
    query = request.GET.get("q", "").strip()
    found = keeping.entries_of(workspace, kind).order_by("retired", "position", "pk")
    if query:
        found = found.filter(Q(name__icontains=query) | Q(code__iexact=query.lstrip("#")))
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    waiting = keeping.sightings_of(workspace).filter(kind=kind)
    context = {
        **_places(kind),
        "title": ABOUT[kind].plural,
        "form": form,
        "query": query,
        "page": page,
        "rows": [(entry, _details(workspace, entry)) for entry in page],
        "add_words": f"Add {'an' if kind.label[0] in 'aeiou' else 'a'} {kind.label}",
        "waiting": [(one, _told(one), "") for one in waiting[:PAGE]],
        "more_waiting": max(0, waiting.count() - PAGE),
    }
    return render(request, "catalogue/list.html", context, status=status)


def _details(workspace: str, entry: Entry) -> list[tuple[str, str]]:
    """What is kept of an entry beside its name, as (label, words), without what is empty."""
    form = EntryForm.base_fields
    found = []
    for name in ABOUT[Kind(entry.kind)].details:
        words = _detail(workspace, entry, name)
        if words:
            found.append((str(form[name].label), words))
    return found


def _detail(workspace: str, entry: Entry, name: str) -> str:
    value = getattr(entry, name)
    if name == "value_type":
        return entry.get_value_type_display()
    if name in ("parent", "tax") and value:
        kind = Kind.PIPELINE if name == "parent" else Kind.TAX
        return snapshot.of(workspace).caption(kind, value)
    if isinstance(value, list):
        return ", ".join(value)
    if name == "rate" and value is not None:
        return f"{value.normalize():f} %"
    if name == "price" and value is not None:
        return f"{value:,.2f}" if value == round(value, 2) else f"{value.normalize():,f}"
    return f"+{value}" if name == "calling_code" and value else str(value or "")


def _told(one: Sighting) -> str:
    """What the service itself called it; a custom field is known by nothing but its name."""
    return one.name or (one.code if one.kind in FIELDS else "")


def _place_of(entry: Entry, slug: str, sent: Any = None, *, at: str = "entry") -> str:
    """The entry's own line of its list, or a button in it, on the page that was shown."""
    kept = {name: sent[name] for name in ("q", "page") if sent and sent.get(name)}
    query = f"?{urlencode(kept)}" if kept else ""
    return f"{reverse('catalogue:list', args=[slug])}{query}#{at}-{entry.pk}"


def _unnamed_page(
    request: HttpRequest,
    workspace: str,
    typed: dict[int, str] | None = None,
    wrong: dict[int, str] | None = None,
) -> HttpResponse:
    """`typed` and `wrong`: names and complaints by sighting."""
    waiting = list(keeping.sightings_of(workspace)[: 5 * PAGE])
    groups: dict[str, list[tuple[Sighting, str, str]]] = {}
    for one in waiting:
        name = (typed or {}).get(one.pk, _told(one))
        line = (one, name, (wrong or {}).get(one.pk, ""))
        groups.setdefault(ABOUT[Kind(one.kind)].plural, []).append(line)
    context = {
        "title": "Not named yet",
        "groups": groups,
        "wrong": wrong,
        "more_waiting": max(0, keeping.sightings_of(workspace).count() - len(waiting)),
    }
    return render(request, "catalogue/unnamed.html", context, status=422 if wrong else 200)


def _name_all(request: HttpRequest, workspace: str) -> HttpResponse:
    typed = {
        int(match[1]): str(value)
        for field, value in request.POST.items()
        if (match := re.fullmatch("name-([0-9]{1,18})", field)) and str(value).strip()
    }
    wrong: dict[int, str] = {}
    named = 0
    for one in keeping.sightings_of(workspace).filter(pk__in=list(typed)[: 5 * PAGE]):
        form = EntryForm({"code": one.code, "name": typed[one.pk]}, workspace=workspace,
                         kind=Kind(one.kind))  # fmt: skip
        if form.is_valid():
            keeping.put(workspace, one.kind, [form.cleaned_data])
            named += 1
        else:
            wrong[one.pk] = " ".join(str(words) for some in form.errors.values() for words in some)
    if named:
        messages.success(request, f"{named} {'was' if named == 1 else 'were'} named.")
    if wrong:
        return _unnamed_page(request, workspace, typed, wrong)
    back = SLUGS.get(request.POST.get("back", ""))
    return redirect("catalogue:list", ABOUT[back].slug) if back else redirect("catalogue:unnamed")
