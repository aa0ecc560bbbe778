"""The promises: each check gives breaches as "promise: words"."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

from .browser import GONE, NOT_SAVED, NOT_SURE, SAVED
from .environment import Environment
from .kinds import ALL, wire
from .workspaces import MARKS

ALLOWED = {
    "success": {SAVED},
    "refusal": {NOT_SAVED, GONE},
    "claimed": {SAVED, NOT_SURE},
    "untrue": {NOT_SURE},
    "any": {SAVED, NOT_SURE, NOT_SAVED, GONE},
}


def of_pages(home: Environment) -> Iterator[str]:
    """No page or log line since `home.forget()` tells of a crash, shows a key or, in one workspace,
    a word of the other.
    """
    yield from (f"no_crash: {error}" for error in home.lines.errors[:1])
    keys = [key for user in home.users for key in user.keys]
    for line in home.lines.kept:
        yield from (f"no_secret: the log shows {key}" for key in keys if key in line)
    for user in home.users:
        marks = [mark for name, mark in MARKS.items() if name != user.workspace]
        for page in user.browser.seen:
            yield from _of_page(page, keys, marks)


def _of_page(page: httpx.Response, keys: list[str], marks: list[str]) -> Iterator[str]:
    words = f"{page.headers}{page.text}"
    if page.status_code == 500:
        yield f"no_crash: {page.url.path} has status 500"
    yield from (f"no_secret: {page.url.path} shows {key}" for key in keys if key in words)
    yield from (f"apart: {page.url.path} shows {mark}" for mark in marks if mark in words)


def untrue(told: str, said: str, calls: list[dict[str, Any]]) -> Iterator[str]:
    """Saved only if done, Not saved only if not done, Not sure only if the answer is unclear.

    A service that says the opposite of what it did is believed.
    """
    is_done = any(call["effect"] for call in calls)
    if said in ALLOWED:
        if told not in ALLOWED[said]:
            yield f"honest: the answer was {said}, the page says {told}"
    elif told in {SAVED, GONE} and not is_done:
        yield f"honest: the page says {told}, and it was not done"
    elif told == NOT_SAVED and is_done:
        yield "honest: the page says not saved, and it was done"


def wire_of(entry: dict[str, Any]) -> str:
    """What the answer to one call said: see `kinds.wire`. With "any" only the service knows: it
    said 200, which the hostile profile also says to refuse, and a fault kept the effect away.
    """
    kind = entry["fault"].partition(":")[0]
    kind = kind if kind in ALL or not kind else kind.rpartition("-")[0]
    answer = wire(kind, entry["resource"], entry["operation"]) if kind else "success"
    if answer not in {"success", "claimed"} or entry["effect"]:
        return answer
    return "any" if kind and entry["status"] == 200 else "refusal"


def unheard(entry: dict[str, Any]) -> str:
    """What an answer said that a dying process may have heard: anything if it was not true."""
    answer = wire_of(entry)
    return "any" if answer == "any" or (answer == "refusal" and entry["effect"]) else ""


def is_read_struck(ledger: list[dict[str, Any]], write: dict[str, Any]) -> bool:
    """Whether a fault met a read after this call."""
    return any(entry["fault"] for entry in ledger[ledger.index(write) + 1 :])


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
