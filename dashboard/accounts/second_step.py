"""The second step of signing in: who needs one, and the encryption of its secrets."""

import base64
import logging
import secrets

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.http import HttpRequest

from dashboard.accounts.models import User
from dashboard.sealed import Report, Unreadable, resealed, seal, unseal

PURPOSE = "second step"
NOBODY = 0  # allauth does not say whose secret it is
PARTS = ("secret",)  # of an authenticator's data
STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

logger = logging.getLogger(__name__)


class SecondStepAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """allauth's adapter with secrets encrypted by FIELD_ENCRYPTION_KEYS."""

    def encrypt(self, text: str) -> str:
        """The ciphertext to store."""
        return seal(text, owner=NOBODY, purpose=PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """The plain secret. If no key decrypts it, a random one: every code is then wrong, until
        an administrator switches two-step sign-in off for the person.
        """
        try:
            return unseal(encrypted_text, owner=NOBODY, purpose=PURPOSE)
        except Unreadable:
            logger.error("A stored secret of two-step sign-in cannot be opened.")
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The site as browsers name it beside a passkey."""
        return {**super().get_public_key_credential_rp_entity(), "name": "Entry Desk"}

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """A name for a new passkey, which the person can change."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {count + 1}"


def has_one(user: User) -> bool:
    """Whether the person has set up an authenticator app or a passkey."""
    return bool(Authenticator.objects.filter(user=user, type__in=STEPS).exists())


def is_required(user: User) -> bool:
    """Whether the person's role requires a second step (settings.SECOND_FACTOR_ROLES)."""
    roles = settings.SECOND_FACTOR_ROLES
    return bool(roles) and (user.is_superuser or user.groups.filter(name__in=roles).exists())


def with_state(people: QuerySet[User]) -> QuerySet[User]:
    """The people with `lacks_second_step`: their role requires one, and they have none."""
    if not settings.SECOND_FACTOR_ROLES:
        return people
    own = Authenticator.objects.filter(user=OuterRef("pk"), type__in=STEPS)
    groups = User.groups.through.objects.filter(
        user=OuterRef("pk"), group__name__in=settings.SECOND_FACTOR_ROLES
    )
    lacks = (Q(is_superuser=True) | Q(Exists(groups))) & ~Q(Exists(own))
    wrapped = ExpressionWrapper(lacks, output_field=BooleanField())
    return people.annotate(lacks_second_step=wrapped)


def is_missing(request: HttpRequest) -> bool:
    """Whether a signed-in person has to set up a second step first.

    Not after single sign-on, where the provider asks for one.
    """
    if not getattr(request.user, "lacks_second_step", False):
        return False
    records = get_authentication_records(request, request.user)
    return all(record.get("method") != "socialaccount" for record in records)


def rotate() -> Report:
    """Re-encrypt all secrets under the first encryption key while the site runs."""
    report = Report()
    for pk, before in list(Authenticator.objects.values_list("pk", "data")):
        try:
            after = before | {part: _resealed(before[part]) for part in PARTS if part in before}
        except Unreadable:
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
