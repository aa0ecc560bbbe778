"""Password validators beside Django's: words that are easy to guess here, and known breaches.
docs/security.md has the rules.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha1
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError

from dashboard.core import security_log
from dashboard.gateway import fetch
from dashboard.people.models import User
from dashboard.text.plain import plain

PRODUCT = ("entry", "desk", "entrydesk", "password", "welcome", "dashboard", "invoice")
MIN_OWN_CHARACTERS = 8  # characters that a password must have beside such words
MIN_WORD_LENGTH = 3  # of a word that counts
LETTERS_FOR = str.maketrans("013457$@!", "oieastsai")  # as people write words in passwords


class OwnWordsValidator:
    """Rejects a password that is little more than words of the product, the office or the person.

    The office's words are SERVICE_NAME, the host of SITE_URL without its last part, and the name of
    the person's workspace.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        rest = _plain(password)
        for word in sorted(set(_words(user)), key=len, reverse=True):
            rest = rest.replace(word, "")
        if len(rest) < min(MIN_OWN_CHARACTERS, len(_plain(password))):
            raise ValidationError(
                "Too easy to guess. Don't base it on your name, your company or Entry Desk.",
                code="own_words",
            )

    def get_help_text(self) -> str:
        return "Don't base it on your name, your company or Entry Desk."


def _words(user: User | None) -> Iterator[str]:
    host = urlsplit(settings.SITE_URL).hostname or ""
    yield from _split([*PRODUCT, settings.SERVICE_NAME, host.rpartition(".")[0]])
    if user is not None:
        yield from _split([user.username, user.first_name, user.last_name, user.email])
        yield from _split([str(user.pair.workspace)] if user.pair else [])


def _split(names: Iterable[str]) -> Iterator[str]:
    """Yield the words of the names, and each name as one word."""
    for name in names:
        for word in (name, *re.split(r"[\W_]+", name)):
            plain = _plain(word)
            if len(plain) >= MIN_WORD_LENGTH:
                yield plain


def _plain(text: str) -> str:
    """Return the text in lower case, with letters for digits that stand for them, and without other
    characters.
    """
    return re.sub(r"[\W_]+", "", plain(text).casefold().translate(LETTERS_FOR))


BREACHES_TIMEOUT = 2  # seconds that a form waits; without an answer the password is accepted
PREFIX_LENGTH = 5  # characters of the digest
BREACHES_HEADERS = {"Add-Padding": "true", "User-Agent": "entry-desk"}


class BreachedValidator:
    """Rejects passwords of known breaches if BREACHED_PASSWORDS_URL names a service that lists
    them.

    Uses the interface of Have I Been Pwned's Pwned Passwords: the first five characters of a SHA-1
    digest follow the URL, and the answer lists the rest of all digests with that prefix, and how
    often each was seen.
    The service learns neither the password nor, as the answer is padded, the number of digests.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        digest = sha1(password.encode(errors="replace"), usedforsecurity=False).hexdigest().upper()
        address = f"{settings.BREACHED_PASSWORDS_URL}{digest[:PREFIX_LENGTH]}"
        status, body = fetch(address, headers=BREACHES_HEADERS, seconds=BREACHES_TIMEOUT)
        if status != 200:
            person = user.pk if user else None
            security_log.record_event("breached passwords not asked", person=person, status=status)
            return
        counts = dict(line.partition(":")[::2] for line in body.decode(errors="replace").split())
        if counts.get(digest[PREFIX_LENGTH:], "0") != "0":  # 0 stands beside padding
            raise ValidationError(
                "This password has appeared in a data breach. Choose a different one.",
                code="breached",
            )

    def get_help_text(self) -> str:
        return "Passwords from known data breaches are not accepted."
