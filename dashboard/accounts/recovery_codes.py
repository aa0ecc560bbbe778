"""Recovery codes of the second step: shown once, stored as hashes, each good once.

allauth's own are computed from a stored seed, so that whoever reads it has all codes. These are
random (120 bits, so that a plain hash is enough) and live in the same row of allauth's table, whose
list of codes to compare stays empty.
"""

import hashlib
import secrets
from base64 import b32encode

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_reset
from django.db import transaction
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from dashboard.accounts.models import User

COUNT = 10
BYTES = 15  # of one code, which is 24 letters and digits
GROUP = 4
KIND = Authenticator.Type.RECOVERY_CODES


@sensitive_variables()
def renew(request: HttpRequest, user: User) -> list[str]:
    """Replace the codes of a person by new ones, which are returned and can never be read again.

    Signs the person out elsewhere, and mails them.
    """
    codes = [b32encode(secrets.token_bytes(BYTES)).decode() for _ in range(COUNT)]
    data = {"migrated_codes": [], "hashes": [_hash(code) for code in codes]}
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # not twice at the same time
        Authenticator.objects.filter(user=user, type=KIND).delete()
        row = Authenticator.objects.create(user=user, type=KIND, data=data)
    authenticator_reset.send(Authenticator, request=request, user=user, authenticator=row)
    get_adapter(request).send_notification_mail("mfa/email/recovery_codes_generated", user)
    return ["-".join(_groups(code)) for code in codes]


@sensitive_variables()
def redeem(user: User, typed: str) -> Authenticator | None:
    """The row of the codes if this is one of them, which is then used up; else None."""
    digest = _hash("".join(filter(str.isalnum, typed)).upper())
    with transaction.atomic():
        row = Authenticator.objects.select_for_update().filter(user=user, type=KIND).first()
        if row is None or digest not in row.data.get("hashes", ()):
            return None
        row.data["hashes"].remove(digest)
        row.save(update_fields=["data"])
        return row


def left(user: User) -> int:
    """How many codes still work."""
    row = Authenticator.objects.filter(user=user, type=KIND).first()
    return len(row.data.get("hashes", ())) if row else 0


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _groups(code: str) -> list[str]:
    return [code[start : start + GROUP] for start in range(0, len(code), GROUP)]
