"""What contacts and leads share: sample names and addresses, custom fields, creation times."""

from datetime import datetime
from typing import Any

from ..names import AWKWARD, COMPANY_FIRST, COMPANY_LAST, COMPANY_SECOND, LANGUAGES, PEOPLE
from ..seed_workspace import SeedWorkspace

NAMES = [(given, family) for given, family, share in PEOPLE for _ in range(share)]


def timestamp(moment: datetime) -> str:
    """`moment`, which is in UTC, in ISO 8601."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def person(workspace: SeedWorkspace, index: int) -> str:
    """A sample name; every sixth of the first ones is an awkward value."""
    place, rest = divmod(index, 6)
    if rest == 4 and place < len(AWKWARD):
        return AWKWARD[place]
    given, family = workspace.pick(NAMES)
    return f"{workspace.pick(given)} {workspace.pick(family)}"


def company(workspace: SeedWorkspace) -> str:
    """A sample company name."""
    words = (COMPANY_FIRST, COMPANY_SECOND, COMPANY_LAST)
    return " ".join([workspace.pick(choices) for choices in words])


def email(workspace: SeedWorkspace, name: str, index: int) -> str | None:
    """A sample address, made of the name if that is ASCII letters; None for 12 %."""
    if workspace.random() < 0.12:
        return None
    word = name.split(" ")[0].lower()
    local = word if word.isascii() and word.isalpha() and len(word) < 30 else "contact"
    return f"{local}.{index}@example.{workspace.pick(('com', 'org', 'net'))}"


def custom_fields(workspace: SeedWorkspace) -> dict[str, Any]:
    """Sample values of custom fields; none for 60 %."""
    if workspace.random() < 0.6:
        return {}
    number = int(workspace.random() * 10000)
    return {
        "Preferred language": workspace.pick(LANGUAGES),
        "Account no.": f"{number:06d}",
        "Größe": workspace.pick(("S", "M", "L")),
    }
