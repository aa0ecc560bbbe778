"""The Gateway: each method makes one call and returns its result or raises a GatewayError.

from dashboard.gateway import CONTACTS, Gateway, Keys, Service
gateway = Gateway(Service("https://api.example.com"), Keys(access="...", secret="..."))
for contact in gateway.list(CONTACTS, search="acme").records:
    print(contact.id, contact["cstname"])
"""

import json
import time
from collections.abc import Container, Iterable, Mapping
from typing import Any, Literal

from . import protocol
from .api import CONTACTS, Endpoint, Operation
from .body import json_value
from .client import Service
from .errors import GatewayError, KeysRefused, Missing, NotOffered, Rejected, Unavailable
from .keys import Keys
from .protocol import Outcome
from .records import Created, Done, Page, Record
from .values import MAX_ID, differ, local_time, zone_of

_METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE"}
_PROBE = {"pageSize": 1, "pageIndex": 0}


class Gateway:
    """The service as the holder of one key pair sees it.

    enabled: the unpublished operations and fields that are switched on, such as {"tasks.update"}.
    accepted: whether the service accepted the keys in the latest call, None if that is not known.
    known_zones: the zones that task times had before; zones: those that they have had here. Only
        where they differ is a time converted to the time zone of this process.
    unfit: the ids of rows left out by endpoint, as they contradict a filter that was asked for.
    ignored_searches: the endpoints whose list is the same with a search and without it.

    Its methods raise no exception but GatewayError (errors.py shows the tree).
    """

    def __init__(
        self,
        service: Service,
        keys: Keys,
        *,
        enabled: Container[str] = frozenset(),
        known_zones: Iterable[str] = (),
    ) -> None:
        self._service = service
        self._keys = keys
        self._enabled = enabled
        self.accepted: bool | None = None
        self.zones: set[str] = set()
        self.unfit: dict[str, set[int]] = {}
        self.ignored_searches: set[str] = set()
        self._known_zones = frozenset(known_zones)

    def supports(self, endpoint: Endpoint, operation: Operation) -> bool:
        return operation in endpoint.operations or (
            operation in endpoint.unpublished and f"{endpoint.name}.{operation}" in self._enabled
        )

    def accepts_field(self, endpoint: Endpoint, field: str) -> bool:
        """Return whether the unpublished field of an update is switched on."""
        return field in endpoint.unpublished_fields and f"{endpoint.name}.{field}" in self._enabled

    def fingerprint(self, secret: bytes) -> str:
        """See Keys.fingerprint."""
        return self._keys.fingerprint(secret)

    def list(
        self,
        endpoint: Endpoint,
        *,
        search: str = "",
        page_index: int = 0,
        page_size: int = 10,
        sort_by: str = "",
        sort_order: Literal["", "asc", "desc"] = "",
        filters: Mapping[str, Any] | None = None,
    ) -> Page:
        """Return one page of a list. page_index from 0, page_size 1 to 100, filters by API name.
        Arguments that are None or "" are left out.
        """
        query = {
            "pageSize": page_size,
            "pageIndex": page_index,
            "search": search,
            "sortBy": sort_by,
            "sortOrder": sort_order,
            **(filters or {}),
        }
        envelope = self._call(endpoint, "list", query=query)
        page = protocol.read_page(endpoint, envelope, page_index, page_size)
        page = page.without_unfit(endpoint, filters or {})
        self._convert_times(endpoint, page.records)
        self.note_unfit(endpoint, page.unfit)
        return page

    def note_unfit(self, endpoint: Endpoint, ids: Iterable[int]) -> None:
        """Note rows that were left out, so that the page can say so."""
        if ids:
            self.unfit.setdefault(endpoint.name, set()).update(ids)

    def get(self, endpoint: Endpoint, record_id: int) -> Record:
        envelope = self._call(endpoint, "get", record_id)
        record = protocol.read_record(endpoint, envelope, record_id)
        self._convert_times(endpoint, [record])
        return record

    def create(self, endpoint: Endpoint, body: Mapping[str, Any], *, token: str = "") -> Created:
        """Create a record. `body` by API name; `check_body` says what it needs.

        token: identifies the write, as Idempotency-Key; also in `update` and `delete`.
        """
        envelope = self._call(endpoint, "create", body=body, token=token)
        return protocol.read_created(endpoint, envelope)

    def update(
        self, endpoint: Endpoint, record_id: int, body: Mapping[str, Any], *, token: str = ""
    ) -> Done:
        """Update a record. Of a document, `body` replaces all of it."""
        envelope = self._call(endpoint, "update", record_id, body=body, token=token)
        return protocol.read_done(endpoint, envelope, record_id)

    def delete(self, endpoint: Endpoint, record_id: int, *, token: str = "") -> Done:
        envelope = self._call(endpoint, "delete", record_id, token=token)
        return protocol.read_done(endpoint, envelope, record_id)

    def _convert_times(self, endpoint: Endpoint, records: Iterable[Record]) -> None:
        names = [name for name, kind in endpoint.kinds.items() if kind == "datetime"]
        times = [(record.raw, name) for record in records for name in names]
        zoned = [(raw, name) for raw, name in times if zone_of(raw.get(name))]
        self.zones |= {zone_of(raw[name]) for raw, name in zoned}
        if zoned and differ(self.zones | self._known_zones):
            for raw, name in zoned:
                raw[name] = local_time(raw[name])

    def _call(
        self,
        endpoint: Endpoint,
        operation: Operation,
        record_id: int | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        token: str = "",
    ) -> dict[str, Any]:
        """Return the envelope of a successful answer. All of it, retries included, ends at the
        timeout.
        """
        if not self.supports(endpoint, operation):
            raise NotOffered
        if record_id is not None and not 0 < record_id <= MAX_ID:
            raise Missing
        path = f"/v1/{endpoint.name}" if record_id is None else f"/v1/{endpoint.name}/{record_id}"
        started_at = time.monotonic()
        deadline = started_at + self._service.timeout
        if operation in _METHODS:
            text = "" if body is None else json.dumps(body, default=json_value)
            write = (_METHODS[operation], path, text.encode(), self._keys, deadline, token)
            outcome = self._service.write(*write)
        else:
            outcome = self._service.read(path, query, self._keys, deadline)
        name = "ok"
        try:
            return self._envelope_of(endpoint, operation, outcome, deadline)
        except GatewayError as error:
            name = type(error).__name__
            raise
        finally:
            self._service.note(endpoint.name, operation, name, time.monotonic() - started_at)

    def _envelope_of(
        self, endpoint: Endpoint, operation: Operation, outcome: Outcome, deadline: float
    ) -> dict[str, Any]:
        try:
            envelope = protocol.read_envelope(endpoint, operation, outcome)
        except KeysRefused as refusal:
            error = self._explain_refusal(refusal, operation, deadline)
            self.accepted = not isinstance(error, KeysRefused)
        except GatewayError as refusal:
            error = refusal
        else:
            self.accepted = True
            return envelope
        raise self._redact(error)

    def _explain_refusal(
        self, refusal: KeysRefused, operation: Operation, deadline: float
    ) -> GatewayError:
        """Return the error that a 401 means. Some services send it for a record of another
        workspace, so a list of one contact tells whether the keys are rejected. Contacts are in
        every plan.
        """
        if operation == "list":
            return refusal
        probe = self._service.read(f"/v1/{CONTACTS.name}", _PROBE, self._keys, deadline)
        try:
            protocol.read_envelope(CONTACTS, "list", probe)
        except KeysRefused:
            return refusal
        except GatewayError:  # the probe failed: the reason of the 401 stays unknown
            return Unavailable(refusal.message, status=401, reason="refused, reason not known")
        kind = Rejected if operation == "create" else Missing
        return kind(refusal.message, status=401)

    def _redact(self, error: GatewayError) -> GatewayError:
        """Return the same error without the keys, which the service may have repeated in its
        messages.
        """
        error.message = self._keys.redact(error.message)
        if isinstance(error, Rejected):
            error.fields = {
                name: [self._keys.redact(text) for text in texts]
                for name, texts in error.fields.items()
            }
        return error
