"""When something goes wrong: seeded rules, a request header, and text in any field.

The doors, in this order: the header `x-standin-fault: reset-after`; `!fault:reset-after` typed
into any field or search; a rule set at the admin port; the key pair of a persona (`personas`), to
which rules belong that are never dropped. All lead to the same table of kinds.
"""

import random
import re
import threading
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote_plus

from .fault_kinds import KINDS
from .faults import Fault, parse
from .personas import PERSONAS
from .server import Request

HEADER = "x-standin-fault"
MAGIC = re.compile(r"!fault:([a-z0-9-]+(?::[0-9.]+)?)")
PERSONA_PAIRS = {persona.pair for persona in PERSONAS if persona.rules}
FACTS = ("method", "path", "resource", "operation", "workspace", "pair")


@dataclass
class Rule:
    """Fault `kind` on requests whose facts fit the patterns ("*" fits all, as in file names).

    `nth` strikes only the nth fitting request, `after` those beyond so many, `times` at most so
    often, `probability` by chance.
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
        self.fault = parse(self.kind, KINDS)

    def strikes(self, facts: dict[str, str], chance: random.Random) -> bool:
        """Whether this rule acts on a request; counts it."""
        if not all(fnmatchcase(facts[name], getattr(self, name)) for name in FACTS):
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

    def shown(self) -> dict[str, Any]:
        """The rule as JSON takes it."""
        return {name: value for name, value in vars(self).items() if name != "fault"}


class FaultRules:
    """The rules in force; the same seed strikes the same requests again."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rules: list[Rule] = []
        self.standing: list[Rule] = []
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Drop every rule and start the dice anew."""
        with self._lock:
            self.rules = []
            self.standing = standing_rules()
            self._number = 0
            self._chance = random.Random(self.seed)  # noqa: S311 (repeatable, not secret)

    def add(self, kind: str, **match: Any) -> int:
        """Add a rule and return its id; ValueError or TypeError when it makes no sense."""
        rule = Rule(kind, **match)
        with self._lock:
            self._number += 1
            rule.id = self._number
            self.rules.append(rule)
        return rule.id

    def remove(self, rule_id: int) -> None:
        """Drop one rule."""
        with self._lock:
            self.rules = [rule for rule in self.rules if rule.id != rule_id]

    def choose(self, request: Request, facts: dict[str, str]) -> Fault | None:
        """The fault of this request, if any."""
        if (named := request.headers.get(HEADER)) is not None:
            return _known(named) or parse("status-400", KINDS)
        if (typed := _typed(request)) is not None:
            return typed
        if not self.rules and facts["pair"] not in PERSONA_PAIRS:
            return None
        with self._lock:
            for rule in (*self.rules, *self.standing):
                if rule.strikes(facts, self._chance):
                    return rule.fault
        return None


def standing_rules() -> list[Rule]:
    """The rules of the personas, each for one key pair."""
    return [Rule(pair=persona.pair, **match) for persona in PERSONAS for match in persona.rules]


def _typed(request: Request) -> Fault | None:
    """The fault that somebody typed into a field or a search."""
    if b"!fault:" in request.body:
        found = MAGIC.search(request.body.decode("utf-8", "replace"))
    elif "fault" in request.query:
        found = MAGIC.search(unquote_plus(request.query))
    else:
        return None
    return _known(found[1]) if found else None


def _known(text: str) -> Fault | None:
    try:
        return parse(text, KINDS)
    except ValueError:
        return None


def catalogue() -> dict[str, dict[str, Any]]:
    """Every kind with its meaning, for the admin port."""
    return {name: {"about": k.about, "applied": k.applied} for name, k in KINDS.items()}
