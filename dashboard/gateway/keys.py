"""A key pair that cannot be printed."""

import hmac
import re
from typing import NoReturn

_SENDABLE = re.compile(r"[\x21-\x7e]{1,500}\Z")  # what a header value may carry, without spaces


class Keys:
    """An access key and its secret key (reference, section 5). Raises ValueError, which names no
    key, for text that could not be a header value.

    Shows nothing through repr, str, format, a traceback's locals, copies of its state or pickle.
    """

    __slots__ = ("_access", "_secret")

    def __init__(self, *, access: str, secret: str) -> None:
        good = bool(_SENDABLE.match(access) and _SENDABLE.match(secret))
        if good:
            self._access, self._secret = access, secret
        access = secret = ""  # a traceback that prints locals must find nothing here
        if not good:
            raise ValueError("Keys are made of 1 to 500 printable characters without spaces.")

    @property
    def last4(self) -> str:
        """The last four characters of the access key, which may be shown; "" for a short key."""
        return self._access[-4:] if len(self._access) > 8 else ""

    def fingerprint(self, secret: bytes) -> str:
        """An HMAC of the pair: tells key pairs apart where neither key may stand."""
        pair = f"{self._access} {self._secret}".encode("ascii")
        return hmac.new(secret, pair, "sha256").hexdigest()

    def headers(self, access_header: str, secret_header: str) -> list[tuple[bytes, bytes]]:
        """The two headers of a call, for the client alone."""
        return [
            (access_header.encode("ascii"), self._access.encode("ascii")),
            (secret_header.encode("ascii"), self._secret.encode("ascii")),
        ]

    def hide_in(self, text: str) -> str:
        """`text` without either key, should the service have repeated them."""
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

    def __format__(self, _spec: str) -> str:
        return "<Keys>"

    def __copy__(self) -> "Keys":
        return self

    def __deepcopy__(self, _memo: object) -> "Keys":
        return self

    def __getstate__(self) -> NoReturn:
        raise TypeError("Keys are never stored by pickle; the credentials room encrypts them.")

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise TypeError("Keys are never stored by pickle; the credentials room encrypts them.")
