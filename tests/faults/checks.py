"""The promises: each check takes what was seen of one case and returns breaches in words."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import httpx

from .browser import GONE, NOT_SAVED, NOT_SURE, SAVED, text_of

READ = "read"  # nothing was to be written


@dataclass
class Outcome:
    """One case, once it is over.

    verdict: what the user was told. wire: what the answer said, see `cases.wire`.
    writes: ledger entries of the write. repeated: what the same form was told the second time.
    typed: words that must not be lost. found: how many records of the service hold the mark.
    rest: what an update must carry unchanged. shown: the page that the answer led to.
    """

    verdict: str
    wire: str = "success"
    writes: list[dict[str, Any]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    found: int = 0
    touched: set[str] = field(default_factory=set)
    rest: dict[str, Any] = field(default_factory=dict)
    shown: httpx.Response | None = None
    overwritten: bool = False
    unsaid: bool = False

    @property
    def applied(self) -> bool:
        return any(entry["effect"] for entry in self.writes)


def no_crash(pages: list[httpx.Response], errors: list[str]) -> list[str]:
    """No page has status 500, whatever the service does."""
    codes = [page.status_code for page in pages if page.status_code == 500]
    return [f"no_crash: status {code}" for code in codes] + [f"no_crash: {e}" for e in errors[:1]]


def no_secret(pages: list[httpx.Response], log: list[str], secrets: list[str]) -> list[str]:
    """No page, header or log line shows a key."""
    texts = [f"{page.headers}{page.text}" for page in pages]
    return [
        f"no_secret: {place} shows {key}"
        for place, lines in (("a page", texts), ("the log", log))
        for key in secrets
        if any(key in line for line in lines)
    ]


def once(seen: Outcome) -> list[str]:
    """One form makes one call, also when it is sent again. What was carried out and not known to be
    is Saved by then, if its page was opened and has found it.
    """
    count = len(seen.writes)
    words = [f"{count} calls for one form"] if count > 1 else []
    is_found = (seen.verdict, seen.repeated) == (NOT_SURE, [SAVED]) and seen.applied
    if seen.repeated and seen.repeated != [seen.verdict] and not is_found:
        words.append(f"told {seen.verdict}, and {seen.repeated} when the form was sent again")
    return words


def honest(seen: Outcome) -> list[str]:
    """Saved only if done, Not saved only if not done, Not sure only if the answer is unclear.

    A service that says the opposite of what it did is believed.
    """
    allowed = {
        "success": {SAVED},
        "refusal": {NOT_SAVED, GONE},
        "claimed": {SAVED, NOT_SURE},
        "untrue": {NOT_SURE},
        "any": {SAVED, NOT_SURE, NOT_SAVED, GONE},
    }.get(seen.wire)
    if seen.verdict == READ or (allowed and seen.verdict in allowed):
        return []
    if allowed:
        return [f"the answer was {seen.wire}, the page says {seen.verdict}"]
    if seen.verdict in {SAVED, GONE} and not seen.applied:
        return [f"the page says {seen.verdict}, and it was not done"]
    if seen.verdict == NOT_SAVED and seen.applied:
        return ["the page says not saved, and it was done"]
    return []


def kept(seen: Outcome) -> list[str]:
    """What was typed is in one record, or on the page that came back."""
    if seen.found > 1:
        return [f"{seen.found} records of one form"]
    if seen.verdict not in {NOT_SAVED, NOT_SURE} or seen.shown is None:
        return []
    lost = [words for words in seen.typed if words not in text_of(seen.shown)]
    if lost and seen.verdict == NOT_SURE and seen.found == 1:
        return []  # the record was found in the service
    return [f"{seen.verdict}, and typed words are gone: {lost}"] if lost else []


def untouched(seen: Outcome) -> list[str]:
    """No update changes a field that nobody touched."""
    bodies = [entry["body"] for entry in seen.writes if entry["operation"] == "update"]
    bodies = [body for body in bodies if isinstance(body, dict)]
    if seen.rest:
        return [words for body in bodies for words in _altered(body, seen.rest, seen.touched)]
    extra = {name for body in bodies for name in body} - seen.touched
    return [f"sent untouched fields: {sorted(extra)}"] if extra else []


def _altered(body: dict[str, Any], rest: dict[str, Any], touched: set[str]) -> list[str]:
    """What a body that replaces the record changes of the rest of it."""
    names = rest.keys() - touched - {"items"}
    lost = [name for name in names if str(body.get(name)) != str(rest[name])]
    old, new = rest["items"], body.get("items") or []
    same = len(old) == len(new) and all(
        _number(sent.get(name)) == _number(value)
        for line, sent in zip(old, new, strict=True)
        for name, value in line.items()
    )
    lost += [] if same else ["items"]
    return [f"changes untouched fields: {lost}"] if lost else []


def _number(value: Any) -> str:
    try:
        return format(Decimal(str(value)).normalize(), "f")
    except ArithmeticError:
        return str(value)


def not_overwritten(seen: Outcome) -> list[str]:
    """No change of somebody else is replaced unseen, and a record that differs is reported."""
    words = ["a change of somebody else was overwritten unseen"] if seen.overwritten else []
    return words + (["the record is not as sent, and no page says so"] if seen.unsaid else [])


OF_WRITES = (once, honest, kept, untouched, not_overwritten)


def breaches(seen: Outcome, *chosen: Any) -> list[str]:
    """What the chosen checks (all) of a write find, as "check: words"."""
    return [f"{check.__name__}: {words}" for check in chosen or OF_WRITES for words in check(seen)]


def of_pages(home: Any) -> list[str]:
    """What the checks of every page and log line find since `home.fresh()`."""
    pages = [page for user in home.users for page in user.browser.seen]
    breaches = no_crash(pages, home.lines.errors)
    return breaches + no_secret(pages, home.lines.kept, home.secrets())
