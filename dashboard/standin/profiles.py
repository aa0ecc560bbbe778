"""How the service answers where the reference says "not shown": three profiles.

*terse*    documented fields only, empty ones left out, errors without a message.
*verbose*  a message and `errors`, ids and money as strings, the detail nested under the
           resource's name, tags as objects, names beside ids, every rule checked.
*hostile*  obeys the reference and is awkward otherwise: numbers as strings, nulls, wrong
           types in fields that are neither identifier nor label, unknown fields, HTML pages for
           unknown paths and crashes.
"""

from dataclasses import dataclass
from typing import Any

from .error_keys import SPELLINGS
from .reference_data import entry_names
from .schema import Field, Record, Resource

HTML = "<!doctype html><title>{0}</title><h1>{0}</h1><p>nginx/1.25"

# Reason of a rejection -> (terse, verbose, hostile) status.
STATUSES = {
    "unauthorized": (401, 401, 401),
    "forbidden": (403, 403, 403),
    "missing": (404, 400, 404),
    "no_route": (404, 404, 404),
    "not_offered": (404, 405, 405),
    "conflict": (409, 409, 409),
    "invalid": (422, 422, 200),
    "unreadable": (400, 400, 400),
    "unsupported": (415, 415, 415),
    "internal": (500, 500, 500),
}
WRONG: tuple[Any, ...] = (None, "n/a", [], {"value": 1}, "0000-00-00", False, "1,5,0")


