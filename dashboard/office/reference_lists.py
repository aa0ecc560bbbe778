"""The lists of a workspace, cached in memory: reading a name in a row loop costs no query.

A process uses its cached lists for `FRESH` seconds, then reads their version (one small query), and
forgets them only if it has changed. Each list is loaded when it is first asked for.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cached_property, wraps
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from dashboard.people.models import KeyPair, Workspace
from dashboard.text.plain import folded

from .kinds import KEYED_BY_NAME, Kind, kinds_of_setup
from .models import ListEntry, ListVersion, UnnamedReference

# What a process keeps beside the lists of the workspace that it used last.
MAX_WORKSPACES, MAX_ENTRIES = 50, 50_000
FRESH = 2.0
MAX_LISTED = 200  # entries that a page holds; more are searched for while someone types
MAX_FOUND = 20

T = TypeVar("T")


class CachedEntry(NamedTuple):
    """One entry as it is read: `code` is the id as text; `price` is per unit, `rate` in percent."""

    kind: str
    code: str
    name: str
    retired: bool
    is_from_service: bool
    parent: str
    price: Decimal | None
    tax: str
    rate: Decimal | None
    calling_code: str
    value_type: str
    choices: list[str]
    is_only: bool
    not_only: str


def _kept(method: Callable[[Any, str], T]) -> Callable[[Any, str], T]:
    """Work out what a method returns for a kind once for each version of the lists."""
    name = method.__name__

    @wraps(method)
    def of_kind(self: "CachedLists", kind: str) -> T:
        value: T | None = self.values.get((name, kind))
        if value is None:
            value = self.values[name, kind] = method(self, kind)
        return value

    return of_kind


class CachedLists:
    """The lists of one workspace in one version. entries: of kinds that are not loaded."""

    def __init__(
        self, workspace: str, version: str, entries: Mapping[str, Mapping[str, CachedEntry]] = {}
    ) -> None:
        self.workspace, self.version = workspace, version
        self.checked = monotonic()
        self.values: dict[tuple[str, str], Any] = {
            ("of", kind): listed for kind, listed in entries.items()
        }

    @property
    def size(self) -> int:
        """Return the number of loaded entries."""
        return sum(len(value) for (name, _), value in self.values.copy().items() if name == "of")

    @cached_property
    def unnamed(self) -> dict[tuple[str, str], str]:
        """Return the parents of references without a name, by kind and code, as they were found."""
        rows = UnnamedReference.objects.filter(workspace=self.workspace).order_by("pk")
        found = rows.values_list("kind", "code", "parent") if self.workspace else ()
        return {(kind, code): parent for kind, code, parent in found}

    @_kept
    def of(self, kind: str) -> dict[str, CachedEntry]:
        """Return the entries of a kind by code, in order, with the retired ones."""
        rows = ListEntry.objects.filter(workspace=self.workspace, kind=kind)
        found = rows.values_list(*CachedEntry._fields) if self.workspace else ()
        return {entry.code: entry for entry in map(CachedEntry._make, found)}

    @_kept
    def active(self, kind: str) -> dict[str, CachedEntry]:
        """Return the entries without retired ones."""
        return {code: entry for code, entry in self.of(kind).items() if not entry.retired}

    def label_with_code(self, kind: str, code: str) -> str:
        entry = self.of(kind).get(code)
        if entry is None:
            return unnamed(code)
        return self.active_choices(kind).get(code) or f"{self._words(entry)} (retired)"

    @_kept
    def active_choices(self, kind: str) -> dict[str, str]:
        """Return captions by code of active entries, then of ids without a name. Ambiguous captions
        carry their id.
        """
        choices = {code: self._words(entry) for code, entry in self.active(kind).items()}
        count = Counter(map(folded, choices.values()))
        for code, words in choices.items():
            if count[folded(words)] > 1:
                choices[code] = f"{words} #{code}"
        if kind not in KEYED_BY_NAME:
            choices |= {code: unnamed(code) for one, code in self.unnamed if one == kind}
        return choices

    @_kept
    def codes_by_name(self, kind: str) -> dict[str, str]:
        """Return codes by folded text: the caption, or the name if it is unique."""
        codes: dict[str, str] = {}
        for code, entry in self.active(kind).items():
            name = folded(entry.name)
            codes[name] = "" if name in codes else code
        codes = {name: code for name, code in codes.items() if code}
        captions = ((self.label_with_code(kind, code), code) for code in self.of(kind))
        return codes | {folded(caption): code for caption, code in captions}

    @_kept
    def most_commas(self, kind: str) -> int:
        """Return the number of commas in the name or code that has most of them."""
        known = (*self.codes_by_name(kind), *self.of(kind))
        return max((text.count(",") for text in known), default=0)

    def search(self, kind: str, text: str) -> list[str]:
        """Return the codes of the first active entries with that id, or whose caption is the text,
        starts with it or contains it, in this order.
        """
        wanted, offered = folded(text), self.active_choices(kind)
        if not wanted:
            return []
        names = self.codes_by_name(kind).items()
        found = [(name, code) for name, code in names if wanted in name and code in offered]
        found.sort(key=lambda each: (each[0] != wanted, not each[0].startswith(wanted)))
        own = [wanted] if wanted in offered else []
        codes = dict.fromkeys([*own, *(code for _, code in found)])
        return [*codes][:MAX_FOUND]

    def _words(self, entry: CachedEntry) -> str:
        if entry.calling_code:
            return f"{entry.name} (+{entry.calling_code})"
        if entry.parent:
            parent = self.of(Kind.PIPELINE).get(entry.parent)
            return f"{parent.name if parent else unnamed(entry.parent)}: {entry.name}"
        return entry.name


NOTHING = CachedLists("", "")
_cached: dict[str, CachedLists] = {}


def unnamed(code: object) -> str:
    return f"#{code} (not named yet)"


def get_cached_lists(workspace: str) -> CachedLists:
    """Return the lists of a workspace, at most `FRESH` seconds old; none without a workspace."""
    if not workspace:
        return NOTHING
    cached = _cached.get(workspace)
    if cached is not None and monotonic() - cached.checked < FRESH:
        return cached
    return _refreshed(workspace, cached)


def begin_version(workspace: str) -> None:
    """Give the lists a new version, and store whether they lack nothing now. Call it inside the
    transaction, after the change, and `forget` after it.
    """
    defaults = {"token": uuid4().hex}
    ListVersion.objects.update_or_create(workspace=workspace, defaults=defaults)
    complete = _are_complete(workspace)
    changed = Workspace.objects.filter(pk=workspace, lists_complete=not complete)
    if changed.exists():  # a page that finds ids writes nothing else
        changed.update(lists_complete=complete)


def _are_complete(workspace: str) -> bool:
    """Return whether each list that setup asks for has an entry, and no id without a name. An area
    counts as outside the plan if all keys of the workspace lack it.
    """
    plans = KeyPair.objects.filter(workspace=workspace).values_list("closed_areas", flat=True)
    needed = {kind for closed_areas in plans or [()] for kind in kinds_of_setup(closed_areas)}
    asked = {"workspace": workspace, "kind__in": needed}
    kinds = ListEntry.objects.filter(**asked, retired=False).order_by().values("kind").distinct()
    unnamed = UnnamedReference.objects.filter(**asked)
    return kinds.count() == len(needed) and not unnamed.exists()


def forget(workspace: str = "") -> None:
    if workspace:
        _cached.pop(workspace, None)
    else:
        _cached.clear()


def _refreshed(workspace: str, cached: CachedLists | None) -> CachedLists:
    # The version is read before the entries, so that a change in between is found the next time.
    token = ListVersion.objects.filter(pk=workspace).values_list("token", flat=True).first() or ""
    if cached is not None and cached.version == token:
        cached.checked = monotonic()
        if _cached.pop(workspace, None) is cached:  # after the others, as it is in use
            _cached[workspace] = cached
            _drop_unused()
        return cached
    lists = CachedLists(workspace, token)
    _cached.pop(workspace, None)
    _cached[workspace] = lists
    _drop_unused()
    return lists


def _drop_unused() -> None:
    """Keep the lists of the workspaces that were used last."""
    entries = 0
    for place, (workspace, lists) in enumerate(reversed(_cached.copy().items())):
        entries += lists.size
        if place and (place >= MAX_WORKSPACES or entries > MAX_ENTRIES):
            _cached.pop(workspace, None)


def names(workspace: str, kind: str) -> dict[int, str]:
    """Return names by id, in order, without the retired ones; only for kinds with numeric ids."""
    return {int(e.code): e.name for e in entries(workspace, kind) if e.code.isdecimal()}


def label(workspace: str, kind: str, value: object) -> str:
    """Return the name of an id, retired or not; "#17 (not named yet)" where it has none."""
    entry = get_cached_lists(workspace).of(kind).get(str(value))
    return entry.name if entry else unnamed(value)


def entries(workspace: str, kind: str) -> tuple[CachedEntry, ...]:
    """Return the entries without retired ones."""
    return tuple(get_cached_lists(workspace).active(kind).values())


def only_currency(workspace: str) -> str:
    """Return the name of the currency of all deals and documents; "" if it is not set."""
    listed = get_cached_lists(workspace).of(Kind.CURRENCY).values()
    return next((entry.name for entry in listed if entry.is_only), "")


def is_foreign(workspace: str, code: object) -> bool:
    """Return whether the office said that everything is in one currency, and this is
    another one.
    """
    listed = get_cached_lists(workspace).of(Kind.CURRENCY).values()
    return bool(code) and any(entry.is_only and entry.code != str(code) for entry in listed)


def contradicted_currency(workspace: str) -> CachedEntry | None:
    """Return the currency that all records were in, until one had another."""
    listed = get_cached_lists(workspace).of(Kind.CURRENCY).values()
    return next((entry for entry in listed if entry.not_only), None)


def entry(workspace: str, kind: str, value: object) -> CachedEntry | None:
    """Return one entry by its id, retired or not."""
    return get_cached_lists(workspace).of(kind).get(str(value))


def choices(workspace: str, kind: str) -> dict[str, str]:
    """Return captions by code for a select. A stage carries the name of its pipeline."""
    return get_cached_lists(workspace).active_choices(kind)


def unnamed_parents(workspace: str, kind: str) -> dict[str, str]:
    """Return the pipelines of unnamed stages by code; "" if unknown."""
    waiting = get_cached_lists(workspace).unnamed.items()
    return {code: parent for (one, code), parent in waiting if one == kind}


def suggestions(workspace: str, kind: str) -> tuple[str, ...]:
    return tuple(get_cached_lists(workspace).active_choices(kind).values())[:MAX_LISTED]
