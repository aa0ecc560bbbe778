"""What a workspace has configured and the API has no endpoint for.

Pipelines, stages, templates, items, taxes, currencies, users, groups, tags, countries, brands and
custom field names. `reference_data("acme")` is JSON data: lists of `{"id", "name", ...}`. The ids
of the other workspaces are the same plus an offset, so that a test notices a mix-up.
"""

from functools import lru_cache
from typing import Any

from .friendly_words import FRIENDLY
from .hostile_words import HOSTILE
from .words import COUNTRIES, Words

Row = dict[str, Any]

OFFSETS = {"acme": 0, "globex": 1000, "solo": 2000, "alder": 3000}


def words_of(workspace: str) -> Words:
    """Return the words of a workspace: *alder* is a firm as it might be, the others break pages."""
    return FRIENDLY if workspace == "alder" else HOSTILE


STAGES = {
    "New business": ("Enquiry", "Meeting", "Proposal", "Negotiation", "Won", "Lost"),
    "Renewals": ("Due soon", "Offered", "Renewed", "Lapsed"),
    "Projects": ("Scoping", "Quoted", "Approved", "Delivered"),
}
TAXES = (("VAT 20%", 20.0), ("VAT 10%", 10.0), ("VAT 5.5%", 5.5), ("Zero rated", 0.0))
GROUPS = ("Sales", "Support", "Back office")


def _numbered(first: int, names: tuple[str, ...]) -> list[Row]:
    return [{"id": first + index, "name": name} for index, name in enumerate(names)]


def _stages(pipelines: list[Row]) -> list[Row]:
    return [
        {**stage, "pipeline id": pipeline["id"]}
        for pipeline in pipelines
        for stage in _numbered(pipeline["id"] * 10 + 1, STAGES[pipeline["name"]])
    ]


@lru_cache
def reference_data(workspace: str) -> dict[str, list[Row]]:
    """Every list of one workspace, as `manage.py load_lists` reads it."""
    offset, words = OFFSETS[workspace], words_of(workspace)
    pipelines = _numbered(offset + 1, tuple(STAGES))
    tags = _numbered(offset + 41, words.tags)
    items = _numbered(offset + 501, tuple(name for name, _ in words.items))
    for row, (_, price) in zip(items, words.items, strict=True):
        row["price"] = price
        row["tax id"] = str(offset + 61)  # the reference makes the id of a tax a string
    taxes = _numbered(offset + 61, tuple(name for name, _ in TAXES))
    for row, (_, rate) in zip(taxes, TAXES, strict=True):
        row["rate"] = rate
    countries = _numbered(1, tuple(name for name, _ in COUNTRIES))  # the same everywhere
    for row, (_, isd) in zip(countries, COUNTRIES, strict=True):
        row["calling code"] = isd
    custom = _numbered(offset + 81, tuple(words.custom_fields))
    for row in custom:
        row["type"], row["choices"] = words.custom_fields[row["name"]]
    return {
        "pipelines": pipelines,
        "stages": _stages(pipelines),
        "templates": _numbered(offset + 11, words.templates),
        "items": items,
        "taxes": taxes,
        "currencies": _numbered(offset + 1, words.currencies),
        "users": _numbered(offset + 21, words.users),
        "user-groups": _numbered(offset + 31, GROUPS),
        "contact-tags": tags,
        "lead-tags": tags,
        "countries": countries,
        "brands": _numbered(offset + 71, words.brands),
        "contact-fields": custom,
        "lead-fields": custom,
    }


@lru_cache
def entry_names(workspace: str, kind: str) -> dict[int, str]:
    """Names by id of one list."""
    return {row["id"]: row["name"] for row in reference_data(workspace)[kind]}


@lru_cache
def stages(workspace: str, pipeline_id: int) -> tuple[int, ...]:
    """Return the stage ids of a pipeline in order; of the first pipeline where it is unknown."""
    data = reference_data(workspace)
    known = pipeline_id in entry_names(workspace, "pipelines")
    pipeline = pipeline_id if known else data["pipelines"][0]["id"]
    return tuple(stage["id"] for stage in data["stages"] if stage["pipeline id"] == pipeline)


def user_name(workspace: str, user_id: int | None) -> str | None:
    """Return the name of a user; None if there is no such user."""
    return entry_names(workspace, "users").get(user_id) if user_id else None


def everything() -> dict[str, dict[str, list[Row]]]:
    """Return the lists of every workspace, for the admin port."""
    return {workspace: reference_data(workspace) for workspace in OFFSETS}
