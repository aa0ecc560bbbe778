"""Fills the lists of a workspace from plain data: for the demo, or to move from elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.gateway import decimal_of
from dashboard.office import editing
from dashboard.office.kinds import NAMED_ALONE, Kind, ValueType, code_of

Row = Mapping[str, Any]

LISTS: dict[str, tuple[Kind, ...]] = {
    "pipelines": (Kind.PIPELINE,),
    "templates": (Kind.TEMPLATE,),
    "taxes": (Kind.TAX,),
    "items": (Kind.ITEM,),
    "currencies": (Kind.CURRENCY,),
    "users": (Kind.USER,),
    "groups": (Kind.GROUP,),
    "tags": (Kind.CONTACT_TAG, Kind.LEAD_TAG),
    "contact_tags": (Kind.CONTACT_TAG,),
    "lead_tags": (Kind.LEAD_TAG,),
    "countries": (Kind.COUNTRY,),
    "brands": (Kind.BRAND,),
    "custom_fields": (Kind.CONTACT_FIELD, Kind.LEAD_FIELD),
    "contact_fields": (Kind.CONTACT_FIELD,),
    "lead_fields": (Kind.LEAD_FIELD,),
    "deal_sources": (Kind.DEAL_SOURCE,),
    "lead_sources": (Kind.LEAD_SOURCE,),
    "industries": (Kind.LEAD_INDUSTRY,),
}


def fill(workspace: str, data: Mapping[str, Sequence[Row]]) -> None:
    """Add or change the entries in `data`. Nothing is removed, and unknown lists are ignored.

    `data`: lists by name (LISTS) of rows with "id" and "name"; pipelines carry "stages" of the
    same shape, items "price" and "tax", taxes "rate", countries "isd", custom fields "type" (a
    ValueType) and "choices". Suggestions and custom fields need no id. Raises KeyError, ValueError
    and the like for other shapes, before anything is changed.
    """
    lists = [(kind, data[name]) for name, kinds in LISTS.items() if name in data for kind in kinds]
    rows = {kind: _values(kind, found) for kind, found in lists}
    rows[Kind.STAGE] = [
        {**stage, "parent": str(pipeline["id"])}
        for pipeline in data.get("pipelines", ())
        for stage in _values(Kind.STAGE, pipeline.get("stages", ()))
    ]
    for kind, values in rows.items():
        editing.save_entries(workspace, kind, values)


def _values(kind: Kind, rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "code": code_of(kind, row["name"] if kind in NAMED_ALONE else row["id"]),
            "name": row["name"],
            **_details(row),
        }
        for row in rows
    ]


def _details(row: Row) -> dict[str, Any]:
    details: dict[str, Any] = {}
    for name in ("price", "rate"):
        if row.get(name) is not None:
            details[name] = decimal_of(str(row[name]))
    if row.get("tax") is not None:
        details["tax"] = str(row["tax"])
    if row.get("isd"):
        details["calling_code"] = str(row["isd"])
    if row.get("type"):
        details["value_type"] = ValueType(row["type"])
    if row.get("choices"):
        details["choices"] = list(row["choices"])
    return details
