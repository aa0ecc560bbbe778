"""An API key pair that is never printed or stored by accident."""

import hmac
import re
from typing import NoReturn

_SENDABLE = re.compile(r"[\x21-\x7e]{1,500}\Z")  # printable ASCII without spaces


class Keys:
    """An access key and its secret key (reference, section 5). Hashable and comparable.

    Raises ValueError, without the keys in it, for text that cannot be a header value. repr, str,
    format, pickle and the local variables of a traceback show neither key.
    """

    __slots__ = ("_access", "_secret")

    def __init__(self, *, access: str, secret: str) -> None:
        good = bool(_SENDABLE.match(access) and _SENDABLE.match(secret))
        if good:
            self._access, self._secret = access, secret
        access = secret = ""  # for tracebacks that print local variables
        if not good:
            raise ValueError("Keys are made of 1 to 500 printable characters without spaces.")

    @property
    def last4(self) -> str:
        """Return the last four characters of the access key, which may be shown; "" if it
        is short.
        """
        return self._access[-4:] if len(self._access) > 8 else ""

    def fingerprint(self, secret: bytes) -> str:
        """Return an HMAC of the pair under `secret`, to identify it where the keys must not be
        stored.
        """
        pair = f"{self._access} {self._secret}".encode("ascii")
        return hmac.new(secret, pair, "sha256").hexdigest()

    def headers(self, access_header: str, secret_header: str) -> list[tuple[bytes, bytes]]:
        """Return the headers, for client.py only."""
        return [
            (access_header.encode("ascii"), self._access.encode("ascii")),
            (secret_header.encode("ascii"), self._secret.encode("ascii")),
        ]

    def redact(self, text: str) -> str:
        return text.replace(self._secret, "…").replace(self._access, "…")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Keys):
            return NotImplemented
        same_access = hmac.compare_digest(self._access, other._access)
        return hmac.compare_digest(self._secret, other._secret) and same_access

    def __hash__(self) -> int:
        return hash((self._access, self._secret))

    def __repr__(self) -> str:
        return "<Keys>"

    def __getstate__(self) -> NoReturn:
        raise TypeError("Keys are never stored by pickle; a column encrypts them.")

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise TypeError("Keys are never stored by pickle; a column encrypts them.")
