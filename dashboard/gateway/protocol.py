"""The protocol of the service without I/O: what an answer means, and when to retry.

The reference defines the envelopes of success and the 401, and that every answer has a boolean
`success`. The rest follows what services of this kind do, and the rule of a write: it is saved only
if a 2xx says `"success": true`, or if an update or a deletion, whose answer in the reference says
nothing else, gets a 204, or a create an empty 201 or 202; it is not saved if the service rejected
it (a 4xx other than 408, or a 2xx, that says `"success": false`); anything else leaves its outcome
unknown. A 4xx without `"success": false` comes from a proxy or firewall on the way, which may have
passed the request on, but for a 401 and a 429: those stop it.

An answer is tied to its request by its connection alone (transport.py), as the API has no request
ids. If the service itself swaps the answers of two requests, this shows only where an answer names
its record: a record, an update or a deletion whose answer states another id than the one asked for
is rejected. The answer to a list or to a create names nothing that was asked for; the writer reads
back what it created.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

from .api import Endpoint, Operation
from .errors import (
    Busy,
    Forbidden,
    GatewayError,
    KeysRefused,
    Missing,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Paused,
    Rejected,
    Unavailable,
)
from .messages import read_message, read_reasons, reason_by_subject
from .records import Created, Done, Page, Record, read_id, record_of
from .values import clean_text, read_object

MAX_RETRIES = 2
MAX_WAIT = 3.0  # seconds that Retry-After may ask for in a retry; beyond, the call ends with Busy
FIRST_PAUSE = 0.2  # seconds; upper bound of the first pause, doubled for the second
UNREADABLE = "unreadable answer"
MAX_ROWS = 2_000  # of a page; a service may send more rows than it was asked for

_MISSING_WORDS = r"not found|no such|does(?: no|n')t exist|could(?: no|n')t (?:be )?f(?:ind|ound)"
_NAMES_WORKSPACE = re.compile(r"organi[sz]ation|workspace", re.IGNORECASE)
_MEANS_MISSING = re.compile(_MISSING_WORDS, re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """A complete HTTP answer. `body` is decoded; empty if it was damaged or too large."""

    status: int
    body: bytes = b""
    retry_after: str = ""


@dataclass(frozen=True)
class TransportFailure:
    """A call without a complete answer.

    reason: a few words, safe to log. sent: whether a byte of the request may have left this
    machine. attempted: False if a circuit breaker prevented the attempt. connected: False if no
    connection could be made.
    """

    reason: str
    sent: bool
    attempted: bool = True
    connected: bool = True


Outcome = Answer | TransportFailure


def target(path: str, query: Mapping[str, Any] | None = None) -> bytes:
    """Return the request target in ASCII: path and query, without parameters that are None
    or "".
    """
    given = {name: value for name, value in (query or {}).items() if value not in (None, "")}
    return (f"{path}?{urlencode(given, errors='replace')}" if given else path).encode("ascii")


def pause_before_retry(outcome: Outcome, attempt: int, chance: Callable[[], float]) -> float | None:
    """Seconds to wait before a read is repeated, None not to repeat it.

    attempt: counts from 0. chance: random.random; full jitter spreads the retries of many clients.
    """
    if attempt >= MAX_RETRIES:
        return None
    jitter = chance() * FIRST_PAUSE * (1 << attempt)
    if isinstance(outcome, TransportFailure):
        return jitter if outcome.attempted else None
    if outcome.status not in (429, 502, 503, 504):
        return None
    wait = seconds_to_wait(outcome.retry_after)
    if wait is None:
        return jitter
    return wait + jitter if wait <= MAX_WAIT else None


def seconds_to_wait(retry_after: str, *, now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After header asks for, None if it cannot be read."""
    if re.fullmatch(r"\s*[0-9]{1,7}\s*", retry_after, re.ASCII):
        return float(retry_after)
    try:
        when = parsedate_to_datetime(retry_after)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds: float = (when - (now or datetime.now(UTC))).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(0.0, seconds)


