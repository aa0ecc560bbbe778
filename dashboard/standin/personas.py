"""Key pairs that behave: whoever connects one meets its failures, through any client, unmodified.

Their keys are the same under every seed: `ak_try_slow` and `sk_try_slow_secret`.
"""

from dataclasses import dataclass
from typing import Any

WRITES = "[PD]*"  # the methods POST, PUT and DELETE


@dataclass(frozen=True)
class Persona:
    """A pair of `workspace`; `rules` are the arguments of `fault_rules.Rule`."""

    name: str
    workspace: str
    about: str
    rules: tuple[dict[str, Any], ...] = ()

    @property
    def pair(self) -> str:
        """The pair's id."""
        return f"{self.workspace}/{self.name}"

    @property
    def access(self) -> str:
        """The access key."""
        return f"ak_try_{self.name}"

    @property
    def secret(self) -> str:
        """The secret key."""
        return f"sk_try_{self.name}_secret"


def _some(*kinds: str, **match: Any) -> tuple[dict[str, Any], ...]:
    return tuple({"kind": kind, **match} for kind in kinds)


PERSONAS = (
    Persona("slow", "acme", "every call takes two seconds", _some("slow:2")),
    Persona(
        "flaky",
        "acme",
        "about every fifth call fails, each time differently",
        _some("reset", "status-500", "truncate", "status-503", "html", probability=0.045),
    ),
    Persona(
        "lossy",
        "acme",
        "writes are done, and their answers lost",
        _some("reset-after", method=WRITES),
    ),
    Persona(
        "hanging", "acme", "writes get no answer at all", _some("hang-before:30", method=WRITES)
    ),
    Persona(
        "busy", "acme", "every third call is one too many", _some("status-429:1", probability=0.33)
    ),
    Persona("down", "acme", "nothing but 503", _some("status-503")),
    Persona("broken", "acme", "every answer is an HTML page", _some("html")),
    Persona("stale", "acme", "reads answer as before the last write", _some("stale", method="GET")),
    Persona(
        "crowded",
        "acme",
        "somebody else changes every record between read and write",
        _some("interleave", operation="update"),
    ),
    Persona("twice", "acme", "every answer is sent twice", _some("answer-twice")),
    Persona(
        "early",
        "acme",
        "after every answer comes one of another workspace",
        _some("answer-early"),
    ),
    Persona(
        "swapped", "acme", "calls made at once get each other's answers", _some("answer-swapped")
    ),
    Persona("expiring", "acme", "refused after twenty calls", _some("status-401", after=20)),
    Persona("revoked", "acme", "refused from the start"),
    Persona("other-workspace", "globex", "sees another workspace"),
    Persona("small-plan", "solo", "has contacts and tasks only"),
)
