"""Values that are encrypted in the database: model fields, their codec, and rotation of the keys;
marks by which a text is found that is not stored.

The keys of settings.FIELD_ENCRYPTION_KEYS: the first one encrypts, all of them decrypt. Each
purpose has its own AES-256-GCM key, derived from a configured one with HKDF-SHA256, so that the key
for drafts does not decrypt API keys. Owner, purpose and context (table, column and what identifies
the row, with its workspace) are associated data: a ciphertext that was moved to another row,
column, person or workspace is rejected. A ciphertext begins with the id of its key, then come the
nonce and what is encrypted, as URL-safe base64.
"""

import base64
import hmac
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.views.decorators.debug import sensitive_variables

DECIMAL = "$decimal"
ENCODING = ("utf-8", "surrogatepass")  # JSON may hold half a pair
MARK = 32  # hexadecimal digits of a mark
KEY_SIZE = 32  # bytes
NONCE_SIZE = 12  # bytes
KEY_ID_SIZE = 8  # characters
BATCH_SIZE = 500  # rows in memory while keys are rotated


class DecryptionError(Exception):
    """No configured key decrypts it, or it was encrypted for another owner, purpose or context."""


class Keyring(NamedTuple):
    """The derived keys of one purpose by their ids, and the id of the one that encrypts."""

    first: str
    keys: dict[str, AESGCM]


def keyring(purpose: str) -> Keyring:
    """Raises ImproperlyConfigured with the position of an invalid key of FIELD_ENCRYPTION_KEYS."""
    return _keyring(purpose, tuple(settings.FIELD_ENCRYPTION_KEYS))


@lru_cache(maxsize=64)
def _keyring(purpose: str, configured: tuple[str, ...]) -> Keyring:
    keys = {}
    for place, key in enumerate(configured, start=1):
        try:
            keys[_key(key, "id").hex()[:KEY_ID_SIZE]] = AESGCM(_key(key, purpose))
        except (ValueError, TypeError):  # without its text, which may be a mistyped key
            raise ImproperlyConfigured(
                f"Key number {place} of FIELD_ENCRYPTION_KEYS is not {KEY_SIZE} bytes in URL-safe "
                "base64."
            ) from None
    if not keys:
        raise ImproperlyConfigured("FIELD_ENCRYPTION_KEYS holds no key.")
    return Keyring(next(iter(keys)), keys)


@lru_cache(maxsize=64)
def _key(key: str, purpose: str) -> bytes:
    material = base64.urlsafe_b64decode(key)
    if len(material) != KEY_SIZE:
        raise ValueError
    info = json.dumps(["entry desk", purpose]).encode()
    return HKDF(algorithm=SHA256(), length=KEY_SIZE, salt=None, info=info).derive(material)


def marks_of(text: str, purpose: str) -> list[str]:
    """Return HMAC-SHA256 marks by which a text can be found without being stored: 32 hexadecimal
    digits each. One for each configured key; the first is the one to store.
    """
    return [
        hmac.digest(_key(key, purpose), text.encode(), "sha256").hex()[:MARK]
        for key in settings.FIELD_ENCRYPTION_KEYS
    ]


def context_of(table: str, column: str, *row: object) -> str:
    """Return a context from a table, a column and the values that identify the row, with its
    workspace.
    """
    return json.dumps([table, column, *map(str, row)])


@sensitive_variables()
def seal(text: str, *, owner: int, purpose: str, context: str = "") -> str:
    """Encrypt `text` for one owner (a user id), purpose and context, as URL-safe ASCII.

    context: of `context_of`, or the place of what is stored in no row.
    """
    first, keys = keyring(purpose)
    nonce = os.urandom(NONCE_SIZE)
    plain, bound = text.encode(*ENCODING), _associated(owner, purpose, context)
    sealed = base64.urlsafe_b64encode(nonce + keys[first].encrypt(nonce, plain, bound))
    return first + sealed.decode()


@sensitive_variables()
def unseal(sealed: str, *, owner: int, purpose: str, context: str = "") -> str:
    """Return the text that `seal` encrypted with the same arguments. Raises DecryptionError."""
    try:
        key = keyring(purpose).keys[sealed[:KEY_ID_SIZE]]
        raw = base64.urlsafe_b64decode(sealed[KEY_ID_SIZE:])
        bound = _associated(owner, purpose, context)
        return key.decrypt(raw[:NONCE_SIZE], raw[NONCE_SIZE:], bound).decode(*ENCODING)
    except (KeyError, ValueError, InvalidTag):
        raise DecryptionError(
            "No encryption key that is set opens this, or it was encrypted for another place."
        ) from None


def _associated(owner: int, purpose: str, context: str) -> bytes:
    return f"{owner} {len(purpose)} {purpose}{context}".encode(*ENCODING)


@sensitive_variables()
def resealed(sealed: str, *, owner: int, purpose: str, context: str = "") -> str | None:
    """Return the text encrypted under the first key; None if it already is. Raises
    DecryptionError.
    """
    text = unseal(sealed, owner=owner, purpose=purpose, context=context)
    if sealed.startswith(keyring(purpose).first):
        return None
    return seal(text, owner=owner, purpose=purpose, context=context)


def as_text(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as JSON. Decimals stay exact; dates and times become the API's texts."""
    return json.dumps(value, default=_write, ensure_ascii=False, sort_keys=sort_keys)


def from_text(text: str) -> Any:
    """Return the value that `as_text` was given; fractions are Decimal."""
    return json.loads(text, object_hook=_read, parse_float=Decimal)


def _write(value: object) -> object:
    if isinstance(value, Decimal):
        return {DECIMAL: str(value)}
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)


