"""Writes of unknown outcome that are sent again, under tokens made from that of the first."""

import re

from dashboard.accounts.models import User

from .models import Write
from .services import find_by_token

State = Write.State


def retry_token(first: Write, shown: str = "") -> str:
    """The token under which an unresolved write is sent again; a new one after each refusal.

    `shown`: the token on the page whose button was pressed. It is used again, so that pressing
    twice sends once, even if the second press comes after the first was refused.
    """
    if re.fullmatch(rf"{re.escape(first.token)}\+[0-9]{{0,3}}", shown):
        return shown
    token, count = f"{first.token}+", 0
    while (earlier := find_by_token(token, first.person)) and earlier.state == State.NOT_SAVED:
        count += 1
        token = f"{first.token}+{count}"
    return token


def sent_again(first: Write) -> Write | None:
    """The latest repetition of a write, if it was sent again."""
    mine = Write.objects.filter(person=first.person_id, token__startswith=f"{first.token}+")
    return mine.order_by("-pk").first()


def first_of(token: str, person: User) -> Write | None:
    """The write that the one with this token repeats, if it is a repetition."""
    found = re.fullmatch(r"(.+)\+[0-9]{0,3}", token)
    return find_by_token(found[1], person) if found else None
