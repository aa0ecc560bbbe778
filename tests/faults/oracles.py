"""The judges. Each looks at what was seen of one case and answers with breaches, in words."""

import html
import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

SAVED, NOT_SAVED, NOT_SURE, GONE = "saved", "not saved", "not sure", "gone"
READ = "read"  # nothing was to be written


@dataclass
class Seen:
    """One case, once it is over.

    verdict: what the dashboard told the person. wire: what the answer said, see `cases.wire`.
    writes:  ledger entries of the write under test. puts: (fields sent, fields touched) of updates.
    typed:   the words that must not be lost. found: how many records of the service have the mark.
    rest:    what the record held beforehand, where an update must carry all of it.
    """

    verdict: str
    wire: str = "success"
    writes: list[dict[str, Any]] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    found: int = 0
    touched: set[str] = field(default_factory=set)
    rest: dict[str, Any] = field(default_factory=dict)
    pages: list[HttpResponse] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    overwritten: bool = False
    unsaid: bool = False

    @property
    def applied(self) -> bool:
        return any(entry["effect"] for entry in self.writes)


def no_crash(seen: Seen) -> list[str]:
    """No 500, whatever the service does."""
    codes = [page.status_code for page in seen.pages if page.status_code == 500]
    return [f"status {code}" for code in codes] + seen.errors[:1]


def no_secret(seen: Seen) -> list[str]:
    """No key on any page or log line."""
    texts = [page.content.decode("utf-8", "replace") for page in seen.pages]
    texts += [str(page.headers) for page in seen.pages]
    found = [secret for secret in seen.secrets if any(secret in text for text in texts)]
    logged = [secret for secret in seen.secrets if any(secret in line for line in seen.lines)]
    return [f"a page shows {key}" for key in found] + [f"a log line shows {key}" for key in logged]


def once(seen: Seen) -> list[str]:
    """One token, one call: also when the same form comes again."""
    count = len(seen.writes)
    words = [f"{count} calls for one token"] if count > 1 else []
    if seen.repeated and seen.repeated != [seen.verdict]:
        words.append(f"told {seen.verdict}, and {seen.repeated} when the same form came again")
    return words


def honest(seen: Seen) -> list[str]:
    """Saved only if done, Not saved only if not done, Not sure only if the wire left it open.

    A service that says the opposite of what it did cannot be seen through; nor is it believed less.
    """
    if seen.verdict == READ:
        return []
    expected = {"success": {SAVED}, "refusal": {NOT_SAVED, GONE}}.get(seen.wire)
    if expected and seen.verdict not in expected:
        return [f"the wire said {seen.wire}, the page {seen.verdict}"]
    if not expected and seen.verdict in {SAVED, GONE} and not seen.applied:
        return [f"the page says {seen.verdict}, and it was not done"]
    if not expected and seen.verdict == NOT_SAVED and seen.applied:
        return ["the page says not saved, and it was done"]
    return []


def kept(seen: Seen) -> list[str]:
    """What was typed is in one record, or on the page that came back."""
    if seen.found > 1:
        return [f"{seen.found} records of one entry"]
    if seen.verdict not in {NOT_SAVED, NOT_SURE} or not seen.pages:
        return []
    page = html.unescape(seen.pages[-1].content.decode("utf-8", "replace"))
    lost = [words for words in seen.typed if words not in page]
    if lost and seen.verdict == NOT_SURE and seen.found == 1:
        return []  # settled by a look at the record
    return [f"{seen.verdict}, and typed words are gone: {lost}"] if lost else []


def untouched(seen: Seen) -> list[str]:
    """No update carries a field that nobody touched."""
    bodies = [entry["body"] for entry in seen.writes if entry["operation"] == "update"]
    bodies = [body for body in bodies if isinstance(body, dict)]
    if seen.rest:
        return [words for body in bodies for words in _altered(body, seen.rest, seen.touched)]
    extra = {name for body in bodies for name in body} - seen.touched
    return [f"sent untouched fields: {sorted(extra)}"] if extra else []


def _altered(body: dict[str, Any], rest: dict[str, Any], touched: set[str]) -> list[str]:
    """What a body that replaces the record would change of the rest of it."""
    kept = {name: value for name, value in rest.items() if name not in touched | {"items"}}
    lost = [name for name, value in kept.items() if str(body.get(name)) != str(value)]
    lines = zip(rest["items"], body.get("items") or [], strict=False)
    whole = len(rest["items"]) == len(body.get("items") or []) and all(
        _number(sent.get(name)) == _number(value)
        for line, sent in lines
        for name, value in line.items()
    )
    lost += [] if whole else ["items"]
    return [f"would change untouched fields: {lost}"] if lost else []


def _number(value: Any) -> str:
    try:
        return format(Decimal(str(value)).normalize(), "f")
    except ArithmeticError:
        return str(value)


def nobody_overwritten(seen: Seen) -> list[str]:
    """Nobody's change is replaced by somebody who did not see it; what slips through is said."""
    words = ["somebody else's change was overwritten unseen"] if seen.overwritten else []
    return words + (["the record is not as sent, and nobody said so"] if seen.unsaid else [])


ORACLES = (no_crash, no_secret, once, honest, kept, untouched, nobody_overwritten)


def judge(seen: Seen) -> list[str]:
    """Every breach, as "oracle: words"."""
    return [f"{oracle.__name__}: {words}" for oracle in ORACLES for words in oracle(seen)]


def body_of(entry: dict[str, Any]) -> str:
    """For a report."""
    return json.dumps(entry["body"], default=str)[:200]