def _read(value: dict[str, Any]) -> Any:
    if value.keys() != {DECIMAL}:
        return value
    try:
        return Decimal(value[DECIMAL])
    except (InvalidOperation, TypeError, ValueError):  # the service's own, in a copy of a record
        return value


class SealedJSON(models.TextField):  # type: ignore[type-arg]
    """A value of JSON's types, Decimal or dates that is encrypted in its column; migrations see a
    TextField.

    The attribute of a row has the value: reading it raises DecryptionError, also where the column
    is empty; setting it encrypts, None empties. The ciphertext is the attribute `NAME_sealed`,
    which `update` takes.

    verbose_name: what `rotate_keys` calls it. owner: the attribute with the id of the person, such
    as "job.person_id". bound_fields: the attributes that identify the row and its workspace, which
    are set before and never change.
    """

    def __init__(
        self,
        *args: Any,
        owner: str = "",
        purpose: str = "",
        bound_fields: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **{**kwargs, "editable": False})
        self.owner, self.purpose, self.bound_fields = owner, purpose, tuple(bound_fields)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        kwargs.pop("verbose_name", None)
        return name, "django.db.models.TextField", args, kwargs

    def get_attname(self) -> str:
        return f"{self.name}_sealed"

    def get_attname_column(self) -> tuple[str, str]:
        return self.get_attname(), self.db_column or self.name

    def contribute_to_class(
        self, cls: type[models.Model], name: str, private_only: bool = False
    ) -> None:
        super().contribute_to_class(cls, name, private_only)
        setattr(cls, name, _SealedValue(self))

    def get_prep_value(self, value: Any) -> Any:
        """Return a ciphertext. Raises TypeError for another value, which would be stored
        readably.
        """
        if not isinstance(value, str):
            raise TypeError(f"{self.name} takes the ciphertext here, see sealed_text")
        return super().get_prep_value(value)

    @sensitive_variables()
    def encrypt(self, row: models.Model, value: Any) -> str:
        return "" if value is None else seal(as_text(value), **self.bound_to(row))

    @sensitive_variables()
    def decrypt(self, row: models.Model) -> Any:
        """Decrypt the value of a row. Raises DecryptionError, also if the column is empty."""
        return from_text(unseal(getattr(row, self.attname), **self.bound_to(row)))

    def bound_to(self, row: models.Model) -> dict[str, Any]:
        """Return the arguments of `seal` for this row. Raises ValueError for a row that is bound by
        its number and has none yet.
        """
        if row.pk is None and "pk" in self.bound_fields:
            raise ValueError(f"{self.name} can be set once the row is stored")
        values = [getattr(row, name) for name in self.bound_fields]
        context = context_of(row._meta.db_table, str(self.column), *values)
        return {"owner": attrgetter(self.owner)(row), "purpose": self.purpose, "context": context}


class _SealedValue:
    """The attribute of a row with the value of its sealed column."""

    def __init__(self, column: SealedJSON) -> None:
        self.column = column

    def __get__(self, row: models.Model | None, model: type[models.Model]) -> Any:
        return self.column if row is None else self.column.decrypt(row)

    def __set__(self, row: models.Model, value: Any) -> None:
        setattr(row, self.column.attname, self.column.encrypt(row, value))


def sealed_text(row: models.Model, name: str) -> str:
    """Return the ciphertext of a sealed column, for `update`."""
    return str(getattr(row, f"{name}_sealed"))


def readable(row: models.Model, name: str) -> dict[str, Any]:
    """Return the value of a sealed column; {} if it is empty or no configured key decrypts it."""
    try:
        value: dict[str, Any] = getattr(row, name)
    except DecryptionError:
        return {}
    return value


@dataclass
class Report:
    """Counts of re-encrypted rows and of current ones, and the names of unreadable ones."""

    rotated: int = 0
    current: int = 0
    unreadable: list[str] = field(default_factory=list)


def rotate() -> dict[str, Report]:
    """Re-encrypt the sealed columns of all models under the first key, while the site runs. Return
    a report for each, by its verbose name.
    """
    columns = [one for model in apps.get_models() for one in model._meta.concrete_fields]
    return {
        str(one.verbose_name): rotate_column(one) for one in columns if isinstance(one, SealedJSON)
    }


def rotate_column(column: SealedJSON) -> Report:
    """Re-encrypt a column under the first key. Idempotent. Skips rows whose column is empty."""
    report, owner = Report(), column.owner.rpartition(".")[0].replace(".", "__")
    rows: models.QuerySet[Any] = models.QuerySet(column.model).exclude(**{column.name: ""})
    rows = rows.select_related(owner) if owner else rows
    for row in _in_batches(rows.order_by("pk")):
        bound = column.bound_to(row)
        if bound["owner"] is None:  # the account is deleted; `tidy` empties it
            continue
        try:
            after = resealed(sealed_text(row, column.name), **bound)
        except DecryptionError:
            report.unreadable.append(str(row))
            continue
        # Update only the ciphertext that was read: a concurrent change must not be overwritten.
        same = rows.filter(pk=row.pk, **{column.name: sealed_text(row, column.name)})
        if after and same.update(**{column.name: after}):
            report.rotated += 1
        else:
            report.current += 1
    return report


def _in_batches(rows: models.QuerySet[Any]) -> Iterator[Any]:
    """Yield all rows in the order of their keys. No read is open while one of them is used, as
    SQLite refuses to write then.
    """
    found = list(rows[:BATCH_SIZE])
    while found:
        yield from found
        found = list(rows.filter(pk__gt=found[-1].pk)[:BATCH_SIZE])
