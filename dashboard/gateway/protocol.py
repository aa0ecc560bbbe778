"""The service's protocol without any I/O: what an answer means, and when to ask again.

The reference fixes the envelopes of success and the 401. All else is what services of this kind
are seen to do, and the rule of a write: it is saved only if a 2xx says `"success": true`; it is
not saved if the service refused it (a 4xx other than 408; a 2xx that says `"success": false`);
anything else is not known.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

from .errors import (
    Busy,
    GatewayError,
    KeysRefused,
    Missing,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Rejected,
    Unavailable,
)
from .fields import Endpoint, Operation
from .jsontext import read_object
from .records import Created, Done, Page, Record, read_id, record_of
from .words import clean, complaints

MAX_RETRIES = 2
MAX_WAIT = 3.0  # seconds that a person is made to wait because the service said Retry-After
FIRST_PAUSE = 0.2  # seconds; the longest first pause, doubled for the second
UNREADABLE = "unreadable answer"

_MISSING = r"not found|no such|does(?: no|n')t exist|could(?: no|n')t (?:be )?f(?:ind|ound)"
_ELSEWHERE = re.compile(r"organi[sz]ation|workspace", re.IGNORECASE)
_ANY_MISSING = re.compile(_MISSING, re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """A whole HTTP answer. `body` is decoded, and empty if it was damaged or too large."""

    status: int
    body: bytes = b""
    retry_after: str = ""


@dataclass(frozen=True)
class Broken:
    """No whole answer. `reason`: a few words, safe to log. `sent`: some byte may have left this
    machine. `tried`: False if the breaker let no try be made.
    """

    reason: str
    sent: bool
    tried: bool = True


Outcome = Answer | Broken


def target(path: str, query: dict[str, str | int] | None = None) -> bytes:
    """The request target, ASCII."""
    return (f"{path}?{urlencode(query)}" if query else path).encode("ascii")


def pause_before_retry(outcome: Outcome, attempt: int, chance: Callable[[], float]) -> float | None:
    """Seconds to wait before a read is tried again, None to leave it. `attempt` counts from 0;
    `chance` is random.random: a full jitter, so that many clients do not come back as one.
    """
    if attempt >= MAX_RETRIES:
        return None
    jitter = chance() * FIRST_PAUSE * (1 << attempt)
    if isinstance(outcome, Broken):
        return jitter if outcome.tried else None
    if outcome.status not in (429, 502, 503, 504):
        return None
    wait = seconds_to_wait(outcome.retry_after)
    if wait is None:
        return jitter
    return wait + jitter if wait <= MAX_WAIT else None


def seconds_to_wait(retry_after: str, *, now: datetime | None = None) -> float | None:
    """What a Retry-After header asks for, in seconds or by date; None if it cannot be read."""
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
    """Does this count against the service (breaker)? A refusal does not: it is alive."""
    return isinstance(outcome, Broken) or outcome.status >= 500


def read_envelope(endpoint: Endpoint, operation: Operation, outcome: Outcome) -> dict[str, Any]:
    """The envelope of a success. Raises the GatewayError that the outcome means otherwise."""
    writes = operation in ("create", "update", "delete")
    if isinstance(outcome, Broken):
        raise _no_success(writes and outcome.sent, outcome.reason)
    envelope = read_object(outcome.body)
    status = outcome.status
    if 200 <= status < 300:
        return _accepted(endpoint, operation, envelope, status, writes)
    error = _refusal(endpoint, operation, envelope, outcome)
    raise error or _no_success(writes, f"HTTP {status}", _message(envelope), status)


def read_page(endpoint: Endpoint, envelope: dict[str, Any], index: int, size: int) -> Page:
    """The page that `envelope` holds. Raises Unavailable where data.data is no list."""
    data = envelope.get("data")
    rows = data.get("data") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(rows, list):
        raise Unavailable(status=200, reason=UNREADABLE)
    read = [record_of(endpoint, row) for row in rows]
    records = tuple(record for record in read if record is not None)
    totals = (_count(data.get("total_records")), _count(data.get("total_pages")))
    return Page(records, index, size, *totals, len(rows) - len(records))


def read_record(endpoint: Endpoint, envelope: dict[str, Any], record_id: int) -> Record:
    """The record that `envelope` holds, given the id asked for.

    The record is `data`, or nested in it under the endpoint's singular name; what stands beside the
    nested record is added to it. A record without an id is taken for the one asked for.
    Raises Unavailable if there is no record, or one with another id.
    """
    raw = _unnested(endpoint, envelope.get("data"))
    if not raw or _is_another(endpoint, raw, record_id):
        raise Unavailable(status=200, reason=UNREADABLE)
    return Record(raw, endpoint.kinds, record_id)


def read_created(endpoint: Endpoint, envelope: dict[str, Any]) -> Created:
    """What was created, as far as the service says."""
    raw = _unnested(endpoint, envelope.get("data")) or {}
    label = clean(raw.get(endpoint.label_field))
    return Created(read_id(raw.get(endpoint.id_field)), label, _message(envelope))


def read_done(endpoint: Endpoint, envelope: dict[str, Any], record_id: int) -> Done:
    """The service's answer to an update or a deletion of this record.

    Raises OutcomeUnknown if the answer holds a record with another id.
    """
    raw = _unnested(endpoint, envelope.get("data"))
    if raw and _is_another(endpoint, raw, record_id):
        raise OutcomeUnknown(status=200, reason="answer about another record")
    return Done(_message(envelope))


def _accepted(
    endpoint: Endpoint,
    operation: Operation,
    envelope: dict[str, Any] | None,
    status: int,
    writes: bool,
) -> dict[str, Any]:
    """A 2xx. A write must say true; a read may also say nothing, which is met in the wild."""
    success = envelope.get("success") if envelope is not None else "unreadable"
    if success is False:
        raise _complaint(endpoint, operation, envelope, status)
    if envelope is None or not (success is True or (success is None and not writes)):
        raise _no_success(writes, UNREADABLE, status=status)
    return envelope


def _refusal(
    endpoint: Endpoint, operation: Operation, envelope: dict[str, Any] | None, answer: Answer
) -> GatewayError | None:
    """What a status says that is neither a success nor a fault, None for the rest."""
    status, message = answer.status, _message(envelope)
    published = operation in endpoint.operations
    if status == 401:
        return KeysRefused(message, status=status)
    if status == 403:
        return NotAllowed(message, status=status)
    if status == 429:
        return Busy(message, status=status, retry_after=seconds_to_wait(answer.retry_after))
    if status == 405 or (status == 501 and (operation in ("list", "get") or not published)):
        return NotOffered(message, status=status)
    if status == 404:
        return _not_found(endpoint, operation, message)
    if 400 <= status < 500 and status != 408:
        return _complaint(endpoint, operation, envelope, status)
    return None


def _not_found(endpoint: Endpoint, operation: Operation, message: str) -> GatewayError:
    """A 404 is about the record in the path, if one is and the operation is known to exist."""
    names_record = operation not in ("list", "create")
    if names_record and (operation in endpoint.operations or _ANY_MISSING.search(message)):
        return Missing(message, status=404)
    return NotOffered(message, status=404)


def _complaint(
    endpoint: Endpoint, operation: Operation, envelope: dict[str, Any] | None, status: int
) -> GatewayError:
    """A rule was broken; or the record is not there, which a 400 or `success` false says too."""
    message = _message(envelope)
    fields = complaints((envelope or {}).get("errors"))
    if not fields and _says_missing(endpoint, operation, message):
        return Missing(message, status=status)
    return Rejected(message, status=status, fields=fields)


def _says_missing(endpoint: Endpoint, operation: Operation, message: str) -> bool:
    """In an update, "not found" may mean a record that the body names: it must say which."""
    if operation in ("list", "create") or not _ANY_MISSING.search(message):
        return False
    if operation != "update":
        return not _ELSEWHERE.search(message)
    own = rf"\b(?:record|resource|{endpoint.singular})\b|^\W*(?:{_MISSING})\W*$"
    return bool(re.search(own, message, re.IGNORECASE))


def _no_success(
    maybe_written: bool, reason: str, message: str = "", status: int | None = None
) -> GatewayError:
    kind = OutcomeUnknown if maybe_written else Unavailable
    return kind(message, status=status, reason=reason)


def _message(envelope: dict[str, Any] | None) -> str:
    said = envelope or {}
    return clean(said.get("message") or said.get("error"))


def _unnested(endpoint: Endpoint, data: Any) -> dict[str, Any] | None:
    if not isinstance(data, dict):
        return None
    inner = data.get(endpoint.singular)
    if endpoint.id_field in data or not isinstance(inner, dict):
        return data
    neighbours = {name: value for name, value in data.items() if name != endpoint.singular}
    return neighbours | inner


def _is_another(endpoint: Endpoint, raw: dict[str, Any], record_id: int) -> bool:
    """Whether the record states an id and it is not `record_id`."""
    stated = raw.get(endpoint.id_field)
    return stated is not None and stated != "" and read_id(stated) != record_id


def _count(raw: Any) -> int | None:
    number = read_id(raw)
    return 0 if raw in (0, "0") and raw is not False else number
