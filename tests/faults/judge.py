"""What is looked for after a walk: nothing of another workspace, nothing lost, nothing twice."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from .cases import KINDS, Case, wire
from .environment import User
from .workspaces import MARKS


def apart(users: Iterable[User]) -> Iterator[str]:
    """Nothing of one workspace is on a page of another."""
    for user in users:
        for name, mark in MARKS.items():
            for page in user.browser.seen if name != user.workspace else ():
                if mark in f"{page.text}{page.headers}":
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


def lost(forms: Iterable[Any], book: list[dict[str, Any]], pages: dict[str, str]) -> Iterator[str]:
    """What was typed in forms and is found nowhere, and what there is too often. `book`: the calls
    that wrote; `pages`: the words of what is not finished, by key pair.
    """
    effects = [entry for entry in book if entry["effect"]]
    created = Counter(
        text
        for entry in effects
        if entry["operation"] == "create"
        for text in set(_texts(entry["body"]))
    )
    believed = [entry for entry in book if wire_of(entry) in {"success", "claimed", "any"}]
    sent = {text for entry in (*effects, *believed) for text in _texts(entry["body"])}
    for form in forms:
        there = pages[form.user.pair]
        gone = [text for text in form.words if text not in sent and text not in there]
        if gone and form.kept and not form.dropped:
            yield f"kept: nowhere: {gone}: {form.url}"
        name = str(form.typed.get(form.sample.name, ""))
        if form.mark in name and created[name] > form.most:
            yield f"once: {created[name]} records of one form ({form.most}): {name}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
