"""Stores messages for the next page in an encrypted cookie, because they name records. The session
would cost two database writes each: one after a save, and one before the next page is sent.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.contrib.messages.storage.base import BaseStorage, Message
from django.contrib.messages.storage.cookie import MessageDecoder, MessageEncoder
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http import HttpRequest, HttpResponse

from dashboard.core.sealed import DecryptionError, seal, unseal

PURPOSE = "messages"
MAX_LENGTH = (
    2500  # characters of the cookie: nginx takes answers with 4 kB of headers, ours have one
)


def follows_a_save(request: HttpRequest) -> bool:
    """Return whether a message waits to be shown, as on the page that opens after a save."""
    return len(get_messages(request)) > 0


class EncryptedCookieStorage(BaseStorage):
    """The messages of one person; nobody else can decrypt them."""

    def _get(self, *args: Any, **kwargs: Any) -> tuple[list[Message] | None, bool]:
        """Return the messages, None without the cookie, and whether it holds all of them."""
        sealed = self.request.COOKIES.get(settings.MESSAGES_COOKIE_NAME, "")
        if not sealed:
            return None, True
        try:
            text = unseal(sealed, owner=self._owner, purpose=PURPOSE)
        except DecryptionError:
            return [], True
        messages, is_all = json.loads(text, cls=MessageDecoder)
        return messages, is_all

    def _store(
        self, messages: Sequence[Message], response: HttpResponse, *args: Any, **kwargs: Any
    ) -> list[Message]:
        """Store the first messages that fit; return the others."""
        if not messages:
            response.delete_cookie(settings.MESSAGES_COOKIE_NAME, samesite="Lax")
            return []
        count = len(messages)
        while len(sealed := self._sealed(messages, count)) > MAX_LENGTH:
            count -= 1
        response.set_cookie(
            settings.MESSAGES_COOKIE_NAME,
            sealed,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return list(messages[count:])

    def _sealed(self, messages: Sequence[Message], count: int) -> str:
        held = [messages[:count], count == len(messages)]
        text = json.dumps(held, cls=MessageEncoder, ensure_ascii=False)
        return seal(text, owner=self._owner, purpose=PURPOSE)

    @property
    def _owner(self) -> int:
        return self.request.user.pk or 0


class MessageStorage(FallbackStorage):
    """Stores messages in the cookie, and in the session those that do not fit."""

    storage_classes = (EncryptedCookieStorage, SessionStorage)
