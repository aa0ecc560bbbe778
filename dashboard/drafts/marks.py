"""The signed mark that an opened form carries: whose it is, for which workspace, at which address.

It lets a form be kept for its owner even after their session has ended, and keeps it from being
saved by somebody else, or with the keys of another workspace. It gives no right to read anything.
"""

import secrets
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing

SALT = "drafts.mark"


class Mark(NamedTuple):
    """`key`: the opened form's own. `address`: with its query. `label`: what the form is called."""

    key: str
    person: int
    workspace: str
    address: str
    label: str

    @property
    def path(self) -> str:
        """The address without its query."""
        return self.address.partition("?")[0]

    @property
    def query(self) -> str:
        """What follows the path."""
        return self.address.partition("?")[2]

    def signed(self) -> str:
        """For a hidden field."""
        return signing.dumps(list(self), salt=SALT, compress=True)


def new_key() -> str:
    """For one opened form; nobody can guess it."""
    return secrets.token_urlsafe(24)


def read(text: str) -> Mark | None:
    """The mark, unless it was tampered with or is older than any draft is kept."""
    try:
        found = signing.loads(
            text, salt=SALT, max_age=timedelta(days=settings.DRAFT_RETENTION_DAYS)
        )
    except signing.BadSignature:
        return None
    return Mark(*found)
