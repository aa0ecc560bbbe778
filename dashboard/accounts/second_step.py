"""What the second step of signing in rests on, encrypted: the secrets of apps, recovery codes."""

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
    """allauth's, with its secrets encrypted by FIELD_ENCRYPTION_KEYS."""

    def encrypt(self, text: str) -> str:
        """As it is stored."""
        return cipher.seal(text, owner=NOBODY, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """As it was. Where it cannot be opened, a secret that nobody knows: every code is wrong,
        until an administrator switches two-step sign-in off for that person.
        """
        try:
            return cipher.unseal(encrypted_text, owner=NOBODY, purpose=PURPOSE)
        except cipher.Unreadable:
            logger.error("A stored secret of two-step sign-in cannot be opened.")
            return base64.b32encode(secrets.token_bytes(20)).decode()


def rotate() -> Report:
    """Bring what is stored under the first encryption key, while the site runs."""
    report = Report()
    for pk, before in list(Authenticator.objects.values_list("pk", "data")):
        try:
            after = before | {part: _resealed(before[part]) for part in PARTS if part in before}
        except cipher.Unreadable:
            report.unreadable.append(str(pk))
            continue
        # Only over what was read: a recovery code that was used up meanwhile stays used up.
        unchanged = Authenticator.objects.filter(pk=pk, data=before)
        if after != before and unchanged.update(data=after):
            report.rotated += 1
        else:
            report.current += 1
    return report


def _resealed(sealed: str) -> str:
    return cipher.resealed(sealed, owner=NOBODY, purpose=PURPOSE) or sealed