@dataclass(frozen=True)
class Profile:
    """One style of responses. `strict` rejects unknown fields, parameters and reference ids.

    `error_keys`: how a rejection with `errors` spells nested fields, one of SPELLINGS.
    """

    name: str
    strict: bool = False
    clamps_page_size: bool = False
    error_keys: str = "dots"

    @property
    def index(self) -> int:
        """Return the index of this profile in tuples of three."""
        return ORDER.index(self.name)

    # records

    def row(self, resource: Resource, workspace: str, values: tuple[Any, ...]) -> Any:
        """Return a list row from the values of `resource.listed`."""
        record = {f.name: v for f, v in zip(resource.listed, values, strict=True)}
        return SHAPES[self.name](resource, workspace, record, resource.listed)

    def rows(self, resource: Resource, workspace: str, found: list[Any], size: int) -> list[Any]:
        """Return the rows of a page; a full page of *hostile* has an additional null row."""
        rows = [self.row(resource, workspace, values) for values in found]
        return [*rows, None] if self.name == "hostile" and len(rows) == size else rows

    def page(self, rows: list[Any], index: int, total: int, size: int) -> Record:
        """Return the body of a list; `current_page` counts from one."""
        pages = -(-total // size)
        if self.name == "hostile":
            counts = {"current_page": str(index + 1), "total_records": str(total)}
            inner = {"data": rows, **counts, "total_pages": pages, "from": None}
            return {"success": True, "data": inner, "message": None}
        pages = pages if self.name == "terse" else max(1, pages)
        inner = {"data": rows, "current_page": index + 1, "total_records": total}
        return {"success": True, "data": {**inner, "total_pages": pages}}

    def detail(self, resource: Resource, workspace: str, record: Record) -> Record:
        """Return the body of a get."""
        shaped = SHAPES[self.name](resource, workspace, record, resource.stored)
        for name, alternatives in ALTERNATIVES.items():
            if name in shaped:
                key = alternatives[self.index].format(resource.singular)
                shaped[key] = shaped.pop(name)
        data = shaped if self.name == "terse" else {resource.singular: shaped}
        return {"success": True, "data": data}

    # responses to writes

    def written(self, resource: Resource, operation: str) -> Record:
        """Return the body of an update or delete."""
        message = f"{resource.singular.capitalize()} {operation}d successfully"
        if self.name == "hostile":
            return {"success": True, "message": None, "data": []}
        return {"success": True, "message": message if self.name == "verbose" else "OK"}

    def created(self, resource: Resource, record: Record) -> Record:
        """Return the body of a create: the identifier and the other fields that the reference
        names.
        """
        data = {name: record[name] for name in resource.created_fields}
        if self.name == "terse":
            return {"success": True, "message": "OK", "data": data}
        data[resource.id_field] = str(data[resource.id_field])
        if self.name == "hostile":
            return {
                "success": True,
                "message": None,
                "data": {**data, "hash": "9f2c", "next": None},
            }
        message = f"{resource.singular.capitalize()} created successfully"
        return {"success": True, "message": message, "data": data}

    # rejections

    def status(self, reason: str) -> int:
        """Return the status for a reason of `STATUSES`."""
        return STATUSES[reason][self.index]

    def refusal(self, reason: str, message: str, errors: dict[str, list[str]]) -> Record | str:
        """Return the body of a refusal: JSON, or the text of an HTML page."""
        if self.name == "terse":
            return {"success": False}
        if self.name == "verbose":
            answer: Record = {"success": False, "message": message}
            return {**answer, "errors": SPELLINGS[self.error_keys](errors)} if errors else answer
        if reason in {"no_route", "internal"}:
            return HTML.format(f"{self.status(reason)} {message}")
        messages = [f"{name}: {found[0]}" for name, found in errors.items()]
        return {"success": False, "message": None, "errors": messages, "data": None}


ORDER = ("terse", "verbose", "hostile")
PROFILES = {
    "terse": Profile("terse", clamps_page_size=True),
    "verbose": Profile("verbose", strict=True),
    "hostile": Profile("hostile"),
}
# The names of lines and payments in a detail, by profile.
ALTERNATIVES = {
    "items": ("items", "line_items", "{0}_items"),
    "payments": ("payments", "payment_history", "payment_history"),
}


Fields = tuple[Field, ...]


def _terse(resource: Resource, workspace: str, record: Record, fields: Fields) -> Record:
    return {f.name: record[f.name] for f in fields if record.get(f.name) not in (None, "")}


def _text(field: Field, value: Any) -> Any:
    """Money with two places as text, ids as text, None as it is."""
    if value is None:
        return None
    if field.kind == "number":
        return f"{value:.2f}" if round(value, 2) == value else str(value)
    if field.kind == "integer" and (field.refers or field.name.endswith("id")):
        return str(value)
    if field.kind == "lines":
        inside = {inner.name: inner for inner in field.inside}
        return [{k: _text(inside[k], v) for k, v in line.items() if k in inside} for line in value]
    if field.kind == "payments":
        return [{**payment, "amount": f"{payment['amount']:.2f}"} for payment in value]
    return value


def _verbose(resource: Resource, workspace: str, record: Record, fields: Fields) -> Record:
    shaped: Record = {}
    for field in fields:
        value = record.get(field.name)
        shaped[field.name] = _text(field, value)
        if field.refers in {"contact-tags", "lead-tags"} and value:
            known = entry_names(workspace, field.refers)
            shaped[field.name] = [{"id": str(i), "name": known.get(i, "")} for i in value]
        elif field.refers in {"users", "pipelines", "currencies"} and value:
            shaped[f"{field.name}_name"] = entry_names(workspace, field.refers).get(value)
    return shaped


def _hostile(resource: Resource, workspace: str, record: Record, fields: Fields) -> Record:
    shaped = _verbose(resource, workspace, record, fields)
    number = record[resource.id_field]
    kept = {*resource.created_fields, *resource.required("create")}
    for index, field in enumerate(fields):
        replaced = (number * 31 + index * 7) % 11 == 0
        if replaced and field.name not in kept:
            shaped[field.name] = WRONG[(number + index) % len(WRONG)]
    return {**shaped, "_links": {"self": None}, "legacy_flags": [0, None, ""], "v": 3.0}


SHAPES = {"terse": _terse, "verbose": _verbose, "hostile": _hostile}
