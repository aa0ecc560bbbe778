"""Refuses passwords of known breaches, where BREACHED_PASSWORDS_URL names a service that has them.

The service has the interface of Have I Been Pwned's Pwned Passwords: the first five characters of a
SHA-1 digest follow its address, and it answers with the rest of all digests that begin so, and how
often each was seen. Thus it learns neither the password nor, as the answer is padded, how many
digests there were.
"""

from hashlib import sha1

from django.conf import settings
from django.core.exceptions import ValidationError

from dashboard.core import security_log
from dashboard.gateway import fetch
from dashboard.people.models import User

SECONDS = 2  # that a form waits; without an answer the password is accepted
SENT = 5  # characters of the digest
HEADERS = {"Add-Padding": "true", "User-Agent": "entry-desk"}


class BreachedValidator:
    def validate(self, password: str, user: User | None = None) -> None:
        """Raises ValidationError if the service knows it."""
        digest = sha1(password.encode(errors="replace"), usedforsecurity=False).hexdigest().upper()
        address = f"{settings.BREACHED_PASSWORDS_URL}{digest[:SENT]}"
        status, body = fetch(address, headers=HEADERS, seconds=SECONDS)
        if status != 200:
            person = user.pk if user else None
            security_log.note("breached passwords not asked", person=person, status=status)
            return
        counts = dict(line.partition(":")[::2] for line in body.decode(errors="replace").split())
        if counts.get(digest[SENT:], "0") != "0":  # 0 stands beside padding
            raise ValidationError(
                "This password is known from a breach of another site. Choose one of your own.",
                code="breached",
            )

    def get_help_text(self) -> str:
        return "None that is known from a breach of another site."
