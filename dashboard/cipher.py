"""Encryption at rest, with the owner's id and the place of the row inside the ciphertext.

Fernet keys come from settings.FIELD_ENCRYPTION_KEYS: the first one encrypts, all of them decrypt.
Each purpose has its own key, derived from a configured one with HKDF-SHA256, so that the key for
drafts does not decrypt API keys. The payload has a version and names its owner, its purpose and its
place: table, column and what identifies the row, with its workspace. `unseal` checks them: a
ciphertext that was moved to another row, column, person or workspace is refused. Payloads of
release 0.1 have no version and no place; `resealed` gives them both.
"""

import base64
import json
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.views.decorators.debug import sensitive_variables

VERSION = 1  # of the payload


class Unreadable(Exception):  # noqa: N818 (named as the errors of the gateway are)
    """No configured key decrypts it, or it was encrypted for another owner, purpose or place."""


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


def place_of(table: str, column: str, *row: object) -> str:
    """A place from a table, a column and the values that identify the row, with its workspace."""
    return json.dumps([table, column, *map(str, row)])


@sensitive_variables()
def seal(text: str, *, owner: int, purpose: str, place: str = "") -> str:
    """Encrypt `text` for one owner (a user id), purpose and place, as URL-safe ASCII.

    place: of `place_of`; "" for what is stored in no row.
    """
    payload = {"v": VERSION, "owner": owner, "purpose": purpose, "place": place, "text": text}
    return _keyring(purpose).encrypt(json.dumps(payload).encode()).decode()


@sensitive_variables()
def unseal(sealed: str, *, owner: int, purpose: str, place: str = "") -> str:
    """The text that `seal` encrypted for this owner, purpose and place. Raises Unreadable."""
    payload = _payload(sealed, purpose)
    bound = (payload.get("owner"), payload.get("purpose"), payload.get("place", place))
    if bound == (owner, purpose, place) and isinstance(payload.get("text"), str):
        return str(payload["text"])
    raise Unreadable("It was encrypted for another owner, purpose or place.")


@sensitive_variables()
def resealed(sealed: str, *, owner: int, purpose: str, place: str = "") -> str | None:
    """The text encrypted in the present version under the first key; None if it already is. Raises
    Unreadable.
    """
    text = unseal(sealed, owner=owner, purpose=purpose, place=place)
    try:
        fernets(purpose)[0].decrypt(sealed.encode())
    except InvalidToken:
        return seal(text, owner=owner, purpose=purpose, place=place)
    if _payload(sealed, purpose).get("v") == VERSION:
        return None
    return seal(text, owner=owner, purpose=purpose, place=place)


@sensitive_variables()
def _payload(sealed: str, purpose: str) -> dict[str, Any]:
    try:
        payload = json.loads(_keyring(purpose).decrypt(sealed.encode()))
    except (InvalidToken, ValueError):
        payload = None
    if not isinstance(payload, dict):
        raise Unreadable("This cannot be opened with the encryption keys that are set.")
    return payload