def is_fault(outcome: Outcome) -> bool:
    """Return whether the circuit breaker counts this as a failure. A rejection (4xx) is none."""
    return isinstance(outcome, TransportFailure) or outcome.status >= 500


def read_envelope(endpoint: Endpoint, operation: Operation, outcome: Outcome) -> dict[str, Any]:
    """Return the envelope of a successful answer; some services leave `success` out for reads.
    Raises the GatewayError of any other outcome.
    """
    writes = operation not in ("list", "get")
    if isinstance(outcome, TransportFailure):
        if not outcome.attempted:
            raise Paused(reason=outcome.reason)
        raise _no_usable_answer(writes and outcome.sent, outcome.reason, reached=outcome.connected)
    if _is_bare_success(endpoint, operation, outcome):
        return {"success": True}
    status = outcome.status
    envelope = read_object(outcome.body)
    if envelope is not None and envelope.get("success") is False:
        error = _refusal(endpoint, operation, envelope, outcome)
        raise error or _no_usable_answer(writes, f"HTTP {status}", read_message(envelope), status)
    if 200 <= status < 300:
        success = None if envelope is None else envelope.get("success")
        data = envelope.get("data") if envelope else None
        if writes and isinstance(data, dict) and isinstance(data.get("data"), list):
            raise _no_usable_answer(writes, "a list answered a write", status=status)
        if envelope is not None and (success is True or (success is None and not writes)):
            return envelope
        raise _no_usable_answer(writes, UNREADABLE, status=status)
    raise _not_from_service(endpoint, operation, outcome)


def _is_bare_success(endpoint: Endpoint, operation: Operation, answer: Answer) -> bool:
    if operation == "create":
        return answer.status in (201, 202) and not answer.body.strip()
    is_change = operation in ("update", "delete") and operation in endpoint.operations
    return is_change and answer.status == 204


def read_page(endpoint: Endpoint, envelope: dict[str, Any], index: int, size: int) -> Page:
    """Return the page that `envelope` holds. Null in place of the rows, or of the page, means no
    rows.

    A service with a page size of its own sends more rows than `size`: all of them are the page, as
    its next page begins after them. Raises Unavailable if the rows are no list, or too many.
    """
    data = envelope.get("data", UNREADABLE)
    data = {"data": None} if data is None else data
    rows = data.get("data", UNREADABLE) if isinstance(data, dict) else UNREADABLE
    rows = [] if rows is None else rows
    if not isinstance(rows, list) or len(rows) > MAX_ROWS:
        raise Unavailable(status=200, reason=UNREADABLE)
    records = tuple([record for row in rows if (record := record_of(endpoint, row)) is not None])
    totals = (_count(data.get("total_records")), _count(data.get("total_pages")))
    return Page(records, index, max(size, len(rows)), *totals, len(rows) - len(records))


def read_record(endpoint: Endpoint, envelope: dict[str, Any], record_id: int) -> Record:
    """Return the record that `envelope` holds, given the id asked for. A record without an id is
    taken for that one. Raises Unavailable if there is no record, or one with another id.
    """
    raw = _record_in(endpoint, envelope.get("data"))
    if not raw or _is_another(endpoint, raw, record_id):
        raise Unavailable(status=200, reason=UNREADABLE)
    return Record(raw, endpoint.kinds, record_id)


def read_created(endpoint: Endpoint, envelope: dict[str, Any]) -> Created:
    """Return the created record; the service need not name its id or label."""
    raw = _record_in(endpoint, envelope.get("data")) or {}
    label = clean_text(raw.get(endpoint.label_field))
    return Created(read_id(raw.get(endpoint.id_field)), label)


def read_done(endpoint: Endpoint, envelope: dict[str, Any], record_id: int) -> Done:
    """Return the service's answer to an update or a deletion of this record.

    Raises OutcomeUnknown if the answer holds a record with another id.
    """
    raw = _record_in(endpoint, envelope.get("data"))
    if raw and _is_another(endpoint, raw, record_id):
        raise OutcomeUnknown(status=200, reason="answer about another record")
    return Done()


