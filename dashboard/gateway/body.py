"""Checks input against the rules of the reference before it is sent.

The check functions return the values to send. They raise Rejected with `sent=False` and messages by
field, which can be shown beside the inputs of a form.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from .api import ENDPOINTS, LINE_FIELDS, Endpoint, Field, FieldKind
from .errors import FieldErrors, Missing, Rejected
from .values import is_encodable

MAX_PAGE_SIZE = 100
LARGEST_ID = 10**18

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\Z")
_SORT_FIELD = re.compile(r"[A-Za-z0-9_.]{1,64}\Z")
_REQUIRED = "Enter a value."
_UNKNOWN = "This field is not accepted here."


def check_id(record_id: int) -> int:
    """The id for a path. Raises Missing for an integer that cannot be an id."""
    if type(record_id) is not int:
        raise Rejected(fields={"id": ["An id is a whole number."]}, sent=False)
    if not 0 < record_id < LARGEST_ID:
        raise Missing
    return record_id


def check_list(
    endpoint: Endpoint,
    *,
    search: str,
    page_index: int,
    page_size: int,
    sort_by: str,
    sort_order: str,
    filters: Mapping[str, Any],
) -> dict[str, str | int]:
    """The query of a list by API name. Filters that are None or "" are left out."""
    errors = _paging_errors(page_index, page_size, sort_by, sort_order)
    given = {name: value for name, value in filters.items() if value not in (None, "")}
    checked = _check_fields({field.name: field for field in endpoint.filters}, given, errors)
    if not isinstance(search, str) or not is_encodable(search):
        errors["search"] = ["This text cannot be searched for."]
    _raise_if_any(errors)
    query: dict[str, str | int] = {"pageSize": page_size, "pageIndex": page_index}
    texts = {"search": search, "sortBy": sort_by, "sortOrder": sort_order}
    return query | {name: text for name, text in texts.items() if text} | checked


def check_body(
    endpoint: Endpoint, operation: Literal["create", "update"], body: Mapping[str, Any]
) -> dict[str, Any]:
    """The body of a create or an update, ready for json.dumps.

    A field that the reference names for another body only is refused. A field that it names nowhere
    is accepted with any value, since a service may have fields newer than its reference.
    """
    fields = {field.name: field for field in (*endpoint.extra, *getattr(endpoint, operation))}
    errors: FieldErrors = {}
    checked = _check_fields(fields, body, errors, newer=True)
    if operation == "create" and endpoint.one_of and not any(map(body.get, endpoint.one_of)):
        errors.update({name: ["Choose at least one of these."] for name in endpoint.one_of})
    if not body:
        errors[""] = ["There is nothing to send."]
    _raise_if_any(errors)
    return checked


def _raise_if_any(errors: FieldErrors) -> None:
    if errors:
        raise Rejected(fields=errors, sent=False)


def _paging_errors(page_index: int, page_size: int, sort_by: str, sort_order: str) -> FieldErrors:
    errors: FieldErrors = {}
    if type(page_size) is not int or not 1 <= page_size <= MAX_PAGE_SIZE:
        errors["pageSize"] = [f"A page has 1 to {MAX_PAGE_SIZE} records."]
    if type(page_index) is not int or not 0 <= page_index < LARGEST_ID:
        errors["pageIndex"] = ["Pages are counted from 0."]
    if sort_by and not _SORT_FIELD.match(sort_by):
        errors["sortBy"] = ["Sort by the name of a field."]
    if sort_order not in ("", "asc", "desc"):
        errors["sortOrder"] = ["The order is asc or desc."]
    return errors


def _check_fields(
    fields: Mapping[str, Field],
    body: Mapping[str, Any],
    errors: FieldErrors,
    prefix: str = "",
    *,
    newer: bool = False,
) -> dict[str, Any]:
    """The values to send. Messages are added to `errors` under the field name after `prefix`.

    newer: whether fields that the reference names nowhere are accepted.
    """
    checked = {}
    for name, value in body.items():
        try:
            if name in fields:
                checked[name] = _check_field(fields[name], value, errors)
            elif newer and name not in _PUBLISHED:
                checked[name] = _custom(value)
            else:
                raise ValueError(_UNKNOWN)
        except ValueError as error:
            errors[f"{prefix}{name}"] = [str(error)]
    missing = (field.name for field in fields.values() if field.required)
    errors |= {prefix + name: [_REQUIRED] for name in missing if name not in body}
    return checked


def _check_field(field: Field, value: Any, errors: FieldErrors) -> Any:
    if value is None or value == "" or (isinstance(value, str) and not value.strip()):
        if field.required or not field.clearable:
            raise ValueError(_REQUIRED)
        return value if field.kind in ("string", "email") else None
    if field.kind == "lines":
        return _check_lines(field, value, errors)
    sent = _CHECKS[field.kind](value)
    if isinstance(sent, str):
        _check_text(field, sent)
    elif isinstance(sent, int | float):
        _check_range(field, sent)
    if field.choices and sent not in field.values:
        raise ValueError("Choose one of the values offered.")
    return sent


def _check_lines(field: Field, value: Any, errors: FieldErrors) -> list[dict[str, Any]]:
    least = field.minimum or 0
    if not isinstance(value, list | tuple) or len(value) < least:
        raise ValueError(f"Enter at least {least} line.")
    return [
        _check_fields(_LINES, _line(line), errors, f"{field.name}.{index}.")
        for index, line in enumerate(value)
    ]


def _line(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("Each line is a set of fields.")
    return value


def _check_text(field: Field, text: str) -> None:
    if field.max_length is not None and len(text) > field.max_length:
        raise ValueError(f"Use at most {field.max_length} characters; this has {len(text)}.")
    if field.pattern and not re.fullmatch(field.pattern, text):
        raise ValueError("Use digits only, with a plus sign in front if it is international.")


def _check_range(field: Field, value: float) -> None:
    if field.minimum is not None and value < field.minimum:
        raise ValueError(f"The smallest value is {field.minimum}.")
    if field.maximum is not None and value > field.maximum:
        raise ValueError(f"The largest value is {field.maximum}.")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not is_encodable(value):
        raise ValueError("Enter a text.")
    return value


def _email(value: Any) -> str:
    if not _EMAIL.match(_text(value)):
        raise ValueError("Enter an email address, like name@example.com.")
    return str(value)


def _integer(value: Any) -> int:
    if type(value) is not int or not -LARGEST_ID < value < LARGEST_ID:
        raise ValueError("Enter a whole number.")
    return value


def _number(value: Any) -> int | float:
    """The number as a float, which json.dumps can write. It must have exactly the same value."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("Enter a number.")
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite() or not -LARGEST_ID < number < LARGEST_ID:
        raise ValueError("Enter a number that is not that large.")
    sent = float(number)
    if Decimal(repr(sent)) != number:
        raise ValueError("Use at most 15 digits.")
    return int(sent) if sent.is_integer() else sent


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("Choose yes or no.")
    return value


