"""Workspaces and their key pairs, which follow from the seed."""

import hashlib
from dataclasses import dataclass, field

from .personas import PERSONAS

# Names of the pairs per workspace; the last of each is revoked from the start.
PAIRS = {
    "acme": ("office", "sales", "accounts", "manager", "admin", "spare", "revoked"),
    "globex": ("office", "sales", "manager", "revoked"),
    "solo": ("office", "revoked"),
    "alder": ("office", "sales", "manager", "admin", "revoked"),
}
BASIC_PLAN = {"solo"}  # workspaces whose plan has only the resources of every plan
ACCESS_HEADER = "x-service-access-key"
SECRET_HEADER = "x-service-secret-key"  # noqa: S105 (the header's name)


@dataclass
class KeyPair:
    """One key pair; `id` ("acme/office") identifies it in the ledger and in rules."""

    workspace: str
    name: str
    access: str
    secret: str = field(repr=False)
    revoked: bool = False
    persona: bool = False

    @property
    def id(self) -> str:
        """Workspace and name, which are no secret."""
        return f"{self.workspace}/{self.name}"


def _derived(seed: int, *words: str) -> str:
    text = ":".join((str(seed), *words))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Keyring:
    """Every key pair of every workspace; `access_header` and `secret_header` are header names."""

    def __init__(
        self, seed: int, access_header: str = ACCESS_HEADER, secret_header: str = SECRET_HEADER
    ) -> None:
        self.access_header = access_header.lower()
        self.secret_header = secret_header.lower()
        self.pairs: dict[str, KeyPair] = {}
        for workspace, names in PAIRS.items():
            for name in names:
                access = f"ak_{workspace}_{_derived(seed, workspace, name, 'access')}"
                secret = f"sk_{_derived(seed, workspace, name, 'secret')}"
                self.pairs[access] = KeyPair(workspace, name, access, secret)
        for persona in PERSONAS:
            self.pairs[persona.access] = KeyPair(
                persona.workspace, persona.name, persona.access, persona.secret, persona=True
            )
        self.reset()

    def reset(self) -> None:
        """Make every pair work again except those that are revoked from the start."""
        for pair in self.pairs.values():
            pair.revoked = pair.name == "revoked"

    def find(self, headers: dict[str, str]) -> KeyPair | None:
        """Return the working pair with the access and secret key of `headers`; None if there is
        none.
        """
        pair = self.pairs.get(headers.get(self.access_header, ""))
        if pair is None or pair.revoked or pair.secret != headers.get(self.secret_header):
            return None
        return pair

    def revoke(self, pair_id: str) -> bool:
        """Revoke by id ("acme/sales") or by access key; false if there is no such pair."""
        found = [p for p in self.pairs.values() if pair_id in {p.id, p.access}]
        for pair in found:
            pair.revoked = True
        return bool(found)

    def working(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of every working pair, by workspace."""
        return self._listed(revoked=False)

    def revoked(self) -> dict[str, list[tuple[str, str]]]:
        """(access, secret) of every revoked pair, by workspace."""
        return self._listed(revoked=True)

    def personas(self) -> dict[str, tuple[str, str]]:
        """(access, secret) of the pairs with permanent faults, by the persona's name."""
        return {persona.name: (persona.access, persona.secret) for persona in PERSONAS}

    def _listed(self, *, revoked: bool) -> dict[str, list[tuple[str, str]]]:
        return {
            workspace: [
                (pair.access, pair.secret)
                for pair in self.pairs.values()
                if pair.workspace == workspace and pair.revoked == revoked and not pair.persona
            ]
            for workspace in PAIRS
        }
