"""Encrypts the secrets of two-step sign-in: those of authenticator apps and recovery codes."""

import base64
import logging
import secrets

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator

from dashboard import cipher
from dashboard.rotation import Report

PURPOSE = "second step"
NOBODY = 0  # allauth does not say whose secret it is
PARTS = ("secret", "seed")  # of an app, of recovery codes

logger = logging.getLogger(__name__)


class SecondStepAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """allauth's adapter with secrets encrypted by FIELD_ENCRYPTION_KEYS."""

    def encrypt(self, text: str) -> str:
        """The ciphertext to store."""
        return cipher.seal(text, owner=NOBODY, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """The plain secret. If no key decrypts it, a random one: every code is then wrong, until
        an administrator switches two-step sign-in off for the person.
        """
        try:
            return cipher.unseal(encrypted_text, owner=NOBODY, purpose=PURPOSE)
        except cipher.Unreadable:
            logger.error("A stored secret of two-step sign-in cannot be opened.")
            return base64.b32encode(secrets.token_bytes(20)).decode()


def rotate() -> Report:
    """Re-encrypt all secrets under the first encryption key while the site runs."""
    report = Report()
    for pk, before in list(Authenticator.objects.values_list("pk", "data")):
        try:
            after = before | {part: _resealed(before[part]) for part in PARTS if part in before}
        except cipher.Unreadable:
            report.unreadable.append(str(pk))
            continue
        # Update only what was read: a recovery code used in the meantime must stay used.
        unchanged = Authenticator.objects.filter(pk=pk, data=before)
        if after != before and unchanged.update(data=after):
            report.rotated += 1
        else:
            report.current += 1
    return report


def _resealed(sealed: str) -> str:
    return cipher.resealed(sealed, owner=NOBODY, purpose=PURPOSE) or sealed
