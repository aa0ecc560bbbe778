"""Decides which request gets which fault.

A fault is asked for in four ways, in this order: by the header `x-standin-fault: reset-after`; by
`!fault:reset-after` in any field or search; by a rule added at the admin port; by the key pair of
a persona (`personas`), which has permanent rules. All use the same table of kinds.
"""

import random
import re
import threading
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote_plus

from ..personas import PERSONAS
from ..server import Request
from .fault import Fault, parse_fault
from .kinds import KINDS

HEADER = "x-standin-fault"
TYPED = re.compile(r"!fault:([a-z0-9-]+(?::[0-9.]+)?)")
PERSONA_PAIRS = {persona.pair for persona in PERSONAS if persona.rules}
ATTRIBUTES = ("method", "path", "resource", "operation", "workspace", "pair")


@dataclass
class Rule:
    """Fault `kind` for requests whose attributes match the patterns (as of file names).

    `nth` selects only the nth matching request, `after` those after so many, `times` is the
    largest number of faults, `probability` selects at random. `seen` counts the matching requests,
    `struck` the faults.
    """

    kind: str
    method: str = "*"
    path: str = "*"
    resource: str = "*"
    operation: str = "*"
    workspace: str = "*"
    pair: str = "*"
    nth: int | None = None
    after: int = 0
    times: int | None = None
    probability: float = 1.0
    id: int = 0
    seen: int = 0
    struck: int = 0
    fault: Fault = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.fault = parse_fault(self.kind, KINDS)

    def applies(self, attributes: dict[str, str], chance: random.Random) -> bool:
        """Whether this rule selects a request; counts the request."""
        if not all(fnmatchcase(attributes[name], getattr(self, name)) for name in ATTRIBUTES):
            return False
        self.seen += 1
        if self.seen <= self.after or (self.nth is not None and self.seen != self.nth):
            return False
        if self.times is not None and self.struck >= self.times:
            return False
        if self.probability < 1 and chance.random() >= self.probability:
            return False
        self.struck += 1
        return True

    def as_json(self) -> dict[str, Any]:
        """The rule as JSON data."""
        return {name: value for name, value in vars(self).items() if name != "fault"}


class FaultRules:
    """The rules; the same seed and requests give the same faults."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rules: list[Rule] = []
        self.permanent: list[Rule] = []
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Drop every rule, reset those of the personas, and restart the random numbers."""
        with self._lock:
            self.rules = []
            self.permanent = permanent_rules()
            self._number = 0
            self._chance = random.Random(self.seed)  # noqa: S311 (repeatable, not secret)

    def add(self, kind: str, **match: Any) -> int:
        """Add a rule and return its id; ValueError or TypeError if it is wrong."""
        rule = Rule(kind, **match)
        with self._lock:
            self._number += 1
            rule.id = self._number
            self.rules.append(rule)
        return rule.id

    def choose(self, request: Request, attributes: dict[str, str]) -> Fault | None:
        """The fault of this request; None for most."""
        if (named := request.headers.get(HEADER)) is not None:
            return _known(named) or parse_fault("status-400", KINDS)
        if (typed := _typed(request)) is not None:
            return typed
        if not self.rules and attributes["pair"] not in PERSONA_PAIRS:
            return None
        with self._lock:
            for rule in (*self.rules, *self.permanent):
                if rule.applies(attributes, self._chance):
                    return rule.fault
        return None


def permanent_rules() -> list[Rule]:
    """New rules of the personas, each for one key pair."""
    return [Rule(pair=persona.pair, **match) for persona in PERSONAS for match in persona.rules]


def _typed(request: Request) -> Fault | None:
    if b"!fault:" in request.body:
        found = TYPED.search(request.body.decode("utf-8", "replace"))
    elif "fault" in request.query:
        found = TYPED.search(unquote_plus(request.query))
    else:
        return None
    return _known(found[1]) if found else None


def _known(text: str) -> Fault | None:
    try:
        return parse_fault(text, KINDS)
    except ValueError:
        return None


def catalogue() -> dict[str, dict[str, Any]]:
    """Every kind with its description, for the admin port."""
    return {name: {"about": k.about, "applied": k.applied} for name, k in KINDS.items()}
