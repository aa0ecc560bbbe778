"""The username of an account that nobody has typed one for."""

import re
from collections.abc import Container

from dashboard.people.models import User

NOT_IN_USERNAMES = re.compile(r"[^\w.@+-]")


def free_username(address: str, taken: Container[str] = ()) -> str:
    """The part of the address before the @, or all of it where somebody has that name; `taken`:
    others that are given away, in small letters.
    """
    usable = NOT_IN_USERNAMES.sub("", address.lower())
    short = usable.partition("@")[0]
    if short in taken or User.objects.filter(username__iexact=short).exists():
        return usable
    return short
