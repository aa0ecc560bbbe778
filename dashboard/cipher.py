"""Encryption at rest, with the owner sealed inside.

Fernet keys come from settings.FIELD_ENCRYPTION_KEYS: the first one seals, all of them open. The
sealed payload names its owner and its purpose, and opening checks both, so that a ciphertext moved
to another person's row (or another column) stays shut.
"""

import json
from functools import cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.views.decorators.debug import sensitive_variables


class Unreadable(Exception):  # noqa: N818 (as the gateway's: what it is, without Error)
    """It cannot be opened: the encryption key is another one, or it was sealed for another."""


def fernets() -> list[Fernet]:
    """The configured keys in order; raises ImproperlyConfigured naming the place of a bad one."""
    opened = []
    for place, key in enumerate(settings.FIELD_ENCRYPTION_KEYS, start=1):
        try:
            opened.append(Fernet(key))
        except (ValueError, TypeError):  # and its text is not repeated: it may be a key mistyped
            raise ImproperlyConfigured(
                f"Key number {place} of FIELD_ENCRYPTION_KEYS is not a Fernet key "
                "(32 bytes in URL-safe base64)."
            ) from None
    if not opened:
        raise ImproperlyConfigured("FIELD_ENCRYPTION_KEYS holds no key.")
    return opened


@cache
def _keyring() -> MultiFernet:
    return MultiFernet(fernets())


def _forget_keyring(*, setting: str, **kwargs: object) -> None:
    if setting == "FIELD_ENCRYPTION_KEYS":
        _keyring.cache_clear()


setting_changed.connect(_forget_keyring)


@sensitive_variables()
def seal(text: str, *, owner: int, purpose: str) -> str:
    """Encrypt `text` for one owner (a user id) and one purpose, as URL-safe ASCII."""
    payload = json.dumps({"owner": owner, "purpose": purpose, "text": text})
    return _keyring().encrypt(payload.encode()).decode()


@sensitive_variables()
def unseal(sealed: str, *, owner: int, purpose: str) -> str:
    """The text that `seal` was given for the same owner and purpose; raises Unreadable."""
    try:
        payload = json.loads(_keyring().decrypt(sealed.encode()))
        if (payload["owner"], payload["purpose"]) == (owner, purpose):
            return str(payload["text"])
    except (InvalidToken, ValueError, TypeError, KeyError):
        pass
    raise Unreadable("This cannot be opened with the encryption keys that are set.")


def is_current(sealed: str) -> bool:
    """Whether the first key, the one that seals, opens it."""
    try:
        fernets()[0].decrypt(sealed.encode())
    except (InvalidToken, ValueError):
        return False
    return True
