"""The exceptions of the gateway, named by what a user can do about them.

GatewayError             base class, never raised itself
├── KeysRefused          enter the keys again (401, and a plain list call was rejected as well)
├── NotAllowed           the workspace's plan lacks this area (403)
├── Forbidden            ask whoever gave out the keys (403 in an area of every plan)
├── Missing              there is no such record in this workspace (404 and similar)
├── Rejected             correct the input; `.fields` says where (400, 409, 422)
├── Busy                 wait `.retry_after` seconds (429)
├── Unavailable          try later: the service was not reached, or its answer cannot be read
│   └── Paused           wait some seconds: calls had failed, so this one was not made
├── NotOffered           the service lacks this operation (405, 501), or it is not switched on here
└── OutcomeUnknown       check before sending again: the write may or may not have been made

Statuses count only with the service's envelope; without it they are from a proxy on the way, so a
read is Unavailable and a write OutcomeUnknown (401: Unavailable, 429: Busy for both).

A write that returns was saved. One that raises OutcomeUnknown may have been saved. One that raises
any other of these exceptions was not saved.
"""

FieldErrors = dict[str, list[str]]


class GatewayError(Exception):
    """Base class of all errors of a call.

    message: the service's own message, cleaned and shortened, or "". It may repeat user input, so
        show it to that user only and never log it; `str()` leaves it out.
    status: the HTTP status, None if there was no answer.
    """

    def __init__(self, message: str = "", *, status: int | None = None) -> None:
        super().__init__()
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return f"{type(self).__name__} ({self.status or 'no answer'})"


class KeysRefused(GatewayError):
    """The key pair is unknown to the service or was revoked."""


class NotAllowed(GatewayError):
    """The keys are valid, but the plan of their workspace does not include this area."""


class Forbidden(GatewayError):
    """The keys are valid, but may not do this in an area that every plan includes."""


class Missing(GatewayError):
    """There is no such record in this workspace."""


class Rejected(GatewayError):
    """The service, or our own check of its published rules (body.py), rejected the input.

    fields: messages by field, such as {"cstname": ["..."], "items.0.price": ["..."]}; may be empty.
    sent: False if our own check rejected the input and nothing was sent.
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        fields: FieldErrors | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(message, status=status)
        self.fields = fields or {}
        self.sent = sent

    def __str__(self) -> str:
        where = ", ".join(self.fields) or "no field named"
        return f"{super().__str__()}: {where}" if self.sent else f"Rejected before sending: {where}"


class Busy(GatewayError):
    """Too many calls. `retry_after`: seconds to wait, None if the service does not say."""

    def __init__(
        self, message: str = "", *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class _WithReason(GatewayError):
    def __init__(self, message: str = "", *, status: int | None = None, reason: str = "") -> None:
        super().__init__(message, status=status)
        self.reason = reason

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.reason}"


NO_ANSWER = "no answer in time"
"""The reason of a call to a service that took the connection and stayed silent."""


class Unavailable(_WithReason):
    """A read has no usable answer, or a write was not made. `reason`: our words, safe to log.

    reached: False if no connection could be made, or none was tried.
    """

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        reason: str = "",
        reached: bool = True,
    ) -> None:
        super().__init__(message, status=status, reason=reason)
        self.reached = reached


class Paused(Unavailable):
    """The call was not made, because the latest calls failed; see client.py."""


class NotOffered(GatewayError):
    """The service does not have the operation, or it is not switched on."""


class OutcomeUnknown(_WithReason):
    """A write was sent and its outcome is not known. `reason`: our words, safe to log."""
