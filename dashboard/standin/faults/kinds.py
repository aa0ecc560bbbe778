"""The table of every kind of fault, by name. See `fault` for where a kind acts."""

from .connection import (
    close,
    drip,
    garbage,
    hang,
    refuse,
    reset,
    truncate,
    truncate_head,
    truncate_reset,
)
from .data import add_record, change_record, clock, delete_record, stale, store_half
from .fault import FaultKind
from .misdelivery import early, later, lists_instead, names_another, names_none, twice, twice_later
from .response import (
    MEGABYTE,
    altered,
    body,
    bomb,
    counts,
    gzipped,
    html_page,
    redirect,
    rows,
    status,
    success,
)
from .timing import REFUSED, late, slow

STATUSES: tuple[int, ...] = (400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 422)
STATUSES += (429, 451, 499, 500, 501, 502, 503, 504, 507)
PROXY_JSON = (401, 403, 404, 413, 429)  # statuses that API gateways answer in a JSON of their own
DEEP = b'{"success":true,"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
GIANT = b'{"success":true,"data":"' + b"x" * (9 * MEGABYTE) + b'"}'
DIGITS = b'{"success":true,"data":{"cstid":' + b"9" * 5000 + b"}}"
TWICE = b'{"success":false,"success":true,"data":{"cstid":1,"cstid":2}}'

