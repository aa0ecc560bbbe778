"""Checks the body of a write before it is stored and sent. Lengths, ranges and choices are checked
by the forms.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from .api import ENDPOINTS, LINE_FIELDS, Endpoint, Field
from .errors import FieldErrors, Rejected
from .values import MAX_ID, is_encodable

_REQUIRED = "Enter a value."
_LINES = {field.name: field for field in LINE_FIELDS}
_PUBLISHED = frozenset(name for each in ENDPOINTS for name in each.kinds) | {
    field.name for each in ENDPOINTS for field in each.filters
}


def check_body(
    endpoint: Endpoint, operation: Literal["create", "update"], body: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the body of a create or an update, ready for json.dumps. Raises Rejected with
    `sent=False` and messages by field, which can be shown beside the inputs of a form.

    A field that the reference names for another body only is rejected. A field that it names
    nowhere is accepted, since a service may have fields newer than its reference.
    """
    fields = {field.name: field for field in (*endpoint.extra, *getattr(endpoint, operation))}
    errors: FieldErrors = {}
    checked = _check_fields(fields, body, errors, known=_PUBLISHED - fields.keys())
    if operation == "create" and endpoint.one_of and not any(map(body.get, endpoint.one_of)):
        errors.update({name: ["Choose at least one of these."] for name in endpoint.one_of})
    if not body:
        errors[""] = ["Enter at least one value."]
    if errors:
        raise Rejected(fields=errors, sent=False)
    return checked


def _check_fields(
    fields: Mapping[str, Field],
    body: Mapping[str, Any],
    errors: FieldErrors,
    *,
    known: frozenset[str] | None = None,
    prefix: str = "",
) -> dict[str, Any]:
    """Return the values to send. Messages are added to `errors` under the field name after
    `prefix`.

    known: the names to reject; without them, all but `fields`.
    """
    checked = {}
    for name, value in body.items():
        try:
            if name in fields:
                checked[name] = _check_field(fields[name], value, errors)
            elif known is None or name in known:
                raise ValueError("This field is not accepted here.")
            else:
                checked[name] = json_value(value)
        except ValueError as error:
            errors[f"{prefix}{name}"] = [str(error)]
    missing = (field.name for field in fields.values() if field.required)
    errors |= {prefix + name: [_REQUIRED] for name in missing if name not in body}
    return checked


def _check_field(field: Field, value: Any, errors: FieldErrors) -> Any:
    is_blank = isinstance(value, str) and not value.strip()
    if value is None or is_blank or value in ([], ()):
        if field.required:
            raise ValueError(_REQUIRED)
        return None if is_blank and field.kind not in ("string", "email") else json_value(value)
    if field.kind != "lines":
        return json_value(value)
    if not isinstance(value, list | tuple) or not all(isinstance(one, Mapping) for one in value):
        raise ValueError("Each line is a set of fields.")
    return [
        _check_fields(_LINES, line, errors, prefix=f"{field.name}.{index}.")
        for index, line in enumerate(value)
    ]


def json_value(value: Any) -> Any:
    """Return the value as json.dumps writes it. Raises ValueError if it cannot be sent as it is."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, Mapping):
        return {_text(name): json_value(inner) for name, inner in value.items()}
    for kind, convert in _SCALARS:
        if isinstance(value, kind):
            return convert(value)
    raise ValueError("This value can't be sent.")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not is_encodable(value):
        raise ValueError("Enter text.")
    return value


def _datetime(value: datetime) -> str:
    if value.tzinfo:
        raise ValueError("Enter a date and a time, without a time zone.")
    return value.isoformat(timespec="seconds")


def _number(value: float | Decimal) -> int | float:
    if isinstance(value, int):
        return value
    number = Decimal(repr(value)) if isinstance(value, float) else value
    if not number.is_finite() or not -MAX_ID <= number <= MAX_ID:
        raise ValueError("Enter a smaller number.")
    sent = float(number)
    if Decimal(repr(sent)) != number:
        raise ValueError("Use 15 digits or fewer.")
    return int(sent) if sent.is_integer() else sent


_SCALARS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, _text),
    (int | float | Decimal, _number),
    (datetime, _datetime),
    (date, date.isoformat),
)