def _not_from_service(endpoint: Endpoint, operation: Operation, answer: Answer) -> GatewayError:
    """Return the error of a status without the service's envelope. Its text is not shown."""
    status, reads = answer.status, operation in ("list", "get")
    if status == 429:
        return Busy(status=status, retry_after=seconds_to_wait(answer.retry_after))
    if status in (404, 405, 501) and reads and operation not in endpoint.operations:
        return NotOffered(status=status)  # what a web server says of a route that is not there
    maybe_written = not reads and status != 401  # who does not know the caller carries nothing out
    return _no_usable_answer(maybe_written, f"HTTP {status} without an envelope", status=status)


def _refusal(
    endpoint: Endpoint, operation: Operation, envelope: dict[str, Any], answer: Answer
) -> GatewayError | None:
    """Return the rejection; None if the status is that of a failure (a 5xx or 408)."""
    status, message = answer.status, read_message(envelope)
    may_be_absent = operation in ("list", "get") or operation not in endpoint.operations
    if status == 401:
        return KeysRefused(message, status=status)
    if status == 403:
        kind = Forbidden if endpoint.in_every_plan else NotAllowed
        return kind(message, status=status)
    if status == 429:
        return Busy(message, status=status, retry_after=seconds_to_wait(answer.retry_after))
    if status == 405 or (status == 501 and may_be_absent):
        return NotOffered(message, status=status)
    if not (200 <= status < 300 or 400 <= status < 500) or status == 408:
        return None
    fields = read_reasons(endpoint, envelope)
    if _says_missing(endpoint, operation, status, message, has_fields=bool(fields)):
        return Missing(message, status=status)
    if status == 404:
        return NotOffered(message, status=status)
    by_subject = reason_by_subject(endpoint, message)
    return Rejected(message, status=status, fields=fields or by_subject)


def _says_missing(
    endpoint: Endpoint, operation: Operation, status: int, message: str, *, has_fields: bool
) -> bool:
    """Return whether the record in the path does not exist. A 404 says so if the operation surely
    exists, another status by its message. In an update that may mean a record to which the body
    refers, so there it must name the record.
    """
    if operation in ("list", "create"):
        return False
    if status == 404:
        return operation in endpoint.operations or bool(_MEANS_MISSING.search(message))
    if has_fields or not _MEANS_MISSING.search(message):
        return False
    if operation != "update":
        return not _NAMES_WORKSPACE.search(message)
    own = rf"\b(?:record|resource|{endpoint.singular})\b|^\W*(?:{_MISSING_WORDS})\W*$"
    return bool(re.search(own, message, re.IGNORECASE))


def _no_usable_answer(
    maybe_written: bool,
    reason: str,
    message: str = "",
    status: int | None = None,
    *,
    reached: bool = True,
) -> GatewayError:
    if maybe_written:
        return OutcomeUnknown(message, status=status, reason=reason)
    return Unavailable(message, status=status, reason=reason, reached=reached)


def _record_in(endpoint: Endpoint, data: Any) -> dict[str, Any] | None:
    """Return the record: `data`, or an object in it, under the endpoint's singular name or, if
    `data` has neither id nor title, any other name. One beside fields of the endpoint has the id.
    What stands beside it is added.
    """
    if not isinstance(data, dict):
        return None
    has_fields = not endpoint.kinds.keys().isdisjoint(data)
    if endpoint.id_field in data:
        return data
    is_named = endpoint.singular in data or endpoint.label_field in data
    names = [endpoint.singular] if is_named else [*data]
    inner = {name: _record_in(endpoint, data.get(name)) for name in names}
    found = [
        name
        for name, record in inner.items()
        if record and (is_named or not has_fields or endpoint.id_field in record)
    ]
    if len(found) != 1:
        return data if has_fields else None
    neighbours = {name: value for name, value in data.items() if name not in found}
    return neighbours | (inner[found[0]] or {})


def _is_another(endpoint: Endpoint, raw: dict[str, Any], record_id: int) -> bool:
    stated = raw.get(endpoint.id_field)
    return stated is not None and stated != "" and read_id(stated) != record_id


def _count(raw: Any) -> int | None:
    number = read_id(raw)
    return 0 if raw in (0, "0") and raw is not False else number