ON_CONNECTION = {
    "refuse": FaultKind(
        "reset, then connections refused for `argument` seconds", False, connection=refuse
    ),
    "reset": FaultKind("connection reset", connection=reset),
    "close": FaultKind("connection closed without a byte", connection=close),
    "hang": FaultKind("no response for `argument` seconds, then closed", connection=hang),
    "slow": FaultKind("the operation starts `argument` seconds late", timing=slow),
    "drip": FaultKind("one byte at a time, `argument` seconds apart", connection=drip),
    "truncate": FaultKind("half the body, then closed", connection=truncate),
    "truncate-head": FaultKind("closed within the headers", connection=truncate_head),
    "truncate-reset": FaultKind("half the body, then reset", connection=truncate_reset),
    "garbage": FaultKind("bytes that are not HTTP", connection=garbage),
}
ON_BODY = {
    "wrong-json": FaultKind("truncated JSON", response=body('{"success": true, "data": {"da')),
    "not-json": FaultKind("plain text declared as JSON", response=body("OK")),
    "empty-body": FaultKind("no body", response=body(b"")),
    "html": FaultKind("an HTML page with status 200", response=html_page("Oops")),
    "bad-utf8": FaultKind("invalid UTF-8", response=body(b'{"success": true, "data": "\xff"}')),
    "bad-gzip": FaultKind("declared as gzip, and is not", response=gzipped(lambda b: b)),
    "gzip-bomb": FaultKind("half a megabyte that unpacks to 100 MB", response=gzipped(bomb)),
    "giant": FaultKind("a body of 9 MB", response=body(GIANT)),
    "deep": FaultKind("100,000 nested arrays", response=body(DEEP)),
    "many-digits": FaultKind("a number of 5,000 digits", response=body(DIGITS)),
    "nan": FaultKind("NaN as a value", response=body('{"success": true, "data": NaN}')),
    "duplicate-keys": FaultKind("every key twice", response=body(TWICE)),
    "lone-surrogate": FaultKind(
        "half a surrogate pair", response=body('{"success":true,"data":"\\ud800"}')
    ),
    "json-array": FaultKind("an array instead of the envelope", response=body("[]")),
    "json-null": FaultKind("null instead of the envelope", response=body("null")),
}
ON_ENVELOPE = {
    "success-missing": FaultKind(
        "no `success`", response=altered(lambda b: b.pop("success", None))
    ),
    "success-string": FaultKind('`success` is "true"', response=success("true")),
    "success-one": FaultKind("`success` is 1", response=success(1)),
    "success-null": FaultKind("`success` is null", response=success(None)),
    "success-false": FaultKind("200 with success false", False, response=success(False)),
    "data-missing": FaultKind("no `data`", response=altered(lambda b: b.pop("data", None))),
    "data-null": FaultKind("`data` is null", response=altered(lambda b: b.update(data=None))),
    "data-string": FaultKind(
        "`data` is a string", response=altered(lambda b: b.update(data="none"))
    ),
    "data-data-null": FaultKind(
        "`data.data` is null", response=altered(lambda b: b["data"].update(data=None))
    ),
}
ON_LIST = {
    "list-more": FaultKind("claims ten times the records", response=counts(lambda n: n * 10 + 10)),
    "list-none": FaultKind("claims no records", response=counts(lambda n: 0)),
    "list-negative": FaultKind("claims -1 records", response=counts(lambda n: -1)),
    "list-empty": FaultKind("a page without rows", response=rows(lambda found: [])),
    "list-oversized": FaultKind("twice the rows requested", response=rows(lambda found: found * 2)),
    "list-shifted": FaultKind("the first row is missing", response=rows(lambda found: found[1:])),
    "list-repeated": FaultKind(
        "the first row twice", response=rows(lambda found: found[:1] + found)
    ),
    "list-odd-rows": FaultKind(
        "rows that are not records", response=rows(lambda found: [None, 1, "x", [], {}, *found])
    ),
}
ON_DATA = {
    "late": FaultKind("status 504 at once, the effect `argument` seconds later", timing=late),
    "stale": FaultKind("reads show the state before the last write", data=stale),
    "interleave": FaultKind(
        "another user changes another field between read and write", data=change_record(same=False)
    ),
    "interleave-same": FaultKind(
        "another user changes the same field between read and write", data=change_record(same=True)
    ),
    "interleave-gone": FaultKind(
        "another user deletes the record between read and write", data=delete_record
    ),
    "partial": FaultKind(
        "half the fields are stored, then status 500", data=store_half, response=status(500, b"")
    ),
    "partial-saved": FaultKind("half the fields are stored, as a success", data=store_half),
    "clock-ahead": FaultKind("a clock `argument` seconds ahead", data=clock(ahead=True)),
    "clock-behind": FaultKind("a clock `argument` seconds behind", data=clock(ahead=False)),
    "list-shifting": FaultKind("a record is added before the list is read", data=add_record),
}
MISDELIVERED = {
    "answer-twice": FaultKind("the response twice, in one segment", response=twice),
    "answer-twice-later": FaultKind(
        "the response again `argument` seconds later", response=twice_later
    ),
    "answer-early": FaultKind(
        "after the response, in one segment, a response of another workspace", data=early
    ),
    "answer-early-later": FaultKind(
        "a response of another workspace `argument` seconds after the response",
        data=early,
        response=later,
    ),
    "answer-swapped": FaultKind(
        "two such requests under way within `argument` seconds swap responses", swapped=True
    ),
    "created-another": FaultKind(
        "a create is answered with another record's id", data=names_another
    ),
    "created-bare": FaultKind("a create is answered with `success` alone", data=names_none),
    "created-list": FaultKind("a create is answered with a page of the list", data=lists_instead),
}


def _status_kinds(code: int) -> dict[str, FaultKind]:
    """A status as JSON, as an HTML page, and without a body."""
    page = html_page(str(code), code)
    return {
        f"status-{code}": FaultKind(
            f"status {code} as JSON; `argument` is Retry-After",
            applied=False,
            response=status(code, REFUSED),
        ),
        f"status-{code}-html": FaultKind(
            f"status {code} as an HTML page", applied=False, response=page
        ),
        f"status-{code}-empty": FaultKind(
            f"status {code} without a body", applied=False, response=status(code, b"")
        ),
    }


ON_STATUS = {
    f"status-{code}-message": FaultKind(
        f"status {code} as a gateway's JSON without `success`",
        applied=False,
        response=status(code, b'{"message":"Forbidden by gateway"}'),
    )
    for code in PROXY_JSON
}
ON_STATUS |= {
    "redirect": FaultKind("302 to elsewhere, with a cookie", applied=False, response=redirect)
}
for _code in STATUSES:
    ON_STATUS |= _status_kinds(_code)

KINDS: dict[str, FaultKind] = {
    **ON_CONNECTION,
    **ON_BODY,
    **ON_ENVELOPE,
    **ON_LIST,
    **ON_DATA,
    **MISDELIVERED,
    **ON_STATUS,
}
