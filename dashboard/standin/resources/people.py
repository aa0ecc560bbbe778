"""What contacts and leads share: sample names and addresses, custom fields, creation times."""

import unicodedata
from datetime import datetime
from typing import Any

from ..seed_workspace import SeedWorkspace


def timestamp(moment: datetime) -> str:
    """`moment`, which is in UTC, in ISO 8601."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def person(workspace: SeedWorkspace, index: int) -> str:
    """Return a sample name; every sixth of the first ones is an awkward value."""
    place, rest = divmod(index, 6)
    words = workspace.words
    if rest == 4 and place < len(words.awkward):
        return words.awkward[place]
    names = [(given, family) for given, family, share in words.people for _ in range(share)]
    given, family = workspace.pick(names)
    return f"{workspace.pick(given)} {workspace.pick(family)}"


def company(workspace: SeedWorkspace) -> str:
    """Return a sample company name."""
    return " ".join([workspace.pick(choices) for choices in workspace.words.companies])


def email(workspace: SeedWorkspace, name: str, index: int) -> str | None:
    """Return a sample address, made of the name if that is ASCII letters; None for 12 %."""
    if workspace.random() < 0.12:
        return None
    if workspace.words.plausible:
        return f"{_latin(name) or 'contact'}@example.{workspace.pick(('com', 'org', 'net'))}"
    word = name.split(" ")[0].lower()
    local = word if word.isascii() and word.isalpha() and len(word) < 30 else "contact"
    return f"{local}.{index}@example.{workspace.pick(('com', 'org', 'net'))}"


def _latin(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower().replace("ł", "l"))
    letters = "".join(char for char in plain if char == " " or (char.isascii() and char.isalpha()))
    return ".".join(letters.split())


def custom_fields(workspace: SeedWorkspace) -> dict[str, Any]:
    """Sample values of custom fields; none for 60 %."""
    if workspace.random() < 0.6:
        return {}
    number = int(workspace.random() * 10000)
    fields = workspace.words.custom_fields
    chosen = {name: workspace.pick(choices) for name, (_, choices) in fields.items() if choices}
    return {**chosen, "Account no.": f"{number:06d}"}