def _date(value: Any) -> str:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        _parsed(date.fromisoformat, value)
        return value
    raise ValueError("Enter a date.")


def _datetime(value: Any) -> str:
    # The clock as it was typed, as `coerce.to_datetime` reads it.
    if isinstance(value, str) and re.fullmatch(r"[0-9-]{10}T[0-9:]{8}", value):
        value = _parsed(datetime.fromisoformat, value)
    if not isinstance(value, datetime) or value.tzinfo:
        raise ValueError("Enter a date and a time, without a time zone.")
    return value.isoformat(timespec="seconds")


def _parsed(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise ValueError("There is no such date.") from None


def _list_of(check: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def check_list_of(value: Any) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise ValueError("Enter a list.")
        return [check(item) for item in value]

    return check_list_of


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("Enter values by name.")
    return {_text(name): _custom(inner) for name, inner in value.items()}


def _custom(value: Any) -> Any:
    """The value of a custom field, a scalar or a list. Its type is known to the workspace only."""
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else _plain(value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    for kind, check in ((str, _text), (datetime, _datetime), (date, _date)):
        if isinstance(value, kind):
            return check(value)
    return _number(value)


_PUBLISHED = frozenset(name for each in ENDPOINTS for name in each.kinds) | {
    field.name for each in ENDPOINTS for field in each.filters
}
_LINES = {field.name: field for field in LINE_FIELDS}
_CHECKS: Mapping[FieldKind, Callable[[Any], Any]] = {
    "string": _text,
    "email": _email,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "timestamp": _text,
    "integers": _list_of(_integer),
    "strings": _list_of(_text),
    "object": _object,
}
