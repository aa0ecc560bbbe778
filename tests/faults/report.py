"""The outcome as a table for people and as JSON for machines."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Part:
    """One proof: how many cases of each group, what was breached, how long it took."""

    name: str
    cases: Counter[str] = field(default_factory=Counter)
    breaches: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, group: str, case: str, found: list[str]) -> None:
        """Count one case with the breaches found in it."""
        self.cases[group] += 1
        self.breaches += [(case, words) for words in found]

    def take(self, other: "Part") -> None:
        """Count in what another process found."""
        self.cases.update(other.cases)
        self.breaches += other.breaches
        self.seconds = max(self.seconds, other.seconds)
        self.facts |= other.facts


def table(parts: list[Part]) -> str:
    """One line for each group of cases, then every breach."""
    lines = [f"{'proof':<14}{'of what':<40}{'cases':>8}{'breaches':>10}{'seconds':>9}"]
    for part in parts:
        broken = Counter(case.rpartition(",")[0] or case for case, _ in part.breaches)
        for group, count in sorted(part.cases.items()):
            lines.append(f"{part.name:<14}{group:<40}{count:>8}{broken[group]:>10}")
        total = sum(part.cases.values())
        lines.append(
            f"{part.name:<14}{'':<40}{total:>8}{len(part.breaches):>10}{part.seconds:>9.0f}"
        )
        lines += [f"{'':<14}{name}: {value}" for name, value in part.facts.items()]
    for part in parts:
        lines += [f"BREACH {case}: {words}" for case, words in part.breaches]
    return "\n".join(lines)


def save(path: Path, parts: list[Part]) -> None:
    """The same as JSON."""
    path.write_text(json.dumps([vars(part) for part in parts], indent=1), encoding="utf-8")
