"""What a workspace has configured and the API has no endpoint for.

Pipelines, stages, templates, items, taxes, currencies, users, groups, tags, countries, brands and
custom field names. `reference_data("acme")` is JSON data: lists of `{"id", "name", ...}`. The ids
of the other workspaces are the same plus an offset, so that a test notices a mix-up.
"""

from functools import lru_cache
from typing import Any

from .names import LANGUAGES

Row = dict[str, Any]

OFFSETS = {"acme": 0, "globex": 1000, "solo": 2000}

STAGES = {
    "New business": ("Enquiry", "Meeting", "Proposal", "Negotiation", "Won", "Lost"),
    "Renewals": ("Due soon", "Offered", "Renewed", "Lapsed"),
    "Projects": ("Scoping", "Quoted", "Approved", "Delivered"),
}
TEMPLATES = ("Standard", "Standard with logo", "Bilingual (EN/FR)", "Détaillé")
ITEMS = (
    ("Consulting hour", 95.0),
    ("Design day", 640.0),
    ("Website care, monthly", 120.0),
    ("On-site visit", 180.0),
    ('Monitor 27"', 289.9),
    ("Cable CAT6, 2 m", 4.35),
    ("Kaffeemaschine «Größe XL»", 1249.0),
    ("Licence, per seat & year", 59.99),
    ("Training <half day>", 420.0),
    ("Übersetzung, je Wort", 0.14),
    ("翻译服务", 300.0),
    ("Печать буклетов, 100 шт.", 75.5),
    ("Shipping", 12.0),
    ("Discounted bundle (see notes)", 999.0),
)
TAXES = (("VAT 20 %", 20.0), ("VAT 10 %", 10.0), ("VAT 5.5 %", 5.5), ("Zero rated", 0.0))
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY")
USERS = (
    "Ana Pérez",
    "Bjørn Åkesson",
    "Chloé Lefèvre",
    "Дарья Иванова",
    "Ελένη Παπαδοπούλου",
    "王芳",
    "Sinéad O'Connor",
    "Yusuf Özdemir",
)
GROUPS = ("Sales", "Support", "Back office")
TAGS = (
    "VIP",
    "Newsletter",
    "Late payer",
    "Prospect 2026",
    "Trade fair",
    "Do not call",
    "Реферал",
    "à rappeler",
    "重点客户",
    "<b>bold</b>",
)
COUNTRIES = (
    ("United States", "1"),
    ("United Kingdom", "44"),
    ("France", "33"),
    ("Germany", "49"),
    ("Spain", "34"),
    ("Poland", "48"),
    ("Greece", "30"),
    ("Ukraine", "380"),
    ("Israel", "972"),
    ("United Arab Emirates", "971"),
    ("India", "91"),
    ("China", "86"),
    ("Japan", "81"),
    ("Türkiye", "90"),
    ("Portugal", "351"),
    ("Sweden", "46"),
)
BRANDS = ("House brand", "Nordlicht", "Côté Sud")
CUSTOM_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {  # type, and choices of a choice
    "Preferred language": ("choice", LANGUAGES),
    "Customer since": ("date", ()),
    "Account no.": ("text", ()),
    "Credit limit": ("number", ()),
    "How did they hear of us?": ("long_text", ()),
    "Größe": ("choice", ("S", "M", "L")),
}


def _numbered(first: int, names: tuple[str, ...]) -> list[Row]:
    return [{"id": first + index, "name": name} for index, name in enumerate(names)]


def _pipelines(offset: int) -> list[Row]:
    rows = []
    for index, (name, stages) in enumerate(STAGES.items(), 1):
        number = offset + index
        rows.append({"id": number, "name": name, "stages": _numbered(number * 10 + 1, stages)})
    return rows


@lru_cache
def reference_data(workspace: str) -> dict[str, list[Row]]:
    """Every list of one workspace, by the names that `schema.Field.refers` uses."""
    offset = OFFSETS[workspace]
    items = _numbered(offset + 501, tuple(name for name, _ in ITEMS))
    for row, (_, price) in zip(items, ITEMS, strict=True):
        row["price"] = price
        row["tax"] = str(offset + 61)  # the reference makes the id of a tax a string
    taxes = _numbered(offset + 61, tuple(name for name, _ in TAXES))
    for row, (_, rate) in zip(taxes, TAXES, strict=True):
        row["rate"] = rate
    countries = _numbered(1, tuple(name for name, _ in COUNTRIES))  # the same everywhere
    for row, (_, isd) in zip(countries, COUNTRIES, strict=True):
        row["isd"] = isd
    custom = _numbered(offset + 81, tuple(CUSTOM_FIELDS))
    for row in custom:
        row["type"], row["choices"] = CUSTOM_FIELDS[row["name"]]
    return {
        "pipelines": _pipelines(offset),
        "templates": _numbered(offset + 11, TEMPLATES),
        "items": items,
        "taxes": taxes,
        "currencies": _numbered(offset + 1, CURRENCIES),
        "users": _numbered(offset + 21, USERS),
        "groups": _numbered(offset + 31, GROUPS),
        "tags": _numbered(offset + 41, TAGS),
        "countries": countries,
        "brands": _numbered(offset + 71, BRANDS),
        "custom_fields": custom,
    }


@lru_cache
def entry_names(workspace: str, kind: str) -> dict[int, str]:
    """Names by id of one list."""
    return {row["id"]: row["name"] for row in reference_data(workspace)[kind]}


@lru_cache
def stages(workspace: str, pipeline_id: int) -> tuple[int, ...]:
    """The stage ids of a pipeline in order; of the first pipeline where it is unknown."""
    pipelines = reference_data(workspace)["pipelines"]
    chosen = next((p for p in pipelines if p["id"] == pipeline_id), pipelines[0])
    return tuple(stage["id"] for stage in chosen["stages"])


def user_name(workspace: str, user_id: int | None) -> str | None:
    """The name of a user; None if there is no such user."""
    return entry_names(workspace, "users").get(user_id) if user_id else None


def everything() -> dict[str, dict[str, list[Row]]]:
    """The lists of every workspace, for the admin port."""
    return {workspace: reference_data(workspace) for workspace in OFFSETS}
