"""Two workspaces whose every text tells which of the two it is of."""

from typing import Any

from dashboard.office.list_import import load_reference_lists
from dashboard.standin import StandIn
from dashboard.standin.reference_data import OFFSETS, reference_data
from dashboard.standin.resources import RESOURCES

MARKS = {"acme": "qqacmeqq", "globex": "qqglobexqq"}  # stand on no page of the other one
UNNAMED = {"contact-fields", "lead-fields"}  # their names are keys of records
EVERYTHING = 10_000
Records = dict[str, list[int]]


def mark_all(standin: StandIn, workspace: str) -> Records:
    """Put the mark into every text of a workspace and into its lists; the ids of its records."""
    mark, records = MARKS[workspace], {}
    for resource in RESOURCES.values():
        here = [("workspace = ?", workspace)]
        rows = standin.store.page(resource, here, "id", EVERYTHING, 0)
        records[resource.name] = [row[0] for row in rows]
        texts = [f for f in resource.fields if f.kind in {"string", "email"} and not f.choices]
        with standin.store.transaction():
            for number in records[resource.name]:
                _mark_one(standin, resource, number, [f for f in texts if f.refers == ""], mark)
    load_reference_lists(workspace, _marked_lists(workspace, mark))
    return records


def _mark_one(standin: StandIn, resource: Any, number: int, texts: list[Any], mark: str) -> None:
    record = (standin.store.get(resource, number) or ("", {}))[1]
    record.pop(resource.id_field, None)
    for field in texts:
        if record.get(field.name) and field.name != resource.number_field:
            record[field.name] = _marked(field, record[field.name], mark)
    for line in record.get("items") or []:
        line["item_name"] = f"{line['item_name']} {mark}"
    standin.store.replace(resource, number, record)


def _marked(field: Any, text: str, mark: str) -> str:
    if field.kind == "email":
        return f"{mark}.{text}"
    return f"{text[: (field.limit or 1000) - len(mark) - 1]} {mark}"


def _marked_lists(workspace: str, mark: str) -> dict[str, list[dict[str, Any]]]:
    return {
        name: rows
        if name in UNNAMED
        else [{**row, "name": f"{row['name']} {mark}"} for row in rows]
        for name, rows in reference_data(workspace).items()
    }


def placed(typed: dict[str, Any], workspace: str, customer: int) -> dict[str, Any]:
    """What the rows type, with the ids that mean the same in this workspace."""
    off = OFFSETS[workspace]
    own = {"customer_id": customer, "cstid": customer}
    moved = {name: str(own[name]) for name in own if typed.get(name)}
    for name in ("pipeline_id", "template_id", "line-0-item_id"):
        if name in typed:
            moved[name] = str(int(typed[name]) + off)
    return {**typed, **moved}
