"""Key pairs with permanent faults: every client that uses one meets its failures.

Their keys are the same for every seed: `ak_try_slow` and `sk_try_slow_secret`.
"""

from dataclasses import dataclass
from typing import Any

WRITES = "[PD]*"  # the methods POST, PUT and DELETE


@dataclass(frozen=True)
class Persona:
    """A key pair of `workspace`; `rules` are arguments of `faults.rules.Rule`."""

    name: str
    workspace: str
    about: str
    rules: tuple[dict[str, Any], ...] = ()

    @property
    def pair(self) -> str:
        """Return the id of the key pair."""
        return f"{self.workspace}/{self.name}"

    @property
    def access(self) -> str:
        """Return the access key."""
        return f"ak_try_{self.name}"

    @property
    def secret(self) -> str:
        """Return the secret key."""
        return f"sk_try_{self.name}_secret"


def _rules(*kinds: str, **match: Any) -> tuple[dict[str, Any], ...]:
    return tuple({"kind": kind, **match} for kind in kinds)


PERSONAS = (
    Persona("slow", "acme", "every call takes two seconds", _rules("slow:2")),
    Persona(
        "flaky",
        "acme",
        "about every fifth call fails, each time differently",
        _rules("reset", "status-500", "truncate", "status-503", "html", probability=0.045),
    ),
    Persona(
        "lossy",
        "acme",
        "writes are applied and their responses lost",
        _rules("reset-after", method=WRITES),
    ),
    Persona("hanging", "acme", "writes get no response", _rules("hang-before:30", method=WRITES)),
    Persona(
        "busy",
        "acme",
        "every third call is refused as one too many",
        _rules("status-429:1", probability=0.33),
    ),
    Persona("down", "acme", "every response is a 503", _rules("status-503")),
    Persona("broken", "acme", "every response is an HTML page", _rules("html")),
    Persona(
        "stale", "acme", "reads show the state before the last write", _rules("stale", method="GET")
    ),
    Persona(
        "crowded",
        "acme",
        "another user changes every record between read and write",
        _rules("interleave", operation="update"),
    ),
    Persona("twice", "acme", "every response is sent twice", _rules("answer-twice")),
    Persona(
        "early",
        "acme",
        "every response is followed by one of another workspace",
        _rules("answer-early"),
    ),
    Persona(
        "swapped", "acme", "concurrent calls get each other's responses", _rules("answer-swapped")
    ),
    Persona("expiring", "acme", "refused after twenty calls", _rules("status-401", after=20)),
    Persona("revoked", "acme", "refused from the start"),
    Persona("other-workspace", "globex", "sees another workspace"),
    Persona("small-plan", "solo", "has contacts and tasks only"),
)
