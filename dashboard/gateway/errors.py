"""What can go wrong with a call, named by what a person can do about it.

GatewayError             never raised itself: catch it to catch every one below
├── KeysRefused          enter the keys again (401, once a plain list call was refused as well)
├── NotAllowed           the workspace's plan lacks this area (403)
├── Missing              no such record, or it is another workspace's
├── Rejected             correct what was typed; `.fields` says where (400, 409, 422)
├── Busy                 wait `.retry_after` seconds (429)
├── Unavailable          try later: the service could not be reached, or its answer not be read
├── NotOffered           the service has no such operation (405, 501), or it is not switched on here
└── OutcomeUnknown       look before sending again: a write may or may not have been done

A write has three answers. It returns: saved. It raises OutcomeUnknown: nobody can say.
It raises any other of these: certainly not saved.
"""

FieldErrors = dict[str, list[str]]


class GatewayError(Exception):
    """`message`: the service's own words, cleaned and capped, "" if it said nothing. They may
    repeat what a person typed: for that person's page, never for a log, and `str()` omits them.
    `status`: the HTTP status, None where no answer came.
    """

    def __init__(self, message: str = "", *, status: int | None = None) -> None:
        super().__init__()
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return f"{type(self).__name__} ({self.status or 'no answer'})"


class KeysRefused(GatewayError):
    """The key pair is missing, revoked or of another workspace."""


class NotAllowed(GatewayError):
    """The keys are good, but the workspace's plan does not include this area."""


class Missing(GatewayError):
    """There is no such record in this workspace."""


class Rejected(GatewayError):
    """The service, or our own check of its published rules, refused what was sent.

    `fields`: complaints by field, {"cstname": ["..."], "items.0.price": ["..."]}, maybe empty.
    `sent`: False if our own check refused it, so that nothing left this machine.
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
    """Too many calls. `retry_after`: seconds to wait, None if the service did not say."""

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


class Unavailable(_WithReason):
    """Nothing was read, or nothing was written. `reason`: a few words of ours, safe to log."""


class NotOffered(GatewayError):
    """This service does not have the operation, or nobody switched it on."""


class OutcomeUnknown(_WithReason):
    """A write was sent and its outcome is not known. `reason`: a few words of ours, safe to log."""
