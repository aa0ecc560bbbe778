"""Encryption at rest, with the owner's id inside the ciphertext.

Fernet keys come from settings.FIELD_ENCRYPTION_KEYS: the first one encrypts, all of them decrypt.
Each purpose has its own key, derived from a configured one with HKDF-SHA256, so that the key for
drafts does not decrypt API keys. The payload names its owner and its purpose, and `unseal` checks
both: a ciphertext that was moved to another person's row or another column is refused.
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


class Unreadable(Exception):  # noqa: N818 (named as the errors of the gateway are)
    """No configured key decrypts it, or it was encrypted for another owner or purpose."""


def fernets(purpose: str) -> list[Fernet]:
    """The derived keys of one purpose, in the order of FIELD_ENCRYPTION_KEYS.

    Raises ImproperlyConfigured with the position of an invalid key.
    """
    opened = []
    for place, key in enumerate(settings.FIELD_ENCRYPTION_KEYS, start=1):
        try:
            Fernet(key)
            opened.append(_derived(key, purpose))
        except (ValueError, TypeError):  # without its text, which may be a mistyped key
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
    """The text that `seal` encrypted for this owner and purpose. Raises Unreadable."""
    try:
        payload = json.loads(_keyring(purpose).decrypt(sealed.encode()))
        if (payload["owner"], payload["purpose"]) == (owner, purpose):
            return str(payload["text"])
    except (InvalidToken, ValueError, TypeError, KeyError):
        pass
    raise Unreadable("This cannot be opened with the encryption keys that are set.")


def resealed(sealed: str, *, owner: int, purpose: str) -> str | None:
    """The text encrypted under the first key; None if it already is. Raises Unreadable."""
    text = unseal(sealed, owner=owner, purpose=purpose)
    try:
        fernets(purpose)[0].decrypt(sealed.encode())
    except InvalidToken:
        return seal(text, owner=owner, purpose=purpose)
    return None
