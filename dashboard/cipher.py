"""Encryption at rest, with the owner sealed inside.

Fernet keys come from settings.FIELD_ENCRYPTION_KEYS: the first one seals, all of them open. No
purpose is sealed with a key itself but with one derived from it (HKDF-SHA256), so that what opens
drafts opens no API keys. The sealed payload names its owner and its purpose, and opening checks
both: a ciphertext moved to another person's row (or another column) stays shut.
"""

import base64
import json
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.views.decorators.debug import sensitive_variables


class Unreadable(Exception):  # noqa: N818 (as the gateway's: what it is, without Error)
    """It cannot be opened: the encryption key is another one, or it was sealed for another."""


def fernets(purpose: str) -> list[Fernet]:
    """The keys of one purpose, in order of the configured ones that they are derived from.

    Raises ImproperlyConfigured naming the place of a bad one.
    """
    opened = []
    for place, key in enumerate(settings.FIELD_ENCRYPTION_KEYS, start=1):
        try:
            Fernet(key)
            opened.append(_derived(key, purpose))
        except (ValueError, TypeError):  # and its text is not repeated: it may be a key mistyped
            raise ImproperlyConfigured(
                f"Key number {place} of FIELD_ENCRYPTION_KEYS is not a Fernet key "
                "(32 bytes in URL-safe base64)."
            ) from None
    if not opened:
        raise ImproperlyConfigured("FIELD_ENCRYPTION_KEYS holds no key.")
    return opened


def _derived(key: str, purpose: str) -> Fernet:
    info = json.dumps(["entry desk", purpose]).encode()
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=info)
    return Fernet(base64.urlsafe_b64encode(kdf.derive(base64.urlsafe_b64decode(key))))


@lru_cache(maxsize=64)
def _keyring(purpose: str) -> MultiFernet:
    return MultiFernet(fernets(purpose))


def _forget_keyring(*, setting: str, **kwargs: object) -> None:
    if setting == "FIELD_ENCRYPTION_KEYS":
        _keyring.cache_clear()


setting_changed.connect(_forget_keyring)


@sensitive_variables()
def seal(text: str, *, owner: int, purpose: str) -> str:
    """Encrypt `text` for one owner (a user id) and one purpose, as URL-safe ASCII."""
    payload = json.dumps({"owner": owner, "purpose": purpose, "text": text})
    return _keyring(purpose).encrypt(payload.encode()).decode()


@sensitive_variables()
def unseal(sealed: str, *, owner: int, purpose: str) -> str:
    """The text that `seal` was given for the same owner and purpose; raises Unreadable."""
    try:
        payload = json.loads(_keyring(purpose).decrypt(sealed.encode()))
        if (payload["owner"], payload["purpose"]) == (owner, purpose):
            return str(payload["text"])
    except (InvalidToken, ValueError, TypeError, KeyError):
        pass
    raise Unreadable("This cannot be opened with the encryption keys that are set.")


def resealed(sealed: str, *, owner: int, purpose: str) -> str | None:
    """The same under the first key; None if that is what seals it. Raises Unreadable."""
    text = unseal(sealed, owner=owner, purpose=purpose)
    try:
        fernets(purpose)[0].decrypt(sealed.encode())
    except InvalidToken:
        return seal(text, owner=owner, purpose=purpose)
    return None
