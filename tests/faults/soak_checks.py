"""What the soak looks for: nothing of another workspace, nothing lost, nothing twice."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx

from .browser import text_of
from .cases import KINDS, Case, wire
from .visitor import Visitor
from .workspaces import MARKS


def apart(visitor: Visitor, pages: list[httpx.Response]) -> Iterator[str]:
    """Nothing of one workspace is on a page of another."""
    for page in pages:
        for name, mark in MARKS.items():
            if name != visitor.workspace and mark in f"{page.text}{page.headers}":
                yield f"apart: {page.url.path} shows {mark}"


def wire_of(entry: dict[str, Any]) -> str:
    """What the answer to one call said: see `cases.wire`. With "any" only the service knows: it
    said 200, which the hostile profile also says to refuse, and a fault kept the effect away.
    """
    kind = entry["fault"].partition(":")[0]
    kind = kind if kind in KINDS or not kind else kind.rpartition("-")[0]
    answer = wire(Case(entry["resource"], entry["operation"], kind, "")) if kind else "success"
    if answer not in {"success", "claimed"} or entry["effect"]:
        return answer
    return "any" if kind and entry["status"] == 200 else "refusal"


def read_failed(ledger: list[dict[str, Any]], write: dict[str, Any]) -> bool:
    """Whether a fault met a read after this create, which counts as saved only once it is read."""
    later = ledger[ledger.index(write) + 1 :]
    return write["operation"] == "create" and any(entry["fault"] for entry in later)


def lost(visitor: Visitor, book: list[dict[str, Any]]) -> Iterator[str]:
    """What a user typed and finds nowhere, and what there is too often."""
    effects = [entry for entry in book if entry["effect"]]
    created = Counter(
        text
        for entry in effects
        if entry["operation"] == "create"
        for text in set(_texts(entry["body"]))
    )
    believed = [entry for entry in book if wire_of(entry) in {"success", "claimed", "any"}]
    sent = {text for entry in (*effects, *believed) for text in _texts(entry["body"])}
    pages = "\n".join(text_of(page) for page in visitor.reachable())
    for entry in visitor.entries.values():
        gone = [text for text in entry.words if text not in sent and text not in pages]
        if gone and entry.kept and not entry.dropped:
            yield f"kept: nowhere: {gone}: {entry.path}"
        name = str(entry.typed.get(entry.sample.name, ""))
        if entry.mark in name and created[name] > entry.most:
            yield f"once: {created[name]} records of {name}: {entry.path}"


def found_in(page: httpx.Response) -> list[tuple[str, str]]:
    """The records that a Not sure page offers, as (id, what the page says of it)."""
    _, *parts = page.text.split('name="record_id" value="')
    return [(part.partition('"')[0], part.partition("</form>")[0]) for part in parts]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
