"""The second step of signing in: who has one, and the encryption of its secrets."""

import base64
import logging
import secrets
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.db import transaction

from dashboard.core.sealed import DecryptionError, Report, resealed, seal, unseal
from dashboard.people.models import User

PURPOSE = "second step"
NOBODY = 0  # allauth does not say whose secret it is
PARTS = ("secret", "seed")  # of an authenticator's data
STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

logger = logging.getLogger(__name__)


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """allauth's adapter with secrets encrypted by FIELD_ENCRYPTION_KEYS."""

    def encrypt(self, text: str) -> str:
        return seal(text, owner=NOBODY, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret of an app, or the seed of recovery codes. If no key decrypts it, a
        random one: every code is then wrong, until an administrator switches two-step sign-in off.
        """
        try:
            return unseal(encrypted_text, owner=NOBODY, purpose=PURPOSE)
        except DecryptionError:
            logger.error("A stored secret of two-step sign-in cannot be opened.")
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "Entry Desk"}

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {count + 1}"


@transaction.atomic
def update_has_mfa(instance: Authenticator, **kwargs: Any) -> None:
    """Update `has_mfa` after an authenticator was added or removed.

    Locks the person's row: of two removed at once, each would otherwise still see the other.
    """
    for person in User.objects.select_for_update(no_key=True).filter(pk=instance.user_id):
        person.has_mfa = Authenticator.objects.filter(user=person, type__in=STEPS).exists()
        person.save(update_fields=["has_mfa"])


def rotate() -> Report:
    """Re-encrypt all secrets under the first encryption key while the site runs."""
    report = Report()
    for pk, before in list(Authenticator.objects.values_list("pk", "data")):
        try:
            after = before | {part: _resealed(before[part]) for part in PARTS if part in before}
        except DecryptionError:
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
    return resealed(sealed, owner=NOBODY, purpose=PURPOSE) or sealed
